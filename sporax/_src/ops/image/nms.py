"""Choosing among boxes: suppression of overlaps, overlaps of turned boxes, and boxes drawn for distortion."""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, Key, Static
from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import wide
from sporax._src.engine.table import composite, internal, op

_REF = "references.boxes."


# --- suppression -----------------------------------------------------------------------------------------------------


def _corners(boxes: Array) -> Array:
    """Return boxes (..., 4), given by two opposite corners, by their low and high ones."""
    return jnp.concatenate(
        [jnp.minimum(boxes[..., :2], boxes[..., 2:]), jnp.maximum(boxes[..., :2], boxes[..., 2:])], -1
    )


def _overlaps(boxes: Array) -> Array:
    """Return the shared over the joint area of each pair of boxes (N, 4); 0 where a box has no area."""
    boxes = _corners(boxes)
    low = jnp.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = jnp.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = jnp.prod(jnp.maximum(high - low, 0), -1)
    area = jnp.prod(boxes[:, 2:] - boxes[:, :2], -1)
    joint = area[:, None] + area[None] - shared
    return jnp.where((area[:, None] > 0) & (area[None] > 0), shared / jnp.where(joint > 0, joint, 1), 0)


def _greedy(overlaps: Array, scores: Array, limit: Any, threshold: Any, least: Any) -> tuple[Array, Array]:
    """Return the boxes by falling score, and which are selected: at most `limit`, none overlapping an earlier one."""
    order = jnp.argsort(-scores, stable=True)
    covers = (overlaps > threshold)[order][:, order]
    count = scores.shape[0]

    def step(i: object, state: tuple[Array, Array]) -> tuple[Array, Array]:
        alive, selected = state
        stays = alive[i] & (jnp.sum(selected) < limit)
        return alive & ~(covers[i] & stays), selected.at[i].set(stays)

    start = (scores[order] > least, jnp.zeros(count, bool))
    return order, lax.fori_loop(0, count, step, start)[1]


@internal("NonMaxSuppressionV3")
def _chosen(boxes: Array, scores: Array, limit: Array, threshold: Array, least: Array) -> tuple[Array, Array]:
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise ValueError(
            f"boxes must have shape [N, 4] and scores [N], got {list(boxes.shape)} and {list(scores.shape)}."
        )
    return _greedy(_overlaps(boxes), scores, limit, threshold, least)


@internal("NonMaxSuppressionWithOverlaps")
def _chosen_by(overlaps: Array, scores: Array, limit: Array, threshold: Array, least: Array) -> tuple[Array, Array]:
    if overlaps.ndim != 2 or overlaps.shape != scores.shape * 2:
        raise ValueError(
            f"overlaps must have shape [N, N] and scores [N], got {list(overlaps.shape)} and {list(scores.shape)}."
        )
    return _greedy(overlaps, scores, limit, threshold, least)


def _picked(order: Tensor, selected: Tensor) -> Tensor:
    return Tensor(order.asnumpy()[selected.asnumpy()].astype("int32"))


_BOXES = "D([[0, 0, 4, 4], [0, 0, 4, 5], [6, 6, 9, 9], [9, 9, 6, 6.5]]), D([0.5, 0.9, 0.7, 0.2])"


@composite(
    ref=_REF + "nms",
    cases=(_BOXES + ", 3, 0.5, 0.1", _BOXES + ", 1, 0.5, 0.1", _BOXES + ", 4, 0.9, 0.4"),
    errors=(("T(3, 5), T(3), 2, 0.5, 0.0", "boxes must"),),
    grad=0,
    jit=False,
    name="_non_max_suppression",
    primitive="NonMaxSuppressionV3()",
)
def non_max_suppression(
    boxes: Tensor, scores: Tensor, max_output_size: object, iou_threshold: object, score_threshold: object
) -> Tensor:
    """Return the indices (int32) of boxes by falling score, without those that overlap one before them.

    Args:
        boxes: Two opposite corners (y, x) of each box (N, 4).
        scores: A Tensor (N,).
        max_output_size: The number of boxes returned at most.
        iou_threshold: A box goes if its shared over joint area with one that stays is above this.
        score_threshold: Boxes with scores up to this are not considered.

    Raises:
        ValueError: If the shapes are others.

    Examples:
        >>> boxes = Tensor([[0.0, 0.0, 4.0, 4.0], [0.0, 0.0, 4.0, 5.0], [6.0, 6.0, 9.0, 9.0]])
        >>> ops.NonMaxSuppressionV3()(boxes, Tensor([0.5, 0.9, 0.7]), 2, 0.5, 0.0).asnumpy()
        array([1, 2], dtype=int32)
    """
    return _picked(*_chosen(boxes, scores, max_output_size, iou_threshold, score_threshold))


