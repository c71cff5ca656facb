"""Cell and GraphCell."""

from sporax._src.checkpoint.export import GraphCell
from sporax._src.nn.cell.cell import Cell

__all__ = ["Cell", "GraphCell"]
