"""What programs import from `mindspore.common.api` to compile a Cell by hand."""

from __future__ import annotations

import contextlib
from typing import Any

import jax

from sporax._src.base.jax_compat import BetweenHosts
from sporax._src.core import tree
from sporax._src.core.symbol import UNKNOWN, Symbol, leaving_sizes_open
from sporax._src.core.tensor import Tensor, wrap
from sporax.nn import Cell


class _CellGraphExecutor:
    """Compiles Cells; calling a Cell does so by itself."""

    def compile(self, obj: Any, *args: Any, phase: str = "predict", **options: Any) -> tuple[str, bool]:
        """Capture the graph of a Cell (or a compiled function) for these arguments; the first call of it compiles it.

        A size that an argument leaves open is taken as the Symbol's divisor; None as a size that operators know to be open, as some
        refuse strategies then, as in MindSpore. Graphs are kept per shape.

        Args:
            obj: A Cell, or what `jit` returned.
            *args: The arguments; if there are none, what `set_inputs` of the Cell was given.
            phase: The name of the graph, which is returned.
            **options: Accepted for MindSpore programs.

        Returns:
            The name, and True.
        """
        if isinstance(obj, Cell):
            args, obj = args or obj.get_inputs() or (), obj._as_graph()
        left_open: list[Tensor] = []
        tree.flatten(args, _is_open, left_open)
        with (
            leaving_sizes_open(bool(left_open)),
            contextlib.suppress(BetweenHosts),
        ):  # a Cell that sends messages runs in PyNative mode, and has no graph
            obj.trace(*tree.map_leaves(_closed, args, _is_open))
        return phase, True


def _is_open(value: Any) -> bool:
    return isinstance(value, Tensor) and value._open_shape is not None


def _closed(tensor: Tensor) -> Tensor:
    sizes = tuple(size if isinstance(size, int) else _size(size) for size in tensor._open_shape or ())
    return wrap(jax.ShapeDtypeStruct(sizes, tensor._data.dtype))  # type: ignore[arg-type]  (only its form is looked at)


def _size(size: Symbol | None) -> int:
    return size.divisor + size.remainder if size is not None and size.divisor > 1 else UNKNOWN


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
