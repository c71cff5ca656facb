"""Boxes in images: overlap, suppression, and their coding against anchors."""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.engine.arguments import check_choice
from sporax._src.engine.table import op

_REF = "references.image."
_BOXES = "D([[0, 0, 10, 10], [5, 5, 12, 12.0]]), D([[0, 0, 10, 10], [20, 20, 30, 30], [2, 2, 8, 8.0]])"


def _overlap(a: Array, b: Array, extra: float) -> tuple[Array, Array, Array]:
    """Return the areas that boxes a and b share, and their own areas; `extra` counts the last pixel."""
    low = jnp.maximum(a[:, None, :2], b[None, :, :2])
    high = jnp.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = jnp.prod(jnp.maximum(high - low + extra, 0), -1)
    return shared, jnp.prod(a[:, 2:] - a[:, :2] + extra, -1), jnp.prod(b[:, 2:] - b[:, :2] + extra, -1)


@op(
    ref=_REF + "iou",
    cases=(_BOXES, _BOXES + ", 'iof'"),
    errors=(("T(2, 4), T(3, 4), 'giou'", "mode"), ("T(2, 3), T(3, 4)", "shape")),
    grad=0,
    primitive="IOU(mode='iou')",
)
def iou(anchor_boxes: Array, gt_boxes: Array, mode: str = "iou") -> Array:
    """Return the overlap of each gt box with each anchor, shape (M, N).

    It is the shared area over the joint area, or in the mode "iof" over the area of the gt box.

    Args:
        anchor_boxes, gt_boxes: Tensors (N, 4) and (M, 4) of (x1, y1, x2, y2), the last pixels included.
        mode: "iou" or "iof".

    Raises:
        ValueError: If `mode` is another, or boxes do not have 4 columns.

    Examples:
        >>> ops.iou(Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([[0.0, 0.0, 9.0, 4.0]])).asnumpy()
        array([[0.5]], dtype=float32)
    """
    check_choice(mode, ("iou", "iof"), "mode")
    for b in (anchor_boxes, gt_boxes):
        if b.ndim != 2 or b.shape[1] != 4:
            raise ValueError(f"boxes must have shape [N, 4], got {list(b.shape)}.")
    shared, of_gt, of_anchor = _overlap(gt_boxes, anchor_boxes, 1.0)
    whole = of_gt[:, None] if mode == "iof" else of_gt[:, None] + of_anchor[None] - shared
    return shared / whole


@op(
    ref=_REF + "nms_with_mask",
    cases=(
        "D([[0, 0, 10, 10, 0.5], [1, 1, 10, 10, 0.9], [20, 20, 30, 30, 0.7]])",
        "D([[0, 0, 10, 10, 0.5], [4, 4, 14, 14, 0.9], [5, 5, 12, 12, 0.7]]), 0.1",
    ),
    grad=0,
    name="_nms_with_mask",
    errors=(("T(2, 4)", "shape"), ("T(2, 5), 1.5", "iou_threshold")),
    primitive="NMSWithMask(iou_threshold=0.5)",
)
def nms_with_mask(bboxes: Array, iou_threshold: float = 0.5) -> tuple[Array, Array, Array]:
    """Return the boxes by falling score, their indices in that order (int32), and which are selected.

    A box is suppressed if a selected box of a higher score overlaps it by more than the threshold.

    Args:
        bboxes: A Tensor (N, 5) of (x1, y1, x2, y2, score).
        iou_threshold: In [0, 1].

    Raises:
        ValueError: If `bboxes` has another shape, or `iou_threshold` is out of range.

    Examples:
        >>> boxes = Tensor([[0.0, 0.0, 10.0, 10.0, 0.5], [1.0, 1.0, 10.0, 10.0, 0.75]])
        >>> _, indices, stays = ops.NMSWithMask()(boxes)
        >>> indices.asnumpy(), stays.asnumpy()
        (array([0, 1], dtype=int32), array([ True, False]))
    """
    if bboxes.ndim != 2 or bboxes.shape[1] != 5:
        raise ValueError(f"bboxes must have shape [N, 5], got {list(bboxes.shape)}.")
    if not 0 <= iou_threshold <= 1:
        raise ValueError(f"iou_threshold must be in [0, 1], got {iou_threshold}.")
    count = bboxes.shape[0]
    sorted_boxes = bboxes[jnp.argsort(-bboxes[:, 4], stable=True)]
    corners = jnp.concatenate(
        [
            jnp.minimum(sorted_boxes[:, :2], sorted_boxes[:, 2:4]),
            jnp.maximum(sorted_boxes[:, :2], sorted_boxes[:, 2:4]),
        ],
        1,
    )
    shared, area, _ = _overlap(corners, corners, 0.0)
    later = jnp.arange(count)[:, None] < jnp.arange(count)
    covers = (shared > iou_threshold * (area[:, None] + area[None] - shared)) & later
    keep = lax.fori_loop(0, count, lambda i, retained: retained & ~(covers[i] & retained[i]), jnp.ones(count, bool))
    return sorted_boxes, jnp.arange(count, dtype=jnp.int32), keep


