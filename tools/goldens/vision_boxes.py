"""Operations on images with bounding boxes that leave nothing to chance, and which arguments and inputs are refused."""

from pathlib import Path
from typing import Any

import mindspore.dataset.vision as vision
import numpy as np

from .common import write_json
from .vision import image

CALLS = """RandomHorizontalFlipWithBBox(1.0)(i, b)
RandomHorizontalFlipWithBBox(0)(i, b)
RandomHorizontalFlipWithBBox(1)(i, b[:, :4])
RandomVerticalFlipWithBBox(1.0)(i, b)
RandomVerticalFlipWithBBox(0.0)(i, b)
ResizeWithBBox((20, 9))(i, b)
ResizeWithBBox(8)(i, b)
ResizeWithBBox([5, 30], Inter.NEAREST)(i, b)
RandomCropWithBBox((16, 12))(i, b)
RandomCropWithBBox((20, 15), (1, 3, 2, 1))(i, b)
RandomCropWithBBox(30)(i, b)
RandomResizedCropWithBBox((8, 9), (1.0, 1.0), (0.75, 0.75))(i, b)
BoundingBoxAugment(HorizontalFlip(), 1.0)(i, b)
BoundingBoxAugment(Resize((3, 3)), 0)(i, b)
BoundingBoxAugment(VerticalFlip(), 1)(i, b[:1])
RandomHorizontalFlipWithBBox(1.0)(i, b.astype(np.float64))
RandomHorizontalFlipWithBBox(1.0)(i, b[:, :3])
RandomHorizontalFlipWithBBox(1.0)(i, b[0])
RandomHorizontalFlipWithBBox(1.0)(i, b + 9)
RandomHorizontalFlipWithBBox(1.0)(i, b - 3)
RandomHorizontalFlipWithBBox(1.0)(i)
RandomHorizontalFlipWithBBox(1.5)
RandomHorizontalFlipWithBBox('1')
RandomVerticalFlipWithBBox(-1)
ResizeWithBBox(0)
ResizeWithBBox(8, 'linear')
ResizeWithBBox('8')
RandomResizeWithBBox((1, 2, 3))
RandomResizeWithBBox(None)
RandomCropWithBBox(8, pad_if_needed=1)
RandomCropWithBBox(-8)
RandomCropWithBBox(8, padding='a')
RandomCropWithBBox(8, padding_mode='edge')
RandomResizedCropWithBBox(8, (2.0, 1.0))
RandomResizedCropWithBBox(8, max_attempts=0)
RandomResizedCropWithBBox(8, interpolation='linear')
BoundingBoxAugment(3)
BoundingBoxAugment(HorizontalFlip(), 2)
BoundingBoxAugment(HorizontalFlip(), 'a')""".splitlines()
BOXES = [[0, 0, 5, 6, 7], [3, 4, 8, 12, 1], [2.5, 1.25, 4.5, 3, 2]]


def record(out: Path) -> None:
    """Write ``vision_boxes.json`` and ``vision_boxes.npz``."""
    picture, boxes = image(), np.array(BOXES, np.float32)
    arrays: dict[str, np.ndarray] = {"i": picture, "b": boxes}
    layout: dict[str, Any] = {}
    for text in CALLS:
        try:
            found = eval(text, {**vars(vision), "i": picture.copy(), "b": boxes.copy(), "np": np})
        except Exception as error:
            layout[text] = {"error": type(error).__name__}
            continue
        layout[text] = {"first": len(arrays)} if isinstance(found, tuple) else {"taken": True}
        for part in found if isinstance(found, tuple) else ():
            arrays[f"a{len(arrays)}"] = np.asarray(part)
    np.savez_compressed(out / "vision_boxes.npz", **arrays)
    write_json(out / "vision_boxes.json", {"results": layout})
