"""Cell and GraphCell."""

from sporax._src.nn.cell import Cell, GraphCell

__all__ = ["Cell", "GraphCell"]
