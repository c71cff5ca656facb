"""Resizing of images and sequences: along each axis, the output is a weighted sum of a few input elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, Shape, Static
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_rank
from sporax._src.engine.table import composite, op
from sporax._src.ops.nn import adaptive_pooling

_REF = "references.image."


# --- where the outputs lie ------------------------------------------------------------------------------------------


def _positions(size: int, out: int, rule: str, scale: float | None = None) -> np.ndarray:
    """Return where each output element lies among the inputs (float32, as MindSpore computes them).

    Rules: "align_corners": first and last coincide; "half_pixel": centres of pixels; "asymmetric": i · size / out.
    """
    i = np.arange(out, dtype=np.float32)
    if rule == "align_corners":
        return i * np.float32((size - 1) / (out - 1) if out > 1 else 0)
    step = np.float32(1 / scale if scale else size / out)
    return (i + np.float32(0.5)) * step - np.float32(0.5) if rule == "half_pixel" else i * step


def _nearest(size: int, out: int, rule: str, scale: float | None = None) -> np.ndarray:
    """Return the input element of each output: rounded down, or half up where corners are aligned."""
    at = _positions(size, out, rule, scale)
    if rule == "align_corners" or rule == "half_pixel":
        at = np.floor(at + np.float32(0.5))
    else:
        at = np.floor(at)
    return np.clip(at, 0, size - 1).astype(np.int32)


def _mix(size: int, out: int, kernel: Any, at: np.ndarray) -> np.ndarray:
    """Return the (out, size) weights of a kernel of a few neighbours; those beyond the ends count at the ends."""
    weights = np.zeros((out, size), np.float64)
    base = np.floor(at).astype(np.int64)
    for offset, weight in kernel(at - base):
        np.add.at(weights, (np.arange(out), np.clip(base + offset, 0, size - 1)), weight)
    return weights


def _linear(t: np.ndarray) -> list[tuple[int, np.ndarray]]:
    return [(0, 1 - t), (1, t)]


def _cubic(t: np.ndarray, a: float) -> list[tuple[int, np.ndarray]]:
    """Keys' kernel with the parameter a; MindSpore looks it up in a table of 1024 steps, hence the rounding."""
    t = np.round(t * 1024) / 1024

    def near(d: np.ndarray) -> np.ndarray:
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d: np.ndarray) -> np.ndarray:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return [(-1, far(t + 1)), (0, near(t)), (1, near(1 - t)), (2, far(2 - t))]


def _cubic_weights(size: int, out: int, rule: str) -> np.ndarray:
    """Return the (out, size) weights: with half pixels a = -0.5 and only inputs inside count, otherwise a = -0.75."""
    at = _positions(size, out, rule)
    if rule != "half_pixel":
        return _mix(size, out, lambda t: _cubic(t, -0.75), at)
    weights = np.zeros((out, size), np.float64)
    base = np.floor(at).astype(np.int64)
    for offset, weight in _cubic(at - base, -0.5):
        inside = (base + offset >= 0) & (base + offset < size)
        weights[np.flatnonzero(inside), (base + offset)[inside]] += weight[inside]
    return weights / weights.sum(1, keepdims=True)


def _apply(x: Array, weights: Sequence[np.ndarray]) -> Array:
    """Return x with each of its last axes mapped by a matrix."""
    wide = x if jnp.issubdtype(x.dtype, jnp.floating) else x.astype(jnp.float32)
    for k, w in enumerate(weights):
        axis = x.ndim - len(weights) + k
        mixed = jnp.tensordot(wide, jnp.asarray(w, wide.dtype), ((axis,), (1,)), precision="highest")
        wide = jnp.moveaxis(mixed, -1, axis)
    return wide


def _check_sizes(x: Array, size: Shape) -> None:
    if any(not isinstance(s, int) or s < 1 for s in size):
        raise ValueError(f"size must be positive, got {size}.")
    check_rank(x, (len(size) + 2,))


# --- the operators --------------------------------------------------------------------------------------------------


@op(
    ref=_REF + "resize_nearest",
    cases=(
        "T(1, 2, 3, 4), (5, 3)",
        "T(1, 1, 3, 4), (5, 3), 'align_corners'",
        "T(1, 1, 3, 4), (5, 3), 'half_pixel'",
        "T(1, 2, 5), (8,)",
    ),
    errors=(("T(3, 4), (5, 3)", "must have 4 axes"), ("T(1, 1, 3, 4), (0, 3)", "positive")),
    name="_resize_nearest",
)
def resize_nearest(x: Array, size: Shape, rule: str = "asymmetric", scales: Static = None) -> Array:
    """Return x (N, C, ...) with the spatial sizes `size`, each element that of the nearest input.

    Args:
        x: A Tensor (N, C, ...).
        size: The new spatial sizes.
        rule: "asymmetric", "align_corners" or "half_pixel": where the elements of the result lie.
        scales: New sizes over old ones, which set the positions; None takes the sizes.

    Raises:
        ValueError: If a size is not positive, or the number of axes does not fit.
    """
    _check_sizes(x, size)
    for k, out in enumerate(size):
        axis = k + 2
        if x.shape[axis] != out:
            x = jnp.take(x, _nearest(x.shape[axis], out, rule, scales[k] if scales else None), axis)
    return x


