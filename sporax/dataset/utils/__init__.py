"""mindspore.dataset.utils: what helps to read and to show data."""

from sporax._src.data.drawn_boxes import imshow_det_bbox
from sporax._src.data.line_reader import LineReader

__all__ = ["LineReader", "imshow_det_bbox"]
