"""Containers of Cells."""

from sporax._src.nn.containers import CellDict, CellList, SequentialCell

__all__ = ["CellDict", "CellList", "SequentialCell"]
