"""Choosing among boxes: suppression of overlaps, overlaps of turned boxes, and boxes drawn for distortion."""

import numpy as np
import pytest
from laws.rows import laws_of
from operands import T

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.image.nms")


def test_drawn_boxes(run):
    """Each is within the ranges, and covers what it must."""
    size, box = Tensor([640, 480, 3], ms.int32), np.array([0.38, 0.17, 0.95, 0.40], np.float32)
    op = ops.SampleDistortedBoundingBoxV2(aspect_ratio_range=(0.75, 1.33), area_range=(0.1, 0.9))
    for _ in range(10):
        begin, extent, drawn = run(op, size, Tensor(box[None, None]), Tensor([0.5]))
        (y, x, z), (h, w, depth) = begin.asnumpy().tolist(), extent.asnumpy().tolist()
        assert (z, depth) == (0, -1) and 0 <= y <= 640 - h and 0 <= x <= 480 - w
        assert 0.74 <= w / h <= 1.34 and 0.1 <= h * w / 640 / 480 <= 0.9
        np.testing.assert_allclose(drawn.asnumpy().ravel(), [y / 640, x / 480, (y + h) / 640, (x + w) / 480], rtol=1e-6)
        low, high = np.maximum(drawn.asnumpy()[0, 0, :2], box[:2]), np.minimum(drawn.asnumpy()[0, 0, 2:], box[2:])
        assert np.prod(high - low) >= 0.5 * np.prod(box[2:] - box[:2]) - 1e-6


def test_drawn_boxes_without_boxes():
    size, none = Tensor([8, 8, 3], ms.int32), Tensor(np.zeros((1, 0, 4), np.float32))
    op = ops.SampleDistortedBoundingBoxV2(max_attempts=1, area_range=(0.98, 0.99), use_image_if_no_bounding_boxes=True)
    assert op(size, none, Tensor([1.0]))[1].asnumpy().tolist() == [8, 8, -1]
    with pytest.raises(ValueError, match="there are no bounding_boxes"):
        ops.SampleDistortedBoundingBoxV2()(size, none, Tensor([1.0]))
    with pytest.raises(ValueError, match=r"image_size must have shape \[3\]"):
        ops.SampleDistortedBoundingBoxV2()(none, none, none)
    with pytest.raises(ValueError, match=r"bounding_boxes must have shape \[batch, N, 4\]"):
        ops.SampleDistortedBoundingBoxV2()(size, size, size)
    with pytest.raises(ValueError, match="area_range must be two rising positive numbers"):
        ops.SampleDistortedBoundingBoxV2(area_range=(0.5, 0.5))(size, T(1, 1, 4), Tensor([1.0]))
