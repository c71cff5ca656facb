"""Reference functions in NumPy for operators that gather and scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

Nd = np.ndarray


# --- gathering ------------------------------------------------------------------------------------------------------


def gather(x: Nd, indices: Nd, axis: int, batch_dims: int = 0) -> Nd:
    if batch_dims:
        return np.stack([gather(a, i, axis - 1, batch_dims - 1) for a, i in zip(x, indices, strict=True)])
    return np.take(x, indices, axis)


def index_select(x: Nd, axis: int, index: Nd) -> Nd:
    return np.take(x, index, axis)


def take(x: Nd, index: Nd) -> Nd:
    return x.ravel()[index]


def narrow(x: Nd, axis: int, start: int, length: int) -> Nd:
    return np.take(x, np.arange(start, start + length), axis)


def slice_(x: Nd, begin: Any, size: Any) -> Nd:
    return x[tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size, strict=True))]


def strided_slice(
    x: Nd, begin: Any, end: Any, strides: Any, begin_mask: int = 0, end_mask: int = 0, **masks: int
) -> Nd:
    if masks.get("shrink_axis_mask"):
        return x[begin[0] : end[0] : strides[0], begin[1]]
    if masks.get("ellipsis_mask"):
        return x[..., None, begin[2] : end[2] : strides[2]]
    starts = [None if begin_mask >> i & 1 else b for i, b in enumerate(begin)]
    stops = [None if end_mask >> i & 1 else e for i, e in enumerate(end)]
    return x[tuple(map(slice, starts, stops, strides))]


def gather_nd(x: Nd, indices: Nd) -> Nd:
    return x[tuple(np.moveaxis(indices, -1, 0))]


def gather_elements(x: Nd, dim: int, index: Nd) -> Nd:
    return x[_grid(x, dim, index)]


def _grid(x: Nd, dim: int, index: Nd) -> tuple[Nd, ...]:
    places: list[Any] = [*np.indices(index.shape)]
    places[dim] = index
    return tuple(places)


def nonzero(x: Nd) -> Nd:
    return np.argwhere(x)


def masked_select(x: Nd, mask: Nd) -> Nd:
    x, mask = np.broadcast_arrays(x, mask)
    return x[mask]


def unique(x: Nd) -> tuple[Nd, Nd]:
    seen = list(dict.fromkeys(x.ravel().tolist()))
    return np.asarray(seen, x.dtype), np.asarray([seen.index(v) for v in x.ravel().tolist()]).reshape(x.shape)


def unique_with_pad(x: Nd, pad: Any) -> tuple[Nd, Nd]:
    values, number = unique(x)
    return np.append(values, [pad] * (x.size - values.size)), number


def unique_consecutive(x: Nd, inverse: bool = False, counts: bool = False, dim: int | None = None) -> list[Nd]:
    rows = x.reshape(len(x), -1)
    new = np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)])
    places = np.flatnonzero(new)
    return [
        x[places],
        *([np.cumsum(new) - 1] if inverse else []),
        *([np.diff(np.append(places, len(x)))] if counts else []),
    ]


# --- scattering -----------------------------------------------------------------------------------------------------


def _at(fn: Any, x: Nd, indices: Nd, updates: Nd) -> Nd:
    out = x.copy()
    fn.at(out, tuple(np.moveaxis(indices, -1, 0)), updates)
    return out


def tensor_scatter_update(x: Nd, indices: Nd, updates: Nd) -> Nd:
    out = x.copy()
    out[tuple(np.moveaxis(indices, -1, 0))] = updates
    return out


def tensor_scatter_add(x: Nd, indices: Nd, updates: Nd) -> Nd:
    return _at(np.add, x, indices, updates)


def tensor_scatter_sub(x: Nd, indices: Nd, updates: Nd) -> Nd:
    return _at(np.subtract, x, indices, updates)


def tensor_scatter_mul(x: Nd, indices: Nd, updates: Nd) -> Nd:
    return _at(np.multiply, x, indices, updates)


def tensor_scatter_div(x: Nd, indices: Nd, updates: Nd) -> Nd:
    return _at(np.divide, x, indices, updates)


def tensor_scatter_max(x: Nd, indices: Nd, updates: Nd) -> Nd:
    return _at(np.maximum, x, indices, updates)


def tensor_scatter_min(x: Nd, indices: Nd, updates: Nd) -> Nd:
    return _at(np.minimum, x, indices, updates)


def scatter_nd(indices: Nd, updates: Nd, shape: Any) -> Nd:
    return _at(np.add, np.zeros(shape, updates.dtype), indices, updates)


def tensor_scatter_elements(x: Nd, indices: Nd, updates: Nd, axis: int = 0, reduction: str = "none") -> Nd:
    out, place = x.copy(), _grid(x, axis, indices)
    source = updates[tuple(map(slice, indices.shape))]
    if reduction == "add":
        np.add.at(out, place, source)
    else:
        out[place] = source
    return out


def scatter(x: Nd, axis: int, index: Nd, src: Nd) -> Nd:
    return tensor_scatter_elements(x, index, src, axis)


def index_add(x: Nd, dim: int, index: Nd, source: Nd, *, alpha: float = 1) -> Nd:
    out = x.copy()
    places: Any = (slice(None),) * dim + (index,)  # NumPy's stubs leave slices out
    np.add.at(out, places, alpha * source)
    return out


def index_fill(x: Nd, axis: int, index: Nd, value: float) -> Nd:
    out = x.copy()
    out[(slice(None),) * axis + (index,)] = value
    return out


def select_scatter(x: Nd, src: Nd, axis: int, index: int) -> Nd:
    out = x.copy()
    out[(slice(None),) * axis + (index,)] = src
    return out


def slice_scatter(x: Nd, src: Nd, axis: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Nd:
    out = x.copy()
    out[(slice(None),) * axis + (slice(start, end, step),)] = src
    return out


def inplace_update(x: Nd, v: Nd, indices: Any) -> Nd:
    out = x.copy()
    out[np.atleast_1d(indices)] = v
    return out


def inplace_add(x: Nd, v: Nd, indices: Any) -> Nd:
    return inplace_update(x, x[list(indices)] + v, indices)


def inplace_sub(x: Nd, v: Nd, indices: Any) -> Nd:
    return inplace_update(x, x[list(indices)] - v, indices)


def masked_fill(x: Nd, mask: Nd, value: float) -> Nd:
    return np.where(mask, np.asarray(value, x.dtype), x)


def masked_scatter(x: Nd, mask: Nd, source: Nd) -> Nd:
    out = x.copy()
    out[mask] = source.ravel()[: mask.sum()]
    return out


def _segments(fn: Any, x: Nd, ids: Nd, count: int, empty: Any) -> Nd:
    out = np.full((count, *x.shape[ids.ndim :]), empty, x.dtype)
    for place in np.ndindex(ids.shape):
        if 0 <= ids[place] < count:
            out[ids[place]] = fn(out[ids[place]], x[place])
    return out


def unsorted_segment_sum(x: Nd, ids: Nd, count: int) -> Nd:
    return _segments(np.add, x, ids, count, 0)


def unsorted_segment_max(x: Nd, ids: Nd, count: int) -> Nd:
    return _segments(np.maximum, x, ids, count, np.finfo(x.dtype).min)


def unsorted_segment_min(x: Nd, ids: Nd, count: int) -> Nd:
    return _segments(np.minimum, x, ids, count, np.finfo(x.dtype).max)


def unsorted_segment_prod(x: Nd, ids: Nd, count: int) -> Nd:
    return _segments(np.multiply, x, ids, count, 1)