@composite(
    ref=_REF + "nms_with_overlaps",
    cases=("U(5, 5), U(5), 4, 0.5, 0.2", "U(5, 5), U(5), 2, 0.9, 0.3"),
    errors=(("T(3, 5), T(3), 2, 0.5, 0.0", "overlaps must"),),
    grad=0,
    jit=False,
    name="_non_max_suppression_with_overlaps",
    primitive="NonMaxSuppressionWithOverlaps()",
)
def non_max_suppression_with_overlaps(
    overlaps: Tensor, scores: Tensor, max_output_size: object, overlap_threshold: object, score_threshold: object
) -> Tensor:
    """Return the indices (int32) of boxes by falling score, without those that overlap one before them.

    Args:
        overlaps: The overlap of each pair of boxes (N, N).
        scores: A Tensor (N,).
        max_output_size: The number of boxes returned at most.
        overlap_threshold: A box goes if its overlap with one that stays is above this.
        score_threshold: Boxes with scores up to this are not considered.

    Raises:
        ValueError: If the shapes are others.

    Examples:
        >>> overlaps = Tensor([[1.0, 0.8, 0.0], [0.8, 1.0, 0.0], [0.0, 0.0, 1.0]])
        >>> ops.NonMaxSuppressionWithOverlaps()(overlaps, Tensor([0.5, 0.9, 0.7]), 2, 0.5, 0.0).asnumpy()
        array([1, 2], dtype=int32)
    """
    return _picked(*_chosen_by(overlaps, scores, max_output_size, overlap_threshold, score_threshold))


