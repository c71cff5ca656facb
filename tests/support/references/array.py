"""Reference functions in NumPy for operators on arrays that NumPy, SciPy and torch spell otherwise or lack."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.core import dtype as mstype

Nd = np.ndarray


def _np(dtype: Any, default: Any) -> Any:
    return default if dtype is None else mstype.to_numpy(dtype)


# --- shape ----------------------------------------------------------------------------------------------------------


def adjoint(x: Nd) -> Nd:
    return np.conj(np.swapaxes(x, -1, -2))


def flatten_rest(x):
    return x.reshape(len(x), -1) if x.size else np.zeros((len(x), int(np.prod(x.shape[1:]))), x.dtype)


def flatten(x: Nd, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Nd:
    if x.ndim < 2:
        return x.reshape(-1)
    x = x.T if order == "F" else x
    end = end_dim % x.ndim
    return x.reshape(*x.shape[:start_dim], -1, *x.shape[end + 1 :])


def reverse_sequence(x: Nd, lengths: Nd, seq_dim: int, batch_dim: int = 0) -> Nd:
    out = x.copy()
    for b, n in enumerate(lengths):
        row, new = np.moveaxis(x, (batch_dim, seq_dim), (0, 1))[b], np.moveaxis(out, (batch_dim, seq_dim), (0, 1))[b]
        new[:n] = row[:n][::-1]
    return out


def cast(x: Any, dtype: Any) -> Nd:
    return np.asarray(np.real(x)).astype(mstype.to_numpy(dtype))


def shape_of(x: Nd) -> Nd:
    return np.asarray(x.shape)


# --- joining --------------------------------------------------------------------------------------------------------


def split(x: Nd, sizes: Any, axis: int = 0) -> list[Nd]:
    cuts = np.cumsum(sizes)[:-1] if isinstance(sizes, (tuple, list)) else np.arange(sizes, x.shape[axis], sizes)
    return np.split(x, cuts, axis)


def chunk(x: Nd, chunks: int, axis: int = 0) -> list[Nd]:
    return split(x, -(-x.shape[axis] // chunks), axis)


def unstack(x: Nd, axis: int = 0) -> list[Nd]:
    return list(np.moveaxis(x, axis, 0))


# --- creation -------------------------------------------------------------------------------------------------------


def zeros(size: Any, dtype: Any = None) -> Nd:
    return np.zeros(size, _np(dtype, np.float32))


def ones(size: Any, dtype: Any = None) -> Nd:
    return np.ones(size, _np(dtype, np.float32))


def full(size: Any, value: Any, *, dtype: Any = None) -> Nd:
    return np.full(size, value, _np(dtype, np.int64))


def fill(dtype: Any, shape: Any, value: Any) -> Nd:
    return np.full(shape, value, mstype.to_numpy(dtype))


def full_like(x: Nd, value: Any, *, dtype: Any = None) -> Nd:
    return np.full(x.shape, value, _np(dtype, x.dtype))


def zeros_like(x: Nd, *, dtype: Any = None) -> Nd:
    return np.zeros(x.shape, _np(dtype, x.dtype))


def ones_like(x: Nd, *, dtype: Any = None) -> Nd:
    return np.ones(x.shape, _np(dtype, x.dtype))


def arange(start: Any, end: Any, step: Any = 1, maxlen: int = 0) -> Nd:
    return np.arange(start, end, step)


def linspace(start: Any, end: Any, steps: int) -> Nd:
    return np.linspace(start, end, steps, dtype=np.float32)


def logspace(start: Any, end: Any, steps: int, base: int = 10) -> Nd:
    return np.logspace(start, end, steps, base=base, dtype=np.float32)


def eye(n: int, m: int | None = None, dtype: Any = None) -> Nd:
    return np.eye(n, m, dtype=_np(dtype, np.float32))


def one_hot(indices: Nd, depth: int, on: Any = 1, off: Any = 0, axis: int = -1) -> Nd:
    return np.moveaxis(np.where(np.arange(depth) == indices[..., None], on, off), -1, axis)


def tril_indices(row: int, col: int, offset: int = 0) -> Nd:
    return np.stack(np.tril_indices(row, offset, col))


def triu_indices(row: int, col: int, offset: int = 0) -> Nd:
    return np.stack(np.triu_indices(row, offset, col))


def vander(x: Nd, n: int | None = None) -> Nd:
    return np.vander(x, n)


def sequence_mask(lengths: Nd, maxlen: int) -> Nd:
    return np.arange(maxlen) < lengths[..., None]


# --- diagonals ------------------------------------------------------------------------------------------------------


def diag(x: Nd) -> Nd:
    return np.diag(x.ravel()).reshape(*x.shape, *x.shape)


def diag_part(x: Nd) -> Nd:
    half = x.shape[: x.ndim // 2]
    return np.diag(x.reshape(int(np.prod(half)), -1)).reshape(half)


def fill_diagonal(x: Nd, value: float, wrap: bool = False) -> Nd:
    out = x.copy()
    np.fill_diagonal(out, value, wrap)
    return out


def matrix_band_part(x: Nd, lower: int, upper: int) -> Nd:
    away = np.arange(x.shape[-1]) - np.arange(x.shape[-2])[:, None]
    return x * (((lower < 0) | (-away <= lower)) & ((upper < 0) | (away <= upper)))


def matrix_diag(x: Nd) -> Nd:
    return x[..., None] * np.eye(x.shape[-1], dtype=x.dtype)


def matrix_diag_part(x: Nd, k: int, padding: float) -> Nd:
    return np.diagonal(x, k, -2, -1)


def matrix_set_diag(x: Nd, diagonal: Nd, k: int = 0) -> Nd:
    out = x.copy()
    for i in range(diagonal.shape[-1]):
        out[..., i + max(-k, 0), i + max(k, 0)] = diagonal[..., i]
    return out


# --- sorting --------------------------------------------------------------------------------------------------------


def argsort(x: Nd, axis: int = -1, descending: bool = False) -> Nd:
    return np.argsort(-x if descending else x, axis, kind="stable")


def sort(x: Nd, axis: int = -1, descending: bool = False) -> tuple[Nd, Nd]:
    order = argsort(x, axis, descending)
    return np.take_along_axis(x, order, axis), order


def msort(x: Nd) -> Nd:
    return np.sort(x, 0)


def topk(x: Nd, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True) -> tuple[Nd, Nd]:
    axis = -1 if dim is None else dim
    order = np.take(argsort(x, axis, largest), np.arange(k), axis)
    return np.take_along_axis(x, order, axis), order


def kthvalue(x: Nd, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Nd, Nd]:
    order = np.take(np.argsort(x, dim, kind="stable"), [k - 1], dim)
    value = np.take_along_axis(x, order, dim)
    return (value, order) if keepdim else (value.squeeze(dim), order.squeeze(dim))


def searchsorted(sequence: Nd, values: Nd, *, out_int32: bool = False, right: bool = False) -> Nd:
    if sequence.ndim > 1:
        return np.stack([searchsorted(s, v, right=right) for s, v in zip(sequence, values, strict=True)])
    return np.searchsorted(sequence, values, "right" if right else "left")


def bucketize(x: Nd, boundaries: Any, *, right: bool = False) -> Nd:
    return np.searchsorted(boundaries, x, "right" if right else "left")


def intopk(x: Nd, target: Nd, k: int) -> Nd:
    return np.asarray([(row > row[i]).sum() < k for row, i in zip(x, target, strict=True)])


# --- as another array -----------------------------------------------------------------------------------------------


def expand_as(x: Nd, other: Nd) -> Nd:
    return np.broadcast_to(x, other.shape)


def view_as(x: Nd, other: Nd) -> Nd:
    return x.reshape(other.shape)


def type_as(x: Nd, other: Nd) -> Nd:
    return x.astype(other.dtype)


def shift(x: Nd, fill_value: float, periods: int = 1, axis: int = -1) -> Nd:
    """The elements moved along an axis; the places that become free hold fill_value."""
    out = np.full_like(x, fill_value)
    source, target = np.moveaxis(x, axis, 0), np.moveaxis(out, axis, 0)
    for i in range(len(source)):
        if 0 <= i + periods < len(source):
            target[i + periods] = source[i]
    return out
