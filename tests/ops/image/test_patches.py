"""Parts of images and volumes: glimpses, patches, resampling to a scale and place, random boxes, dilation."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.image.patches")
