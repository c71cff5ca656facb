"""mindspore.dataset.utils: what helps to read data."""

from sporax._src.data.line_reader import LineReader

__all__ = ["LineReader"]