def _centred(boxes: Array) -> tuple[Array, Array]:
    """Return centres and sizes of boxes (x1, y1, x2, y2), the last pixels included."""
    return (boxes[:, :2] + boxes[:, 2:]) * 0.5, boxes[:, 2:] - boxes[:, :2] + 1


@op(
    ref=_REF + "bounding_box_encode",
    cases=(
        "D([[2, 2, 2, 3], [2, 2, 2, 3.0]]), D([[1, 2, 1, 4], [1, 2, 5, 4.0]]), (0.0, 0.0, 0.1, 0.0), (0.1, "
        "0.1, 0.2, 0.2)",
    ),
    errors=(("T(2, 4), T(3, 4), (0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0)", "shape"),),
)
def bounding_box_encode(
    anchor_box: Array, groundtruth_box: Array, means: Static = (0.0, 0.0, 0.0, 0.0), stds: Static = (1.0, 1.0, 1.0, 1.0)
) -> Array:
    """Return ((offset of centres) / size, ln(size ratio)) of gt boxes against anchors, minus means, over stds.

    From Girshick et al. (2014), Rich Feature Hierarchies for Object Detection.

    Args:
        anchor_box, groundtruth_box: Tensors (N, 4) of (x1, y1, x2, y2).
        means, stds: Four numbers each.

    Returns:
        A Tensor (N, 4) of (dx, dy, dw, dh).

    Raises:
        ValueError: If the shapes differ.

    Examples:
        >>> box = Tensor([[0.0, 0.0, 9.0, 9.0]])
        >>> ops.bounding_box_encode(box, box + 5, (0.0,) * 4, (1.0,) * 4).asnumpy()
        array([[0.5, 0.5, 0. , 0. ]], dtype=float32)
    """
    if anchor_box.shape != groundtruth_box.shape:
        raise ValueError(
            f"groundtruth_box must have the shape of anchor_box {list(anchor_box.shape)}, got {list(groundtruth_box.shape)}."
        )
    centre, size = _centred(anchor_box)
    gt_centre, gt_size = _centred(groundtruth_box)
    deltas = jnp.concatenate([(gt_centre - centre) / size, jnp.log(gt_size / size)], 1)
    return (deltas - jnp.asarray(means, deltas.dtype)) / jnp.asarray(stds, deltas.dtype)


