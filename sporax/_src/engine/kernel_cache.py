"""What XLA made of a function in PyNative mode, one executable for each signature: those of late, so that memory is bounded."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

import jax

from sporax._src.base import config
from sporax._src.base.errors import warn_user
from sporax._src.base.jax_compat import jit_with
from sporax._src.core.execution import current
from sporax._src.engine.numpy_fallback import Uncompiled, has_met_new_shapes, note_compiled, shapes_of, signature_of

_MOST = 8  # by how much the limit grows for a function whose signatures come back
_PATIENCE = 8  # limits of signatures that an operator may lose before the user is told: a deep network has hundreds
_MANY = 8  # executables, whose memory is worth the time to give it back
_IS_GLIBC = "CS_GNU_LIBC_VERSION" in os.confstr_names


class RecentSignatures:
    """Which signatures a function was compiled for, and how many more it may be.

    The limit is that of `set_context(max_graphs=...)`. It doubles, up to eightfold, whenever a signature comes back that
    was dropped: a program that goes round a hundred shapes shall not compile them in each round.

    Args:
        patience: How many limits of signatures may be forgotten, none of which came back, before the user is told.
    """

    def __init__(self, patience: int = 0) -> None:
        self._patience = patience
        self._dropped: set[int] = set()
        self._compiled = 0
        self._factor = 1
        self._freed = 0
        self._has_warned = False

    def limit(self) -> int:
        """Return how many signatures are kept."""
        return config.max_graphs() * self._factor

    def note(self, signature: int) -> None:
        """Take notice of a signature, by its hash, that is about to be compiled."""
        self._compiled += 1
        if signature in self._dropped:
            self._dropped.clear()
            self._factor = min(2 * self._factor, _MOST)

    def drop(self, signatures: set[int], name: str) -> None:
        """Take notice of signatures that are forgotten; the user is told once that more come than return."""
        self._dropped |= signatures
        if not self._has_warned and len(self._dropped) > self._patience * config.max_graphs():
            self._has_warned = True
            warn_user(
                f"{name} has been compiled for {self._compiled} signatures, and more come: those used least recently are "
                "forgotten. Pad inputs to one of a few shapes (buckets of 32, 64, 128, ...), or keep more with "
                f"set_context(max_graphs={2 * self.limit()})."
            )
        self._freed += len(signatures)
        if self._freed >= _MANY:
            self._freed = 0
            _give_back()


def _give_back() -> None:
    """Give freed memory back to Linux: what is left of forgotten graphs lies in pieces between those in use."""
    if _IS_GLIBC:
        ctypes.CDLL(None).malloc_trim(0)


def compile_bounded(
    fn: Callable[..., Any],
    name: str,
    convolves: bool,
    put: Callable[[Callable[..., Any]], None],
    is_of_arrays: bool = False,
) -> Callable[..., Any]:
    """Return a function compiled for each signature it is called with; after too many it is compiled anew, from none.

    JAX keeps executables with the compiled function, all of them; calls find theirs without a line of Python, so nobody knows
    which were used last. So all are forgotten at once, when the limit is reached: those in use come back.

    Args:
        fn: The function of arrays.
        name: What a warning calls it.
        convolves: Whether it needs the compiler's options for convolutions.
        put: Called with each new compiled function, which takes the place of the one before.
        is_of_arrays: Whether it takes and returns arrays alone: NumPy may compute it where new shapes come without end.
    """
    recent = RecentSignatures(_PATIENCE)

    def anew() -> Callable[..., Any]:
        seen: set[int] = set()

        def traced(*arrays: Any) -> Any:
            if current.get().scope is None:  # a graph that contains this is an executable of its own
                leaves = jax.tree.leaves(arrays)
                seen.add(signature := signature_of(leaves))
                recent.note(signature)
                is_new = is_of_arrays and note_compiled(name, shapes_of(leaves))
                if len(seen) > recent.limit():
                    recent.drop(seen - {signature}, name)
                    put(anew())
                elif is_new:
                    put(uncompiled)
            return fn(*arrays)

        compiled = jit_with(config.compiler_options(convolves), traced)
        uncompiled = Uncompiled(name, fn, compiled, seen)
        return uncompiled if is_of_arrays and has_met_new_shapes(name) else compiled

    run = anew()
    put(run)
    return run
