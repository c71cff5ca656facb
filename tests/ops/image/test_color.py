"""Colours of images: hue, saturation and value."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.image.color")
