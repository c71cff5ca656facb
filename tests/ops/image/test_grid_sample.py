"""Values of images at positions between their pixels: grids, crops and regions."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.image.grid_sample")