@op(
    ref=_REF + "resize_linear",
    cases=(
        "T(1, 2, 3, 4), (5, 3)",
        "T(1, 1, 3, 4), (5, 3), 'align_corners'",
        "T(1, 2, 5), (8,)",
        "T(1, 1, 2, 3, 2), (3, 2, 4)",
    ),
    errors=(("T(3, 4), (5, 3)", "must have 4 axes"), ("T(1, 1, 3, 4), (0, 3)", "positive")),
    name="_resize_linear",
)
def resize_linear(x: Array, size: Shape, rule: str = "half_pixel", scales: Static = None) -> Array:
    """Return x (N, C, ...) with the spatial sizes `size`, linear between inputs along each axis.

    Args:
        x: A Tensor (N, C, ...).
        size: The new spatial sizes.
        rule: "half_pixel", "align_corners" or "asymmetric": where the elements of the result lie.
        scales: New sizes over old ones, which set the positions; None takes the sizes.

    Raises:
        ValueError: If a size is not positive, or the number of axes does not fit.
    """
    _check_sizes(x, size)
    weights = []
    for k, (have, out) in enumerate(zip(x.shape[2:], size, strict=True)):
        at = np.clip(_positions(have, out, rule, scales[k] if scales else None), 0, None)
        weights.append(_mix(have, out, _linear, at))
    return _apply(x, weights)


@op(
    ref=_REF + "resize_cubic",
    cases=("T(1, 2, 3, 4), (5, 3), 'align_corners'", "T(1, 1, 4, 4), (6, 6)", "T(1, 1, 3, 4), (5, 3), 'asymmetric'"),
    errors=(("T(3, 4), (5, 3)", "must have 4 axes"),),
    name="_resize_cubic",
)
def resize_cubic(x: Array, size: Shape, rule: str = "half_pixel") -> Array:
    """Return x (N, C, H, W) with the sizes `size`, cubic between inputs along each axis.

    Args:
        x: A Tensor (N, C, H, W).
        size: The new spatial sizes.
        rule: "half_pixel", "align_corners" or "asymmetric": where the elements of the result lie.

    Raises:
        ValueError: If a size is not positive, or `x` has not 4 axes.
    """
    _check_sizes(x, size)
    return _apply(x, [_cubic_weights(have, out, rule) for have, out in zip(x.shape[2:], size, strict=True)])


def _overlap(size: int, out: int, rule: str) -> np.ndarray:
    """Return the (out, size) weights of the mean over the stretch of input that each output covers."""
    scale = (size - 1) / (out - 1) if rule == "align_corners" and out > 1 else size / out
    start = np.arange(out)[:, None] * scale
    at = np.arange(size)[None]
    share = np.minimum(at + 1, start + scale) - np.maximum(at, start)
    return np.maximum(share, 0) / scale


@op(
    ref=_REF + "resize_area",
    cases=("T(1, 3, 4, 2), (2, 3)",),
    errors=(("T(3, 4), (5, 3)", "must have 4 axes"),),
    name="_resize_area",
    grad=0,
)
def resize_area(images: Array, size: Shape, align_corners: bool = False) -> Array:
    """Return images (N, H, W, C) with the sizes `size`, each element the mean of the input under it, in float32.

    Args:
        images: A Tensor (N, H, W, C).
        size: The new sizes (H, W).
        align_corners: Whether the first and last elements of input and output coincide.

    Raises:
        ValueError: If a size is not positive, or `images` has not 4 axes.
    """
    x = jnp.moveaxis(images.astype(jnp.float32), -1, 1)
    _check_sizes(x, size)
    rule = "align_corners" if align_corners else "asymmetric"
    return jnp.moveaxis(
        _apply(x, [_overlap(have, out, rule) for have, out in zip(x.shape[2:], size, strict=True)]), 1, -1
    )


# --- interpolate ----------------------------------------------------------------------------------------------------

_RANKS = {
    "nearest": (3, 4, 5),
    "linear": (3,),
    "bilinear": (4,),
    "bicubic": (4,),
    "trilinear": (5,),
    "area": (3, 4, 5),
    "nearest-exact": (3, 4),
}
_CORNERS = ("linear", "bilinear", "bicubic", "trilinear")


