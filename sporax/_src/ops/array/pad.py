"""Padding at the ends of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from sporax._src.base.typing import Array, OptArray, Shape, Static
from sporax._src.bindings.primitive import primitive
from sporax._src.core.tensor import Tensor
from sporax._src.engine.arguments import check_choice
from sporax._src.engine.table import composite, freeze, internal, op

_REF = "references.image."
_MODES = {
    "constant": "constant",
    "reflect": "reflect",
    "replicate": "edge",
    "edge": "edge",
    "circular": "wrap",
    "symmetric": "symmetric",
}


# --- pad ------------------------------------------------------------------------------------------------------------


def _extended(x: Array, pads: Sequence[tuple[int, int]], mode: str, value: Array | int) -> Array:
    """Return x with (before, after) elements more at the ends of each axis; negative numbers cut.

    In the mode "circular" the remaining elements repeat; the other modes reflect or repeat the whole x.
    """
    for size, (low, high) in zip(x.shape, pads, strict=True):
        if mode in ("reflect", "symmetric") and max(low, high) >= size + (mode == "symmetric"):
            raise ValueError(
                f"padding {(low, high)} must be smaller than the axis of {size} elements in mode '{mode}'."
            )
        if mode == "circular" and max(low, high) > size:
            raise ValueError(
                f"padding {(low, high)} must not be larger than the axis of {size} elements in mode 'circular'."
            )
        if size + low + high < 0 or (size and size + low + high == 0):
            raise ValueError(f"padding {(low, high)} leaves nothing of an axis of {size} elements.")
    if mode == "constant":
        return lax.pad(x, jnp.asarray(value).astype(x.dtype), [(low, high, 0) for low, high in pads])
    more = [(max(low, 0), max(high, 0)) for low, high in pads]
    if mode == "circular":
        return jnp.pad(_cut(x, pads), more, mode="wrap")
    return _cut(jnp.pad(x, more, mode=_MODES[mode]), pads)


def _cut(x: Array, pads: Sequence[tuple[int, int]]) -> Array:
    keep = [(max(-low, 0), size - max(-high, 0)) for size, (low, high) in zip(x.shape, pads, strict=True)]
    return lax.slice(x, [a for a, _ in keep], [b for _, b in keep])


@op(
    ref=_REF + "pad",
    cases=(
        "T(1, 2, 3), (1, 2)",
        "T(1, 2, 3, 4), (1, 0, 2, 1), 'constant', 1.5",
        "T(1, 2, 3), (1, 2), 'reflect'",
        "T(2, 3), (1, 1), 'replicate'",
        "T(1, 2, 3, 4), (1, 1, 2, 1), 'circular'",
        "T(1, 2, 5), (-1, 2)",
        "T(1, 2, 3), ()",
    ),
    errors=(
        ("T(1, 2, 3), (1, 2, 3)", "even number"),
        ("T(1, 2, 3), (3, 0), 'reflect'", "smaller"),
        ("T(1, 2, 3), (4, 0), 'circular'", "must not be larger than the axis of 3 elements"),
        ("T(1, 2, 3), (1, 1), 'reflect', 2.0", "value"),
        ("T(1, 2, 3), (1, 1), 'foo'", "mode"),
        ("T(3), (1, 1, 1, 1)", "axes"),
    ),
)
def pad(input_x: Array, padding: Shape, mode: str = "constant", value: OptArray = None) -> Array:
    """Return input_x with more elements at the ends of its last axes.

    Args:
        input_x: A Tensor.
        padding: (before, after) of the last axis, then of the axis before it, and so on; negative numbers cut.
        mode: "constant"; or for the last one to three axes "reflect" (mirror, the edge not repeated), "replicate" (the
            edge), "circular" (from the other end).
        value: What "constant" fills in; 0 if None.

    Raises:
        ValueError: If padding has an odd length or does not fit the axes or the mode.

    Examples:
        >>> ops.pad(Tensor([1.0, 2.0]), (1, 0)).asnumpy()
        array([0., 1., 2.], dtype=float32)
    """
    check_choice(mode, tuple(_MODES), "mode")
    if len(padding) % 2:
        raise ValueError(f"padding must have an even number of elements, got {padding}.")
    if len(padding) // 2 > input_x.ndim:
        raise ValueError(f"padding {padding} is for more axes than the {input_x.ndim} of input_x.")
    if mode != "constant" and value is not None:
        raise ValueError(f"value belongs to the mode 'constant', got mode '{mode}'.")
    pairs = [(padding[i], padding[i + 1]) for i in range(0, len(padding), 2)]
    pads = [(0, 0)] * (input_x.ndim - len(pairs)) + pairs[::-1]
    return _extended(input_x, pads, mode, 0 if value is None else value)


@op(
    ref="numpy.pad",
    cases=(
        "T(2, 3), ((1, 1), (0, 2))",
        "T(2, 3), ((1, 1), (0, 2)), 'reflect'",
        "T(2, 3), ((1, 1), (0, 2)), 'symmetric'",
    ),
    name="_pad_axes",
    errors=(("T(2, 3), ((1, 1),)", "axes"),),
)
def pad_axes(input_x: Array, paddings: tuple[tuple[int, ...], ...], mode: str = "constant") -> Array:
    """Return input_x with (before, after) elements more at the ends of each axis.

    Args:
        input_x: A Tensor.
        paddings: (before, after) for each axis; negative numbers cut.
        mode: "constant" (zeros), "reflect", "symmetric" or another mode of `pad`.

    Raises:
        ValueError: If a pair is missing, the mode is unknown, or a padding does not fit its axis.
    """
    if len(paddings) != input_x.ndim:
        raise ValueError(f"paddings must have a pair for each of the {input_x.ndim} axes, got {paddings}.")
    pairs: Any = paddings
    return _extended(input_x, pairs, check_choice(mode, tuple(_MODES), "mode"), 0)


@primitive("Pad(paddings)")
def _pad(input_x: object, paddings: Any) -> Any:
    """Return input_x with zeros at the ends of each axis.

    Args:
        input_x: A Tensor.
        paddings: (before, after) for each axis.

    Raises:
        ValueError: If a number is negative, or a pair is missing.

    Examples:
        >>> ops.Pad(((1, 0),))(Tensor([1, 2])).asnumpy()
        array([0, 1, 2])
    """
    if any(p < 0 for pair in paddings for p in pair):
        raise ValueError(f"ops.Pad: paddings must not be negative, got {paddings}.")
    return pad_axes(input_x, tuple(tuple(pair) for pair in paddings))


@composite(
    ref=_REF + "mirror_pad",
    cases=("T(2, 3), D([[1, 1], [0, 2]], 'int64'), 'REFLECT'", "T(2, 3), D([[1, 1], [2, 1]], 'int64'), 'SYMMETRIC'"),
    errors=(
        ("T(2, 3), ((1, 1), (0, 2)), 'CONSTANT'", "mode must be 'REFLECT' or 'SYMMETRIC', got 'CONSTANT'"),
        ("T(2, 3), ((1, 1),)", "paddings must have a pair for each of the 2 axes"),
        ("T(2, 3), ((1, 1), (3, 0))", "padding (3, 0) must be smaller than the axis of 3 elements"),
        ("T(2, 3), ((-1, 1), (0, 2))", "paddings must be pairs of numbers, none negative, got ((-1, 1), (0, 2))"),
        ("T(2, 3), (1, 2)", "paddings must be pairs of numbers, none negative, got (1, 2)"),
    ),
    jit=False,
    primitive="MirrorPad(mode='REFLECT')",
)
def mirror_pad(input_x: Tensor, paddings: object, mode: str = "REFLECT") -> Tensor:
    """Return input_x mirrored at the ends of each axis; "REFLECT" does not repeat the edge, "SYMMETRIC" does.

    Args:
        input_x: A Tensor.
        paddings: (before, after) for each axis: a Tensor or nested tuple.
        mode: "REFLECT" or "SYMMETRIC".

    Raises:
        ValueError: If the mode is unknown, a number is negative, or a padding does not fit its axis.

    Examples:
        >>> ops.mirror_pad(Tensor([1, 2, 3]), ((2, 1),)).asnumpy()
        array([3, 2, 1, 2, 3, 2])
    """
    if mode.upper() not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"ops.mirror_pad: mode must be 'REFLECT' or 'SYMMETRIC', got {mode!r}.")
    pairs = freeze(paddings)
    if not all(isinstance(pair, tuple) and len(pair) == 2 and min(pair) >= 0 for pair in pairs):
        raise ValueError(f"ops.mirror_pad: paddings must be pairs of numbers, none negative, got {pairs}.")
    return pad_axes(input_x, pairs, mode.lower())


@primitive("PadV3(mode='constant', paddings_contiguous=True)")
def _pad_v3(x: object, paddings: Any, constant_value: object = None, *, mode: str, paddings_contiguous: bool) -> Any:
    """Return x padded at the ends of its last axes.

    Args:
        x: A Tensor.
        paddings: Pairs for the last axis, then the one before it, ...: a Tensor or a sequence.
        constant_value: The value of the mode "constant"; 0 if None.
        mode: "constant", "reflect", "edge" or "circular".
        paddings_contiguous: Whether numbers come in pairs; otherwise all numbers before, then all numbers after.

    Examples:
        >>> ops.PadV3()(Tensor([1, 2]), (1, 0), 9).asnumpy()
        array([9, 1, 2])
    """
    flat = paddings.tolist() if isinstance(paddings, Tensor) else list(paddings)
    if not paddings_contiguous:
        half = len(flat) // 2
        flat = [p for pair in zip(flat[:half], flat[half:], strict=True) for p in pair]
    return pad(x, tuple(flat), mode, constant_value)


@op(
    ref=_REF + "padding",
    cases=("T(2, 1), 4", "T(2, 3, 1), 2"),
    errors=(("T(2, 3), 4", "last axis"),),
    primitive="Padding(pad_dim_size=8)",
)
def padding(x: Array, pad_dim_size: int = 8) -> Array:
    """Return x (*, 1) with its last axis filled up by zeros to pad_dim_size elements.

    Args:
        x: A Tensor of shape (*, 1) with at least 2 axes.
        pad_dim_size: The size of the last axis of the result.

    Raises:
        ValueError: If `x` has another shape.

    Examples:
        >>> ops.padding(Tensor([[1.0], [2.0]]), 3).asnumpy()
        array([[1., 0., 0.],
               [2., 0., 0.]], dtype=float32)
    """
    if x.ndim < 2 or x.shape[-1] != 1:
        raise ValueError(f"the last axis of x must have 1 element, got shape {list(x.shape)}.")
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, pad_dim_size - 1)])


@internal("pad_axes")
def pad_last_axes(x: Array, value: Array, pads: Static, mode: str) -> Array:
    """Return x with its last axes extended by `pads` (a pair for each of them), or cut where negative."""
    if x.ndim < len(pads):
        raise ValueError(f"x must have at least {len(pads)} axes for these paddings, got {x.ndim}.")
    full = ((0, 0),) * (x.ndim - len(pads)) + tuple(pads)
    for axis, (size, (before, after)) in enumerate(zip(x.shape, full, strict=True)):
        limit = {"reflect": size, "symmetric": size + 1}.get(mode)
        if limit is not None and max(before, after) >= limit:
            raise ValueError(
                f"paddings of axis {axis} must be less than {limit} in mode '{mode}', got {(before, after)}."
            )
        if size and size + before + after <= 0:
            raise ValueError(f"axis {axis} must keep a positive size, got {size} padded by {(before, after)}.")
    if mode == "constant":
        fill = jnp.asarray(value).astype(x.dtype)
        return lax.pad(x, fill, [(before, after, 0) for before, after in full])
    grown = jnp.pad(x, [(max(b, 0), max(a, 0)) for b, a in full], mode=mode)
    return lax.slice(
        grown, [max(-b, 0) for b, _ in full], [d - max(-a, 0) for d, (_, a) in zip(grown.shape, full, strict=True)]
    )
