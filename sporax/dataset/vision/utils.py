"""mindspore.dataset.vision.utils: the choices that image operations take."""

from sporax._src.data.vision import (
    Border,
    Inter,
)

__all__ = [
    "Border",
    "Inter",
]
