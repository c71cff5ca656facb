"""What programs import from `mindspore.common.api` to compile a Cell by hand."""

from __future__ import annotations

from typing import Any

from sporax.nn import Cell


class _CellGraphExecutor:
    """Compiles Cells; calling a Cell does so by itself."""

    def compile(self, obj: Any, *args: Any, phase: str = "predict", **options: Any) -> tuple[str, bool]:
        """Capture the graph of a Cell (or a compiled function) for these arguments; the first call of it compiles it.

        Args:
            obj: A Cell, or what `jit` returned.
            *args: The arguments.
            phase: The name of the graph, which is returned.
            **options: Accepted for MindSpore programs.

        Returns:
            The name, and True.
        """
        (obj._as_graph() if isinstance(obj, Cell) else obj).trace(*args)
        return phase, True


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
