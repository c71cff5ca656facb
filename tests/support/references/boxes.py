"""References for suppression of boxes and overlaps of turned ones."""

from __future__ import annotations

import numpy as np


def _iou(a, b):
    (ya, xa, yb, xb), (yc, xc, yd, xd) = (
        [min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])] for v in (a, b)
    )
    shared = max(min(yb, yd) - max(ya, yc), 0) * max(min(xb, xd) - max(xa, xc), 0)
    areas = ((yb - ya) * (xb - xa), (yd - yc) * (xd - xc))
    return shared / (sum(areas) - shared) if min(areas) > 0 else 0


def _choose(overlap, scores, limit, threshold, least):
    kept = []
    for i in sorted(range(len(scores)), key=lambda i: -scores[i]):
        if len(kept) < limit and scores[i] > least and all(overlap(k, i) <= threshold for k in kept):
            kept.append(i)
    return kept


def nms(boxes, scores, limit, threshold, least):
    return np.array(_choose(lambda i, j: _iou(boxes[i], boxes[j]), scores, limit, threshold, least), np.int32)


def nms_with_overlaps(overlaps, scores, limit, threshold, least):
    return np.array(_choose(lambda i, j: overlaps[i, j], scores, limit, threshold, least), np.int32)


def combined_nms(boxes, scores, each, total, threshold, least, pad=False, clip=True):
    n, _, classes = scores.shape
    total = min(total, each * classes) if pad else total
    out = np.zeros((n, total, 4), np.float32)
    values, kinds, counts = np.zeros((n, total), np.float32), np.zeros((n, total), np.float32), np.zeros(n, np.int32)
    for b in range(n):
        found = []
        for c in range(classes):
            own = boxes[b, :, min(c, boxes.shape[2] - 1)]
            found += [(scores[b, i, c], c, own[i]) for i in nms(own, scores[b, :, c], each, threshold, least)]
        found.sort(key=lambda f: -f[0])
        counts[b] = min(len(found), total)
        for i, (score, c, box) in enumerate(found[:total]):
            out[b, i], values[b, i], kinds[b, i] = np.clip(box, 0, 1) if clip else box, score, c
    return out, values, kinds, counts


def _polygon(box, trans):
    if trans:
        box = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, box[2] - box[0], box[3] - box[1], box[4]]
    a = np.deg2rad(box[4])
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    return [turn @ (np.array(s) * box[2:4] / 2) + box[:2] for s in ((-1, -1), (1, -1), (1, 1), (-1, 1))], box[2] * box[
        3
    ]


def _clip(subject, clip):
    """Cut a polygon by each edge of a convex one in turn."""
    for a, b in zip(clip, clip[1:] + clip[:1], strict=True):
        side = [(b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) for p in subject]
        cut = []
        for i, p in enumerate(subject):
            q, s, t = subject[i - 1], side[i - 1], side[i]
            if (s < 0) != (t < 0):
                cut.append(q + (p - q) * s / (s - t))
            if t >= 0:
                cut.append(p)
        subject = cut
        if not subject:
            return 0.0
    x, y = np.array(subject).T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def rotated_iou(boxes, others, trans=False, mode=0, is_cross=True):
    def ratio(a, b):
        (p, of_p), (q, of_q) = _polygon(a, trans), _polygon(b, trans)
        shared = _clip(p, q)
        return shared / (of_p if mode == 1 else of_p + of_q - shared)

    if not is_cross:
        return np.array(
            [[ratio(a, b) for a, b in zip(x, y, strict=True)] for x, y in zip(boxes, others, strict=True)], np.float32
        )
    return np.array([[[ratio(a, b) for b in y] for a in x] for x, y in zip(boxes, others, strict=True)], np.float32)
