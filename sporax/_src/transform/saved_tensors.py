"""`saved_tensors_hooks`: how a program keeps the values that backwards need."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core.execution import running
from sporax._src.core.scope import as_graph, traceable
from sporax._src.core.tensor import Tensor


class saved_tensors_hooks:
    """A context in which two functions decide how the values are kept that gradients need later.

    What is saved here: under a gradient, PyNative mode saves for each operator the arrays from which its backward is computed, and
    `pack_hook` is called once for each. These are operands; results that are cheap to compute are computed again, so the
    exponential saves its operand (MindSpore: its result). Nothing is saved for an operator whose gradient needs no value (a sum),
    and Python's numbers are not packed. A compiled function is one operator. Under a gradient of a gradient each operator saves all
    its Tensors. A Cell with its own `bprop` saves its inputs and results, a `_Function` what it gives to `save_for_backward`; they
    may be unpacked in another shape or dtype. `saved_tensors` of a `_Function` calls `unpack_hook` each time it is read.

    In a graph, operators within the context save the same arrays; the hooks are traced. Forward-mode derivatives (`jvp`,
    `jacfwd`) cannot be computed there.

    Args:
        pack_hook: Called with a Tensor; returns what is kept. It must not change the Tensor.
        unpack_hook: Called with what `pack_hook` returned; returns a Tensor, for an operator one of the same shape and dtype.

    Raises:
        TypeError: If a hook cannot be called, or `unpack_hook` returns no Tensor.
        ValueError: If `unpack_hook` returns a Tensor of another shape or dtype to an operator.
        RuntimeError: If `pack_hook` changes its argument.

    Examples:
        >>> import sporax as ms
        >>> def f(x):
        ...     with ms.saved_tensors_hooks(lambda t: t.asnumpy(), ms.Tensor):  # kept on the host
        ...         return x * x
        >>> ms.grad(f)(ms.Tensor(3.0)).item()
        6.0
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
            if not callable(hook):
                raise TypeError(f"saved_tensors_hooks: {name} must be callable, got {describe(hook)}.")
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._entered: list[running] = []  # the block is reentrant

    def __enter__(self) -> None:
        block = running(saved_hooks=(self.pack_hook, self.unpack_hook))
        block.__enter__()
        self._entered.append(block)

    def __exit__(self, *error: object) -> None:
        self._entered.pop().__exit__(*error)


def register_saved_tensors_hooks(
    pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator: in graphs the function runs within `saved_tensors_hooks`; PyNative mode ignores it, as in MindSpore.

    Args:
        pack_hook, unpack_hook: See `saved_tensors_hooks`.

    Raises:
        TypeError: If a hook cannot be called.

    Examples:
        >>> import sporax as ms
        >>> @ms.register_saved_tensors_hooks(lambda t: t.half(), lambda t: t.float())
        ... def f(x):
        ...     return x * x
        >>> ms.jit(ms.grad(f))(ms.Tensor(3.0)).item()
        6.0
    """
    saved_tensors_hooks(pack_hook, unpack_hook)  # checks them

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def call(*args: object, **kwargs: object) -> Any:
            if not as_graph():
                return fn(*args, **kwargs)
            with saved_tensors_hooks(traceable(pack_hook), traceable(unpack_hook)):
                return traceable(fn)(*args, **kwargs)

        return call

    return decorate
