"""An LRU cache of executables in PyNative mode, one for each signature of a function, so that memory is bounded."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

import jax

from sporax._src.base import config
from sporax._src.base.errors import warn_user
from sporax._src.core.execution import current
from sporax._src.engine.numpy_fallback import ForNumpy, Uncompiled, has_met_new_shapes, note_compiled, signature_of
from sporax._src.engine.quick_kernels import QuickAtFirst, compiled

_MOST = 8  # the largest factor of the limit, for a function whose signatures come back
_PATIENCE = 8  # multiples of the limit that may be dropped before a warning: a deep network has hundreds of signatures
_MANY = 8  # dropped executables, after which memory is returned to the system
_IS_GLIBC = "CS_GNU_LIBC_VERSION" in os.confstr_names


class RecentSignatures:
    """The signatures a function was compiled for, and their limit.

    The limit is that of `set_context(max_graphs=...)`. It doubles, up to eightfold, whenever a dropped signature comes back: a
    program that cycles through a hundred shapes must not compile them in each cycle.

    Args:
        patience: The number of dropped signatures, in multiples of the limit, after which a warning appears if none
            came back.
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
        """Record a signature, by its hash, that is about to be compiled."""
        self._compiled += 1
        if signature in self._dropped:
            self._dropped.clear()
            self._factor = min(2 * self._factor, _MOST)

    def drop(self, signatures: set[int], name: str) -> None:
        """Record dropped signatures, and warn once if too many are dropped and none comes back."""
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
    """Return freed memory to Linux: dropped graphs leave fragments between those in use."""
    if _IS_GLIBC:
        ctypes.CDLL(None).malloc_trim(0)


def compile_bounded(
    fn: Callable[..., Any],
    name: str,
    convolves: bool,
    put: Callable[[Callable[..., Any]], None],
    settle: Callable[[QuickAtFirst, Any], None],
    for_numpy: ForNumpy | None = None,
) -> Callable[..., Any]:
    """Return a function that is compiled for each signature; after too many, all executables are dropped.

    JAX keeps all executables with the compiled function, and looks them up without running Python, so their last use is
    unknown. At the limit, all executables are therefore dropped at once; those in use are compiled again.

    Args:
        fn: The function of arrays.
        name: The name in a warning.
        convolves: Whether it needs the compiler's options for convolutions.
        put: Called with each new compiled function, which replaces the one before. If shapes keep changing, it is called with one
            that NumPy computes.
        settle: As in `QuickAtFirst`.
        for_numpy: The function that NumPy traces, if it is another one.
    """
    recent = RecentSignatures(_PATIENCE)

    def fresh() -> Callable[..., Any]:
        seen: set[int] = set()

        def traced(*arrays: object) -> Any:
            if current.get().scope is None:  # within a graph nothing is compiled here
                leaves = jax.tree.leaves(arrays)
                seen.add(signature := signature_of(leaves))
                recent.note(signature)
                is_new = note_compiled(name)
                if len(seen) > recent.limit():
                    recent.drop(seen - {signature}, name)
                    put(fresh())
                elif is_new:
                    put(uncompiled)
            return fn(*arrays)

        run = compiled(traced, convolves, settle)
        uncompiled = Uncompiled(name, for_numpy or ForNumpy(fn), run, seen)
        return uncompiled if has_met_new_shapes(name) else run

    run = fresh()
    put(run)
    return run
