"""Boxes in images: overlap, suppression, and their coding against anchors."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.image.boxes")
