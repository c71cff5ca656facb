"""Pictures with boxes drawn on them; needs ``opencv-python-headless`` beside MindSpore."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from mindspore.dataset.utils import imshow_det_bbox

from .common import write_json

CALLS = """imshow_det_bbox(image, boxes, labels, class_names=['a', 'b'], show=False, out_file=out)
imshow_det_bbox(image.transpose(2, 0, 1), boxes, labels, class_names={1: 'b'}, show=False, out_file=out, thickness=1)
imshow_det_bbox(image, scored, labels, masks, ['a', 'b', 'c', 'd', 'e', 'f'], 0.5, show=False, out_file=out)
imshow_det_bbox(image, None, None, masks, [], mask_color=(9, 200, 31), show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, masks, (), 0, (1, 2, 3), (4, 5, 6), (7, 8, 9), 3, 1, False, 'w', 1, out)
imshow_det_bbox(3, boxes, labels, class_names=[], show=False, out_file=out)
imshow_det_bbox(image[..., :2], boxes, labels, class_names=[], show=False, out_file=out)
imshow_det_bbox(image, boxes[0], labels, class_names=[], show=False, out_file=out)
imshow_det_bbox(image, boxes, labels[:1], class_names=[], show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, masks[:1], [], show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, masks[:, 1:], [], show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=3, show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], score_threshold=0.5, show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], bbox_color=3, show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], text_color=(1, 2), show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], mask_color=[1, 2, 3], show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], thickness=-1, show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], font_size='a', show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], show=3, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], win_name=3, show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], wait_time=-1, show=False, out_file=out)
imshow_det_bbox(image, boxes, labels, class_names=[], show=False)
imshow_det_bbox(image, boxes, labels, class_names=[], show=False, out_file=3)""".splitlines()


def inputs() -> dict[str, Any]:
    """Return what the calls name."""
    y, x = np.mgrid[:40, :60]
    masks = np.stack([(x + y) % 9 == 0, x > 45])
    return {
        "image": np.stack([x * 4, y * 6, x + y], -1).astype(np.uint8), "boxes": np.array([[5, 6, 20, 15], [30.7, 10, 9, 25]]),
        "scored": np.array([[5, 6, 20, 15, 0.75], [30.7, 10, 9, 25, 0.25]]), "labels": np.array([[1], [5]]), "masks": masks,
    }  # fmt: skip


def record(out: Path) -> None:
    """Write ``drawn_boxes.json``."""
    names = {**inputs(), "imshow_det_bbox": imshow_det_bbox, "out": str(Path(tempfile.mkdtemp()) / "a.png")}
    results: dict[str, Any] = {}
    for call in CALLS:
        try:
            results[call] = eval(call, names).tobytes().hex()
        except Exception as error:
            results[call] = {"error": type(error).__name__}
    write_json(out / "drawn_boxes.json", results)
