"""Reference functions in NumPy for rows whose conventions are MindSpore's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special


def subtract(x, y, *, alpha=1):
    return x - y * np.float32(alpha)


def truncate_div(x, y):
    return np.trunc(np.true_divide(x, y)).astype(np.result_type(x, y))


def truncate_integers(x, y):
    return np.trunc(np.true_divide(x, y)).astype(np.result_type(x, y)) if x.dtype.kind == "i" else np.true_divide(x, y)


def maximum(x, y):
    return np.where(x >= y, x, y)


def minimum(x, y):
    return np.where(x <= y, x, y)


def below_zero(x):
    return x < 0


def div_no_nan(x, y):
    return np.divide(x, y, out=np.zeros(np.broadcast(x, y).shape, np.float32), where=y != 0, casting="unsafe")


def mul_no_nan(x, y):
    return np.where(y == 0, np.float32(0), x * y)


def rsqrt(x):
    return 1 / np.sqrt(x)


def squared_difference(x, y):
    return (x - y) ** 2


def addn(x):
    return np.sum(np.stack(x), 0, dtype=x[0].dtype)


def addcmul(x, a, b, v=1):
    return x + v * a * b


def addcdiv(x, a, b, v=1):
    return x + v * a / b


def lerp(x, y, w):
    return x + w * (y - x)


def ldexp(x, y):
    return x * 2.0**y


def xdivy(x, y):
    return np.where(x == 0, np.float32(0), x / np.where(np.equal(y, 0), 1, y))


def polar(r, phi):
    return r * np.exp(1j * phi)


def complex_(re, im):
    return re + 1j * im


def logit(x, eps=None):
    return scipy.special.logit(x if eps is None else np.clip(x, eps, 1 - eps))


def absolute(x):
    return np.abs(x).astype(x.dtype)


def sign(x):
    return np.nan_to_num(np.sign(x))


def view_as_real(x):
    return np.stack([x.real, x.imag], -1)


def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def population_count(x):
    return np.vectorize(lambda v: bin(v & (1 << 8 * x.itemsize) - 1).count("1"), otypes=[np.uint8])(x.astype(np.int64))


def eps(x):
    return np.full_like(x, np.finfo(x.dtype).eps)


def approximate_equal(x, y, tolerance=1e-5):
    return np.abs(x - y) < tolerance


def equal_count(x, y):
    return np.array([np.sum(x == y)], x.dtype)


def float_status(x):
    return np.array([not np.isfinite(x).all()], np.float32)


def clip(x, low=None, high=None):
    low, high = (None if v is None else np.asarray(v).astype(x.dtype) for v in (low, high))
    return np.clip(x, low, high)


def clip_by_value(x, low=None, high=None):
    return [clip(v, low, high) for v in x] if isinstance(x, list) else clip(x, low, high)


def clip_by_norm(x, limit, order=2.0):
    parts = x if isinstance(x, list) else [x]
    total = np.linalg.norm(np.concatenate([p.ravel() for p in parts]), order)
    out = [p * np.float32(min(limit / (total + 1e-6), 1)) for p in parts]
    return out if isinstance(x, list) else out[0]


def clip_by_global_norm(x, limit=1.0):
    total = np.sqrt(sum(np.sum(p**2) for p in x))
    return [p * np.float32(limit / max(total, limit)) for p in x]


# --- reductions -----------------------------------------------------------------------------------------------------


def _all(axis):
    return None if axis == () else axis


def reduce_sum(x, axis=(), keep=False, skip=False):
    return x if skip and axis == () else np.sum(x, axis=_all(axis), keepdims=keep, dtype=x.dtype)


def reduce_prod(x, axis=(), keep=False):
    return np.prod(x, axis=_all(axis), keepdims=keep, dtype=x.dtype)


def mean(x, axis=None, keep=False):
    return (
        np.trunc(np.mean(x, axis=axis, keepdims=keep)).astype(x.dtype)
        if x.dtype.kind in "iu"
        else np.mean(x, axis=axis, keepdims=keep)
    )


def amax(x, axis=None, keepdims=False, initial=-np.inf):
    return (
        np.max(x, axis=axis, keepdims=keepdims)
        if x.dtype.kind == "i"
        else np.max(x, axis=axis, keepdims=keepdims, initial=initial)
    )


def amin(x, axis=None, keepdims=False, initial=np.inf):
    return (
        np.min(x, axis=axis, keepdims=keepdims)
        if x.dtype.kind == "i"
        else np.min(x, axis=axis, keepdims=keepdims, initial=initial)
    )


def _with_index(value, index, x, axis, keepdims, initial):
    x = x if initial is None else value[1](x, x.dtype.type(initial))
    if axis is None:
        return value[0](x), np.int64(0)
    return value[0](x, axis=axis, keepdims=keepdims), index(x, axis=axis, keepdims=keepdims)


def max_with_index(x, axis=None, keepdims=False, initial=None):
    return _with_index((np.max, np.maximum), np.argmax, x, axis, keepdims, initial)


def min_with_index(x, axis=None, keepdims=False, initial=None):
    return _with_index((np.min, np.minimum), np.argmin, x, axis, keepdims, initial)


def argmax(x, axis=None, keepdims=False):
    return np.argmax(x, axis=axis, keepdims=keepdims and axis is not None)


def argmin(x, axis=None, keepdims=False):
    return np.argmin(x, axis=axis, keepdims=keepdims and axis is not None)


def aminmax(x, *, axis=0, keepdims=False):
    return np.min(x, axis=axis, keepdims=keepdims), np.max(x, axis=axis, keepdims=keepdims)


def count_nonzero(x, axis=(), keep=False):
    return np.sum(x != 0, axis=_all(axis), keepdims=keep)


def var(x, axis=None, ddof=0, keepdims=False):
    return np.var(x.astype(np.float32), axis=axis, ddof=ddof, keepdims=keepdims)


def std(x, axis=None, ddof=0, keepdims=False):
    return np.sqrt(var(x, axis, ddof, keepdims))


def std_mean(x, axis=None, ddof=0, keepdims=False):
    return std(x, axis, ddof, keepdims), np.mean(x, axis=axis, keepdims=keepdims)


def var_mean(x, axis=None, ddof=0, keepdims=False):
    return var(x, axis, ddof, keepdims), np.mean(x, axis=axis, keepdims=keepdims)


def _pick(x, index, axis, keepdims):
    index = np.expand_dims(index, axis)
    found = np.take_along_axis(x, index, axis)
    return (found, index) if keepdims else (found.squeeze(axis), index.squeeze(axis))


def median(x, axis=-1, keepdims=False):
    index = np.argsort(x, axis, kind="stable").take((x.shape[axis] - 1) // 2, axis)
    lost = np.isnan(x)
    return _pick(x, np.where(lost.any(axis), lost.argmax(axis), index), axis, keepdims)


def nanmedian(x, axis=-1, keepdims=False):
    middle = np.maximum((~np.isnan(x)).sum(axis) - 1, 0) // 2
    index = np.take_along_axis(np.argsort(x, axis, kind="stable"), np.expand_dims(middle, axis), axis).squeeze(axis)
    return _pick(x, index, axis, keepdims)


def matrix_norm(x, order: Any = "fro", axis=(-2, -1), keepdims=False):
    return np.linalg.norm(x, order, axis, keepdims)


def lp_norm(x, axis, p=2, keep=False):
    return np.sum(np.abs(x) ** p, axis=axis, keepdims=keep) ** (1 / p)


def dist(x, y, p=2):
    return np.linalg.norm((x - y).ravel(), p)


def renorm(x, p, axis, limit):
    over = tuple(a for a in range(x.ndim) if a != axis)
    size = np.sum(np.abs(x) ** p, over, keepdims=True) ** (1 / p)
    return x * np.where(size > limit, limit / (size + 1e-7), 1)


def logsumexp(x, axis, keepdims=False):
    return scipy.special.logsumexp(x, axis=_all(axis), keepdims=keepdims)


def square_sum_all(x, y):
    return np.sum(x**2), np.sum(y**2)


# --- running --------------------------------------------------------------------------------------------------------


def logcumsumexp(x, axis):
    return np.logaddexp.accumulate(x, axis)


def _running(x: Any, axis: int, better: Any) -> Any:
    rows = np.moveaxis(x, axis, -1)
    index = np.zeros(rows.shape, np.int64)
    for at in np.ndindex(rows.shape[:-1]):
        best = 0
        for i, v in enumerate(rows[at]):
            best = i if not np.isnan(rows[at][best]) and (np.isnan(v) or better(v, rows[at][best])) else best
            index[(*at, i)] = best
    index = np.moveaxis(index, -1, axis)
    return np.take_along_axis(x, index, axis), index


def cummax(x, axis):
    return _running(x, axis, np.greater_equal)


def cummin(x, axis):
    return _running(x, axis, np.less_equal)


# --- counts ---------------------------------------------------------------------------------------------------------


def bincount(x, weights=None, minlength=0):
    return np.bincount(x[x >= 0], weights, minlength).astype(np.float32)


def histc(x, bins=100, low=0.0, high=0.0):
    if low == high == 0:
        low, high = x.min(), x.max()
    low, high = (low - 1, high + 1) if low == high else (low, high)
    return np.histogram(x, bins, (low, high))[0].astype(x.dtype)


def cov(x, *, correction=1, fweights=None, aweights=None):
    return np.cov(x, ddof=correction, fweights=fweights, aweights=aweights)
