"""Operations on images with bounding boxes: MindSpore's results, and boxes that stay inside."""

import json
from pathlib import Path

import numpy as np
import pytest

from sporax.dataset import vision

FOLDER = Path(__file__).parents[2] / "goldens"
ARRAYS = np.load(FOLDER / "vision_boxes.npz")
GOLDENS = json.loads((FOLDER / "vision_boxes.json").read_text(encoding="utf-8"))["results"]
NAMES = {**vars(vision), "i": ARRAYS["i"], "b": ARRAYS["b"], "np": np}


@pytest.mark.parametrize("call", sorted(GOLDENS))
def test_results_and_errors_are_mindspores(call: str) -> None:
    expected = GOLDENS[call]
    if "error" in expected:
        kinds = {"TypeError": TypeError, "ValueError": ValueError, "RuntimeError": RuntimeError, "KeyError": KeyError}
        with pytest.raises(kinds[expected["error"]]):
            eval(call, dict(NAMES))
        return
    found = eval(call, dict(NAMES))
    for place, part in enumerate(found if "first" in expected else (), expected.get("first", 0)):
        want = ARRAYS[f"a{place}"]
        assert (part.shape, part.dtype) == (want.shape, want.dtype)
        np.testing.assert_allclose(part, want, rtol=1e-6, atol=1e-6 if part.dtype.kind == "f" else 0)


@pytest.mark.parametrize(
    "operation",
    [vision.RandomCropWithBBox((5, 4)), vision.RandomResizedCropWithBBox((16, 12)), vision.RandomResizeWithBBox(7)],
)
def test_boxes_stay_inside_and_keep_what_follows(operation: vision.RandomCropWithBBox) -> None:
    for _ in range(20):
        image, boxes = operation(ARRAYS["i"], ARRAYS["b"])
        ends = boxes[:, :2] + boxes[:, 2:4]
        assert boxes.dtype == np.float32 and (boxes[:, :4] >= 0).all()
        assert (ends <= np.array(image.shape[1::-1]) + 1e-4).all()
        assert set(boxes[:, 4]) <= set(ARRAYS["b"][:, 4])
