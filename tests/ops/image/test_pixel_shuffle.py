"""Images rearranged: depth into space, batches into space, channels among groups."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.image.pixel_shuffle")