@composite(
    ref=_REF + "interpolate",
    cases=(
        "T(1, 2, 3, 4), (5, 3)",
        "T(1, 2, 3, 4), 2, None, 'bilinear'",
        "T(1, 1, 3, 4), (5, 3), None, 'bilinear', True",
        "T(1, 1, 5), 8, None, 'linear'",
        "T(1, 1, 2, 3, 2), (3, 2, 4), None, 'trilinear'",
        "T(1, 1, 3, 4), (5, 3), None, 'area'",
        "T(1, 1, 3, 4), (5, 3), None, 'nearest-exact'",
        "T(1, 1, 3, 4), None, 2.0, 'bilinear', None, True",
        "T(1, 1, 3, 4), (5, 3), None, 'bicubic', True",
    ),
    aliases=("upsample", "interpolate_ext"),
    errors=(
        ("T(1, 1, 3, 4), (5, 3), 2.0", "both"),
        ("T(1, 1, 3, 4)", "size or scale_factor"),
        ("T(1, 1, 3, 4), (5, 3), None, 'linear'", "3 axes"),
        ("T(1, 1, 3, 4), (5, 3), None, 'cubic'", "mode"),
        ("T(1, 1, 3, 4), (5, 3), None, 'nearest', True", "align_corners"),
    ),
)
def interpolate(
    input: Tensor,
    size: object = None,
    scale_factor: object = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Return input with other spatial sizes.

    Args:
        input: A Tensor (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size: The new spatial sizes, an int or one for each axis. Either this or scale_factor.
        scale_factor: New size over old, a number or one for each axis; sizes are rounded down.
        mode: "nearest", "linear" (3 axes), "bilinear", "bicubic" (4 axes), "trilinear" (5 axes), "area" or
            "nearest-exact" (3 or 4 axes).
        align_corners: Whether the first and last elements of input and output coincide (linear and cubic modes).
        recompute_scale_factor: Whether positions follow from the sizes instead of from scale_factor.

    Raises:
        ValueError: If size and scale_factor are both given or both missing, or do not fit the mode.

    Examples:
        >>> ops.interpolate(Tensor([[[1.0, 2.0]]]), size=4).asnumpy()
        array([[[1., 1., 2., 2.]]], dtype=float32)
    """
    if mode not in _RANKS:
        raise ValueError(f"ops.interpolate: mode must be one of {', '.join(_RANKS)}, got {mode!r}.")
    if input.ndim not in _RANKS[mode]:
        raise ValueError(
            f"ops.interpolate: mode '{mode}' needs {' or '.join(map(str, _RANKS[mode]))} axes, got {input.ndim}."
        )
    if align_corners is not None and mode not in _CORNERS:
        raise ValueError(
            f"ops.interpolate: align_corners belongs to the modes {', '.join(_CORNERS)}, got mode '{mode}'."
        )
    sizes, scales = _target(input, size, scale_factor)
    if recompute_scale_factor or mode == "area":
        if recompute_scale_factor and scale_factor is None:
            raise ValueError("ops.interpolate: recompute_scale_factor needs scale_factor, got size.")
        scales = None
    return _RESIZE[mode](input, sizes, bool(align_corners), scales)


def _target(x: Tensor, size: object, scale: object) -> tuple[tuple[int, ...], tuple[float, ...] | None]:
    n = x.ndim - 2
    if size is not None and scale is not None:
        raise ValueError("ops.interpolate: size and scale_factor cannot both be given.")
    if size is None and scale is None:
        raise ValueError("ops.interpolate: size or scale_factor must be given.")
    target: Any = size if size is not None else scale
    target = tuple(target.tolist()) if isinstance(target, Tensor) else target
    values = tuple(target) if isinstance(target, (tuple, list)) else (target,) * n
    if len(values) != n:
        raise ValueError(f"ops.interpolate: expected {n} numbers for an input with {x.ndim} axes, got {values}.")
    if size is not None:
        return tuple(int(v) for v in values), None
    return tuple(math.floor(have * s) for have, s in zip(x.shape[2:], values, strict=True)), tuple(
        float(v) for v in values
    )


def _by_linear(x: Tensor, size: Shape, corners: bool, scales: object) -> Tensor:
    return resize_linear(x, size, "align_corners" if corners else "half_pixel", None if corners else scales)


_AREA = {
    3: lambda x, s: adaptive_pooling.adaptive_avg_pool1d(x, s[0]),
    4: adaptive_pooling.adaptive_avg_pool2d,
    5: adaptive_pooling.adaptive_avg_pool3d,
}
_RESIZE: dict[str, Any] = {
    "nearest": lambda x, size, corners, scales: resize_nearest(x, size, "asymmetric", scales),
    "nearest-exact": lambda x, size, corners, scales: resize_nearest(x, size, "half_pixel", scales),
    "linear": _by_linear,
    "bilinear": _by_linear,
    "trilinear": _by_linear,
    "bicubic": lambda x, size, corners, scales: resize_cubic(x, size, "align_corners" if corners else "half_pixel"),
    "area": lambda x, size, corners, scales: _AREA[x.ndim](x, size),
}
