"""Boxes of detection, by hand: the tests do not have torchvision."""

import numpy as np

from sporax import Tensor
from sporax._src.migrate.helpers.nn import boxes

BOXES = Tensor(np.array([[0, 0, 4, 4], [1, 1, 5, 5], [6, 6, 8, 9]], np.float32))


def test_overlap():
    iou = boxes._box_iou(BOXES, BOXES).asnumpy()
    np.testing.assert_allclose(iou, [[1, 9 / 23, 0], [9 / 23, 1, 0], [0, 0, 1]], rtol=1e-6)


def test_forms_of_boxes():
    there = boxes._box_convert(BOXES, "xyxy", "cxcywh")
    np.testing.assert_allclose(there.asnumpy()[2], [7, 7.5, 2, 3])
    np.testing.assert_allclose(boxes._box_convert(there, "cxcywh", "xyxy").asnumpy(), BOXES.asnumpy())
    np.testing.assert_allclose(boxes._box_convert(BOXES, "xyxy", "xywh").asnumpy()[1], [1, 1, 4, 4])
    np.testing.assert_allclose(boxes._clip_boxes(BOXES, (7, 6)).asnumpy()[2], [6, 6, 6, 7])


def test_suppression():
    scores = Tensor(np.array([0.5, 0.9, 0.1], np.float32))
    assert boxes._nms(BOXES, scores, 0.3).asnumpy().tolist() == [1, 2]
    assert boxes._nms(BOXES, scores, 0.5).asnumpy().tolist() == [1, 0, 2]
    classes = Tensor(np.array([0, 1, 1], np.int64))
    assert boxes._batched_nms(BOXES, scores, classes, 0.3).asnumpy().tolist() == [1, 0, 2]


def test_focal_loss():
    logits, targets = Tensor([0.5, -1.0]), Tensor([1.0, 0.0])
    p = 1 / (1 + np.exp([-0.5, 1.0]))
    expected = [0.25 * (1 - p[0]) ** 2 * -np.log(p[0]), 0.75 * p[1] ** 2 * -np.log(1 - p[1])]
    loss = boxes._sigmoid_focal_loss(logits, targets)
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-5)
