"""Images: `boxes`, `nms`, `color`, `patches`, `pixel_shuffle`, `grid_sample`, `resize`, `roi`, `similarity`."""

from sporax._src.ops.image import (  # noqa: F401  (importing a family registers its rows)
    boxes,
    color,
    grid_sample,
    nms,
    patches,
    pixel_shuffle,
    resize,
    roi,
    similarity,
)
