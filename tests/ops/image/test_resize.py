"""Resizing of images and sequences: along each axis, the output is a weighted sum of a few input elements."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.image.resize")
