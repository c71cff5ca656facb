"""Choosing among boxes: suppression of overlaps, overlaps of turned boxes, and boxes drawn for distortion."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.image.nms")