@op(
    ref=_REF + "bounding_box_decode",
    cases=(
        "D([[4, 1, 6, 1], [2, 2, 2, 3.0]]), D([[0.3, 0.1, 0.2, 0.2], [0.1, 0.2, 0.1, 5.0]]), (76, 128), (0.0, "
        "0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0), 0.016",
    ),
    errors=(("T(2, 4), T(3, 4), (8, 8), (0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0), 0.016", "shape"),),
)
def bounding_box_decode(
    anchor_box: Array,
    deltas: Array,
    max_shape: Static,
    means: Static = (0.0, 0.0, 0.0, 0.0),
    stds: Static = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Array:
    """Return the boxes that deltas make of anchors, clipped to an image of max_shape (height, width).

    The inverse of `bounding_box_encode`.

    Args:
        anchor_box: A Tensor (N, 4) of (x1, y1, x2, y2).
        deltas: A Tensor (N, 4) of (dx, dy, dw, dh).
        max_shape: The (height, width) of the image.
        means, stds: Four numbers each: deltas are multiplied by stds, then means are added.
        wh_ratio_clip: Sizes change at most by this factor or its inverse.

    Returns:
        A Tensor (N, 4) of (x1, y1, x2, y2).

    Raises:
        ValueError: If the shapes differ.

    Examples:
        >>> box, deltas = Tensor([[0.0, 0.0, 9.0, 9.0]]), Tensor([[0.5, 0.5, 0.0, 0.0]])
        >>> ops.bounding_box_decode(box, deltas, (20, 20), (0.0,) * 4, (1.0,) * 4, 0.016).asnumpy()
        array([[ 5.,  5., 14., 14.]], dtype=float32)
    """
    if anchor_box.shape != deltas.shape:
        raise ValueError(
            f"deltas must have the shape of anchor_box {list(anchor_box.shape)}, got {list(deltas.shape)}."
        )
    deltas = deltas * jnp.asarray(stds, deltas.dtype) + jnp.asarray(means, deltas.dtype)
    centre, size = _centred(anchor_box)
    most = abs(math.log(wh_ratio_clip))
    new_centre, new_size = centre + size * deltas[:, :2], size * jnp.exp(jnp.clip(deltas[:, 2:], -most, most))
    limits = jnp.asarray((max_shape[1] - 1, max_shape[0] - 1), deltas.dtype)
    low, high = new_centre - new_size * 0.5 + 0.5, new_centre + new_size * 0.5 - 0.5
    return jnp.concatenate([jnp.clip(low, 0, limits), jnp.clip(high, 0, limits)], 1)


@op(
    ref=_REF + "check_valid",
    cases=("D([[0, 0, 5, 5], [0, 0, 30, 30], [-1, 0, 3, 3.0]]), D([20, 20, 1.0])",),
    errors=(("T(2, 3), T(3)", "shape"),),
    grad=0,
    primitive="CheckValid()",
)
def check_valid(bboxes: Array, img_metas: Array) -> Array:
    """Return which boxes (N, 4) lie inside of an image whose (height, width, ratio) img_metas holds.

    Args:
        bboxes: A Tensor (N, 4) of (x1, y1, x2, y2).
        img_metas: A Tensor (3,): the height and width of the image, and the ratio that scales both.

    Returns:
        A bool Tensor (N,).

    Raises:
        ValueError: If boxes do not have 4 columns.

    Examples:
        >>> ops.check_valid(Tensor([[0.0, 0.0, 5.0, 5.0], [0.0, 0.0, 30.0, 5.0]]), Tensor([20.0, 20.0, 1.0])).asnumpy()
        array([ True, False])
    """
    if bboxes.ndim != 2 or bboxes.shape[1] != 4:
        raise ValueError(f"bboxes must have shape [N, 4], got {list(bboxes.shape)}.")
    limit = jnp.stack([img_metas[1], img_metas[0]]) * img_metas[2] - 1
    return jnp.all(bboxes[:, :2] >= 0, 1) & jnp.all(bboxes[:, 2:] <= limit, 1)


primitives(
    """\
BoundingBoxEncode(means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0))(anchor_box, groundtruth_box) -> \
bounding_box_encode(anchor_box, groundtruth_box, means, stds)
BoundingBoxDecode(max_shape, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0), wh_ratio_clip=0.016)\
(anchor_box, deltas) -> bounding_box_decode(anchor_box, deltas, max_shape, means, stds, wh_ratio_clip)
""",
    globals(),
)
