"""Boxes of detection, as `torchvision.ops` has them."""

import numpy as np

import sporax as mindspore
from sporax import mint, ops


def _box_area(boxes):
    """Return the areas of boxes given by their corners."""
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _box_iou(boxes1, boxes2):
    """Return the intersection of each pair of boxes divided by their union."""
    low = mint.maximum(boxes1[:, None, :2], boxes2[:, :2])
    high = mint.minimum(boxes1[:, None, 2:], boxes2[:, 2:])
    sides = (high - low).clamp(min=0)
    overlap = sides[:, :, 0] * sides[:, :, 1]
    return overlap / (_box_area(boxes1)[:, None] + _box_area(boxes2) - overlap)


def _box_convert(boxes, in_fmt, out_fmt):
    """Return boxes in another form: corners, corner and size, or center and size."""
    a, b, c, d = (boxes[..., i] for i in range(4))
    if in_fmt == "xywh":
        a, b, c, d = a, b, a + c, b + d
    elif in_fmt == "cxcywh":
        a, b, c, d = a - 0.5 * c, b - 0.5 * d, a + 0.5 * c, b + 0.5 * d
    if out_fmt == "xywh":
        c, d = c - a, d - b
    elif out_fmt == "cxcywh":
        a, b, c, d = (a + c) / 2, (b + d) / 2, c - a, d - b
    return ops.stack([a, b, c, d], -1)


def _clip_boxes(boxes, size):
    """Clip boxes to an image."""
    height, width = size
    parts = [boxes[..., i].clamp(min=0, max=height if i % 2 else width) for i in range(4)]
    return ops.stack(parts, -1)


def _nms(boxes, scores, iou_threshold):
    """Return the indices of the boxes to keep, best first: those that do not overlap a better one too much."""
    overlaps = _box_iou(boxes, boxes).asnumpy() > iou_threshold
    indices = []
    for i in np.argsort(-scores.asnumpy(), kind="stable"):
        if not overlaps[i, indices].any():
            indices.append(int(i))
    return mindspore.Tensor(np.array(indices, np.int64))


def _batched_nms(boxes, scores, idxs, iou_threshold):
    """Return the indices of the boxes to keep: those that do not overlap a better one of their class too much."""
    apart = (idxs.to(boxes.dtype) * (boxes.max() + 1)).unsqueeze(1)
    return _nms(boxes + apart, scores, iou_threshold)


def _sigmoid_focal_loss(inputs, targets, alpha=0.25, gamma=2, reduction="none"):
    """Return the focal loss: a cross entropy that counts good predictions less."""
    p = ops.sigmoid(inputs)
    loss = mint.nn.functional.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    loss = loss * (1 - (p * targets + (1 - p) * (1 - targets))) ** gamma
    if alpha >= 0:
        loss = (alpha * targets + (1 - alpha) * (1 - targets)) * loss
    return {"none": lambda: loss, "mean": loss.mean, "sum": loss.sum}[reduction]()
