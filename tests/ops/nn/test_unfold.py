"""Windows of images as columns, and back."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.unfold")
