"""From PyTorch to here: networks and weights of torch, and how far what came of them agrees."""

from sporax._src.migrate.compare.live import compare
from sporax._src.migrate.compare.report import Comparison

__all__ = ["Comparison", "compare"]
