"""What programs import from `mindspore.common.api`: decorators, and what compiles or runs by hand.

`ms_function` is in 160 places of 23 repositories; mindformers, mindrl, mindnlp, mindone and `models` import the others.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any

import jax

from sporax import jit
from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import BetweenHosts
from sporax._src.core import tree
from sporax._src.core.execution import change, current
from sporax._src.core.parameter import Parameter
from sporax._src.core.symbol import UNKNOWN, Symbol, leaving_sizes_open
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.processes.parallel_context import cutting
from sporax._src.processes.prime_mesh import prime_mesh
from sporax._src.train.joined_batch import whole_batch
from sporax.nn import Cell


def ms_function(
    fn: Callable[..., Any] | None = None,
    input_signature: object = None,
    hash_args: object = None,
    jit_config: Any = None,
) -> Any:
    """Compile a function into a graph, as `jit` does.

    Args:
        fn: The function; None to use it as `ms_function(jit_config=...)`.
        input_signature, hash_args: Accepted; a graph is found by the shapes, types and values of its arguments.
        jit_config: A `JitConfig`.

    Examples:
        >>> import sporax as ms
        >>> from sporax._src.compat.shims.common.api import ms_function
        >>> @ms_function
        ... def double(x):
        ...     return 2 * x
        >>> double(ms.Tensor([3])).item()
        6
    """
    options = {} if jit_config is None else {"jit_config": jit_config}
    return jit(**options) if fn is None else jit(fn, **options)


def _function_forbid_reuse(func: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function and return it: MindSpore must not put two calls of it into one, which no graph here does.

    Raises:
        TypeError: If it is no function.
    """
    if not inspect.isfunction(func):
        raise TypeError(f"_function_forbid_reuse: func must be a function, got {func!r}.")
    func.__function_forbid_reuse__ = True
    return func


_LARGER = 64
"""From where a size that a Symbol leaves open is looked for, if its divisor does not fit; most numbers of devices divide it."""


class _CellGraphExecutor:
    """Compiles Cells; calling a Cell does so by itself."""

    def compile(self, obj: object, *args: Any, phase: str = "predict", **options: Any) -> tuple[str, bool]:
        """Capture the graph of a Cell (or a compiled function) for these arguments; the first call of it compiles it.

        A size that an argument leaves open is taken as the Symbol's divisor, or, where that does not fit, as the first size from
        64 on that the Symbol allows; None as a size that operators know to be open, as some refuse strategies then, as in
        MindSpore. Graphs are kept per shape.
        Where the settings are of more devices than there are, arguments are the part of a batch that one of them reads.

        Args:
            obj: A Cell, or what `jit` returned.
            *args: The arguments; if there are none, what `set_inputs` of the Cell was given.
            phase: The name of the graph, which is returned.
            **options: Accepted for MindSpore programs.

        Returns:
            The name, and True.
        """
        if isinstance(obj, Cell):
            args, obj = args or obj.get_inputs() or (), obj._sporax_as_graph()
        left_open: list[Tensor] = []
        tree.flatten(args, _is_open, left_open)
        with (
            leaving_sizes_open(bool(left_open)),
            contextlib.suppress(BetweenHosts),
        ):  # a Cell that sends messages runs in PyNative mode, and has no graph
            try:
                _trace(obj, args, 1)
            except (TypeError, ValueError):  # the sizes do not fit those that are known
                if not left_open:
                    raise
                _trace(obj, args, _LARGER)
        return phase, True


def _trace(obj: Any, args: tuple[Any, ...], least: int) -> None:
    obj.trace(*_of_all_devices(tree.map_leaves(lambda x: _closed(x, least), args, _is_open)))


def _of_all_devices(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with the shapes of what all devices have read, if these are not there."""
    how = cutting()
    if how is None or how.dataset == "full_batch" or prime_mesh(how.devices) is not None:
        return args
    return tuple([wrap(whole_batch(i, x, how)) if _is_input(x) else x for i, x in enumerate(args)])


def _is_input(value: object) -> bool:
    return isinstance(value, Tensor) and not isinstance(value, Parameter)


def _is_open(value: object) -> bool:
    return isinstance(value, Tensor) and value._open_shape is not None


def _closed(tensor: Tensor, least: int) -> Tensor:
    sizes = tuple(size if isinstance(size, int) else _size(size, least) for size in tensor._open_shape or ())
    return wrap(jax.ShapeDtypeStruct(sizes, tensor._data.dtype))  # only its form is looked at


def _size(size: Symbol | None, least: int) -> int:
    """Return the first size from `least` on that a Symbol with a divisor may stand for."""
    if size is None or size.divisor == 1:
        return UNKNOWN
    return size.remainder + max(1, -(-(least - size.remainder) // size.divisor)) * size.divisor


def flops_collection(phase: str = "train") -> Any:
    """Raise RuntimeError: MindSpore counts the operations of a graph on Ascend, by the name of the graph.

    Args:
        phase: The name.
    """
    raise RuntimeError(
        f"flops_collection: no graph {phase!r} was counted; train with FlopsUtilizationCollector for that."
    )


_cell_graph_executor = _CellGraphExecutor()
cells_compile_cache: dict[int, Any] = {}
"""Graphs by the `id` of the Cell, as programs clear them: each Cell keeps its own here, so it stays empty."""


class PyNativeExecutor:
    """The queue of operations that PyNative mode has started, and whether it records them for gradients."""

    def sync(self) -> None:
        """Wait until every operation with effects has finished; errors of arguments are raised by the call itself."""
        jax.effects_barrier()

    def set_async_for_graph(self, flag: bool) -> None:
        """Accept MindSpore's hint: a graph is started without waiting for it, `sync` waits.

        Raises:
            TypeError: If the flag is no bool.
        """
        _flag("set_async_for_graph", flag)

    def enable_grad(self) -> bool:
        """Return whether gradients can be taken: not within `no_grad`."""
        return not current.get().refuses_gradients

    def set_enable_grad(self, flag: bool) -> None:
        """Set whether gradients can be taken, in this thread.

        Raises:
            TypeError: If the flag is no bool.
        """
        change({"refuses_gradients": not _flag("set_enable_grad", flag)})

    def grad_flag(self) -> bool:
        """Return whether operations are being recorded for a gradient."""
        return current.get().recording > 0

    def set_grad_flag(self, flag: bool) -> None:
        """Accept MindSpore's hint: taking a gradient records by itself.

        Raises:
            TypeError: If the flag is no bool.
        """
        _flag("set_grad_flag", flag)

    def requires_grad(self) -> bool:
        """Return whether operations are being recorded, and gradients can be taken."""
        return self.enable_grad() and self.grad_flag()

    def high_order(self) -> bool:
        """Return whether a gradient is being recorded within another."""
        return current.get().recording > 1


def _flag(name: str, flag: bool) -> bool:
    if not isinstance(flag, bool):
        raise TypeError(f"_pynative_executor.{name}: the flag must be a bool, got {describe(flag)}.")
    return flag


_pynative_executor = PyNativeExecutor()