@op(
    ref=_REF + "combined_nms",
    cases=(
        "U(2, 6, 1, 4), U(2, 6, 3), 2, 5, 0.3, 0.2",
        "U(2, 6, 3, 4), U(2, 6, 3), 2, 9, 0.3, 0.2, True",
        "P(1, 4, 2, 4), U(1, 4, 2), 4, 6, 0.5, 0.3, False, False",
    ),
    errors=(
        ("U(2, 6, 4), U(2, 6, 3), 2, 5, 0.3, 0.2", "boxes must"),
        ("U(2, 6, 2, 4), U(2, 6, 3), 2, 5, 0.3, 0.2", "boxes must"),
    ),
    grad=0,
    name="_combined_nms",
    primitive="CombinedNonMaxSuppression(pad_per_class=False, clip_boxes=True)",
)
def combined_nms(
    boxes: Array,
    scores: Array,
    max_output_size_per_class: Static,
    max_total_size: Static,
    iou_threshold: Array,
    score_threshold: Array,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> tuple[Array, Array, Array, Array]:
    """Return boxes (N, M, 4), scores and classes (N, M) that suppression within each class leaves, and their numbers (N,).

    Args:
        boxes: Two opposite corners of each box (N, boxes, classes or 1, 4).
        scores: A Tensor (N, boxes, classes).
        max_output_size_per_class: The number of boxes of one class at most.
        max_total_size: M, the number of boxes of an image at most; the rest of the results is 0.
        iou_threshold, score_threshold: As for `NonMaxSuppressionV3`.
        pad_per_class: Whether M is at most `max_output_size_per_class` for each class.
        clip_boxes: Whether boxes are cut to [0, 1].

    Raises:
        ValueError: If the shapes are others.

    Examples:
        >>> boxes, scores = Tensor([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 0.5, 0.5]]]]), Tensor([[[0.9], [0.8]]])
        >>> ops.CombinedNonMaxSuppression()(boxes, scores, 2, 2, 0.5, 0.1)[3].asnumpy()
        array([2], dtype=int32)
    """
    if boxes.ndim != 4 or scores.ndim != 3 or boxes.shape[2] not in (1, scores.shape[2]) or boxes.shape[3] != 4:
        raise ValueError(
            f"boxes must have shape [N, boxes, classes or 1, 4] and scores [N, boxes, classes], got {list(boxes.shape)} and "
            f"{list(scores.shape)}."
        )
    count, classes = scores.shape[1:]
    each = min(int(max_output_size_per_class), count)
    total = int(max_total_size)
    if pad_per_class:
        total = min(total, int(max_output_size_per_class) * classes)

    def one_class(own: Array, score: Array) -> tuple[Array, Array]:
        order, selected = _greedy(_overlaps(own), score, each, iou_threshold, score_threshold)
        return own[order], jnp.where(selected, score[order], -jnp.inf)

    def image(own: Array, score: Array) -> tuple[Array, Array, Array, Array]:
        shared = jnp.broadcast_to(own, (count, classes, 4))
        chosen, values = jax.vmap(one_class, (1, 1))(shared, score)
        flat = values.reshape(-1)
        best = jnp.argsort(-flat, stable=True)[:total]
        best = jnp.pad(best, (0, total - best.shape[0]))
        valid = jnp.arange(total) < jnp.minimum(jnp.sum(flat > -jnp.inf), total)
        picked = chosen.reshape(-1, 4)[best]
        picked = jnp.clip(picked, 0, 1) if clip_boxes else picked
        kind = (best // count).astype(score.dtype)
        out = (jnp.where(valid[:, None], picked, 0), jnp.where(valid, flat[best], 0), jnp.where(valid, kind, 0))
        return *out, jnp.sum(valid).astype(jnp.int32)

    return jax.vmap(image)(boxes, scores)


# --- turned boxes ----------------------------------------------------------------------------------------------------


def _polygon(box: Array, trans: bool) -> tuple[Array, Array]:
    """Return the corners (..., 4, 2) of boxes (x, y, w, h, degrees), or (x₁, y₁, x₂, y₂, degrees), and their areas."""
    if trans:
        middle, size = (box[..., :2] + box[..., 2:4]) / 2, box[..., 2:4] - box[..., :2]
    else:
        middle, size = box[..., :2], box[..., 2:4]
    angle = box[..., 4, None] * (math.pi / 180)
    signs = jnp.asarray([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]], box.dtype)
    at = size[..., None, :] * signs
    x, y = at[..., 0], at[..., 1]
    turned = jnp.stack([x * jnp.cos(angle) - y * jnp.sin(angle), x * jnp.sin(angle) + y * jnp.cos(angle)], -1)
    return middle[..., None, :] + turned, size[..., 0] * size[..., 1]


def _cross(a: Array, b: Array) -> Array:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _inside(points: Array, polygon: Array, slack: float) -> Array:
    """Return which points (4, 2) lie in a convex polygon (4, 2)."""
    edge = jnp.roll(polygon, -1, 0) - polygon
    side = _cross(edge[None], points[:, None] - polygon[None])
    return jnp.all(side >= -slack, 1) | jnp.all(side <= slack, 1)


def _shared_area(p: Array, q: Array, v_slack: float, e_slack: float) -> Array:
    """Return the shared area of two convex polygons (4, 2): the hull of crossings and of corners inside the other."""
    dp, dq = jnp.roll(p, -1, 0) - p, jnp.roll(q, -1, 0) - q
    det = _cross(dp[:, None], dq[None])
    gap = q[None] - p[:, None]
    safe = jnp.where(det == 0, 1, det)
    t, u = _cross(gap, dq[None]) / safe, _cross(gap, dp[:, None]) / safe
    crosses = (det != 0) & (t >= -e_slack) & (t <= 1 + e_slack) & (u >= -e_slack) & (u <= 1 + e_slack)
    points = jnp.concatenate([p, q, (p[:, None] + t[..., None] * dp[:, None]).reshape(-1, 2)])
    used = jnp.concatenate([_inside(p, q, v_slack), _inside(q, p, v_slack), crosses.reshape(-1)])
    middle = jnp.sum(jnp.where(used[:, None], points, 0), 0) / jnp.maximum(jnp.sum(used), 1).astype(p.dtype)
    from_middle = jnp.where(used[:, None], points - middle, 0)
    angle = jnp.where(used, jnp.arctan2(from_middle[:, 1], from_middle[:, 0]), jnp.inf)
    order = jnp.argsort(angle)
    ring, live = from_middle[order], used[order]
    ring = jnp.where(live[:, None], ring, ring[0])
    return jnp.abs(jnp.sum(_cross(ring, jnp.roll(ring, -1, 0)))) / 2


@op(
    ref=_REF + "rotated_iou",
    cases=(
        "D([[[2, 2, 2, 3, 30], [0, 0, 4, 2, -45.0]]]), D([[[2, 2, 3, 2, 75], [1, 0, 2, 2, 10], [9, 9, 1, 1, 0.0]]])",
        "D([[[1, 1, 3, 4, 20.0]]]), D([[[0, 0, 4, 3, 0.0]]]), True, 1",
        "D([[[2, 2, 2, 3, 30], [0, 0, 4, 2, -45.0]]]), D([[[2, 2, 3, 2, 75], [1, 0, 2, 2, 10.0]]]), is_cross=False",
    ),
    errors=(("T(2, 5), T(2, 5)", "boxes must"), ("T(1, 2, 5), T(1, 3, 5), is_cross=False", "as many")),
    grad=0,
    tol=1e-4,
)
def rotated_iou(
    boxes: Array,
    query_boxes: Array,
    trans: bool = False,
    mode: int = 0,
    is_cross: bool = True,
    v_threshold: float = 0.0,
    e_threshold: float = 0.0,
) -> Array:
    """Return the shared over the joint area of turned boxes with others, (B, N, K).

    Args:
        boxes, query_boxes: Tensors (B, N, 5) and (B, K, 5) of (x, y, width, height, degrees), or with `trans` of (x₁,
            y₁, x₂, y₂, degrees).
        trans: Whether boxes are given by their corners.
        mode: 0, or 1: over the area of `boxes` rather than the joint one.
        is_cross: Whether each box is compared with each other; otherwise the n-th with the n-th, (B, N).
        v_threshold, e_threshold: How far outside a corner, or a crossing of edges, still counts.

    Raises:
        ValueError: If the shapes are others.

    Examples:
        >>> box = Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]])
        >>> ops.rotated_iou(box, Tensor([[[1.0, 0.0, 2.0, 2.0, 0.0]]])).asnumpy().round(3)
        array([[[0.333]]], dtype=float32)
    """
    if boxes.ndim != 3 or boxes.shape[2] != 5 or query_boxes.shape[::2] != boxes.shape[::2]:
        raise ValueError(
            f"boxes must have shapes [B, N, 5] and [B, K, 5], got {list(boxes.shape)} and {list(query_boxes.shape)}."
        )
    if not is_cross and boxes.shape != query_boxes.shape:
        raise ValueError(f"boxes must be as many as query_boxes, got {boxes.shape[1]} and {query_boxes.shape[1]}.")
    (p, of_p), (q, of_q) = (_polygon(wide(b), trans) for b in (boxes, query_boxes))
    area = jax.vmap(lambda a, b: _shared_area(a, b, v_threshold, e_threshold))
    if is_cross:
        shared = jax.vmap(lambda a, b: jax.vmap(lambda one: area(jnp.broadcast_to(one, b.shape), b))(a))(p, q)
        of_p, of_q = of_p[:, :, None], of_q[:, None]
    else:
        shared = jax.vmap(area)(p, q)
    whole = of_p if mode == 1 else of_p + of_q - shared
    return (shared / jnp.where(whole == 0, 1, whole)).astype(boxes.dtype)


# --- drawn boxes -----------------------------------------------------------------------------------------------------


@internal("SampleDistortedBoundingBoxV2")
def _sampled(
    key: Key, image_size: Array, boxes: Array, least: Array, ratios: Static, areas: Static, attempts: int
) -> tuple[Array, Array, Array]:
    height, width = (image_size[i].astype(jnp.float32) for i in (0, 1))
    keys = jax.random.split(key, 5)
    draws = [jax.random.uniform(k, (attempts,), jnp.float32) for k in keys]
    ratio = ratios[0] + draws[0] * (ratios[1] - ratios[0])
    low, high = (jnp.sqrt(a * height * width / ratio) for a in areas)
    tall = jnp.minimum(jnp.minimum(high, height), (width + 0.5 - 1e-7) / ratio)
    low = jnp.minimum(jnp.round(low), jnp.floor(tall))
    h = low + jnp.floor(draws[1] * (jnp.floor(tall) - low + 1))
    w = jnp.round(h * ratio)
    area = h * w / (height * width)
    fits = (area >= areas[0]) & (area <= areas[1]) & (h <= height) & (w <= width) & (h > 0) & (w > 0)
    y, x = jnp.floor(draws[2] * (height - h + 1)), jnp.floor(draws[3] * (width - w + 1))
    flat = boxes.reshape(-1, 4).astype(jnp.float32) * jnp.stack([height, width, height, width])
    low_corner = jnp.maximum(jnp.stack([y, x], -1)[:, None], flat[:, :2])
    high_corner = jnp.minimum(jnp.stack([y + h, x + w], -1)[:, None], flat[:, 2:])
    shared = jnp.prod(jnp.maximum(high_corner - low_corner, 0), -1)
    whole = jnp.prod(flat[:, 2:] - flat[:, :2], -1)
    covered = jnp.any((shared >= least.reshape(()) * whole) & (whole > 0), 1) | (least.reshape(()) <= 0)
    good = fits & covered
    first = jnp.argmax(good)
    coordinates = [jnp.where(jnp.any(good), v[first], other) for v, other in ((y, 0), (x, 0), (h, height), (w, width))]
    y, x, h, w = coordinates
    kind = image_size.dtype
    begin = jnp.stack([y, x, jnp.zeros_like(y)]).astype(kind)
    size = jnp.concatenate([jnp.stack([h, w]).astype(kind), jnp.full(1, 255 if kind == jnp.uint8 else -1).astype(kind)])
    box = jnp.stack([y / height, x / width, (y + h) / height, (x + w) / width]).reshape(1, 1, 4)
    return begin, size, box


@primitive(
    "SampleDistortedBoundingBoxV2(seed=0, seed2=0, aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0), "
    "max_attempts=100, use_image_if_no_bounding_boxes=False)"
)
def _sample_box(
    image_size: Tensor,
    bounding_boxes: Tensor,
    min_object_covered: Tensor,
    aspect_ratio_range: Any,
    area_range: Any,
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return start and size of a box drawn in an image (height, width, channels), and the box (1, 1, 4) as fractions.

    Its ratio of width to height and its share of the image lie in `aspect_ratio_range` and `area_range`, and it covers at
    least `min_object_covered` of one of the boxes (batch, N, 4); if no attempt gives such a box, it is the whole image.
    The global seed determines the draw.

    Args:
        image_size: A Tensor of three integers: height, width and channels.
        bounding_boxes: Boxes (batch, N, 4) as shares of the image.
        min_object_covered: A Tensor of one number.
        aspect_ratio_range, area_range: Two rising positive numbers.
        max_attempts: How many boxes are tried.
        use_image_if_no_bounding_boxes: Whether the whole image counts as the box where there is none.

    Raises:
        ValueError: If a shape or a range does not fit, or there are no boxes.

    Examples:
        >>> size, boxes = Tensor([8, 8, 3]), Tensor([[[0.0, 0.0, 1.0, 1.0]]])
        >>> [t.shape for t in ops.SampleDistortedBoundingBoxV2()(size, boxes, Tensor([0.1]))]
        [(3,), (3,), (1, 1, 4)]
    """
    name = "ops.SampleDistortedBoundingBoxV2"
    if tuple(image_size.shape) != (3,):
        raise ValueError(f"{name}: image_size must have shape [3], got {list(image_size.shape)}.")
    if bounding_boxes.ndim != 3 or bounding_boxes.shape[2] != 4:
        raise ValueError(f"{name}: bounding_boxes must have shape [batch, N, 4], got {list(bounding_boxes.shape)}.")
    if bounding_boxes.size == 0:
        if not use_image_if_no_bounding_boxes:
            raise ValueError(f"{name}: there are no bounding_boxes, and use_image_if_no_bounding_boxes is False.")
        bounding_boxes = Tensor([[[0.0, 0.0, 1.0, 1.0]]])
    for what, pair in (("aspect_ratio_range", aspect_ratio_range), ("area_range", area_range)):
        if len(pair) != 2 or not 0 < pair[0] < pair[1]:
            raise ValueError(f"{name}: {what} must be two rising positive numbers, got {pair}.")
    return _sampled(
        image_size, bounding_boxes, min_object_covered, tuple(aspect_ratio_range), tuple(area_range), max_attempts
    )
