"""Convolutions, pooling, windows at computed positions, scattered sums and products as NumPy operations, for `numpy_programs`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from sporax._src.engine.numpy_equations import Equation, Factory, NotInNumPy, Step

_sliding: Any = sliding_window_view  # NumPy's stubs know one axis only

_MOST_COPIED = 2**23  # elements of all windows of a convolution
_ONE_THREAD = 2**18  # multiplications up to which OpenBLAS uses one thread
_FEW_THREADS = 2**24  # multiplications up to which one thread is enough


def convolution(eqn: Equation) -> Step:
    """Return the step of `conv_general_dilated`: a matrix product of all windows with the kernel."""
    params, out = eqn.params, eqn.outvars[0].aval
    numbers, groups, batches = params["dimension_numbers"], params["feature_group_count"], params["batch_group_count"]
    kernel = eqn.invars[1].aval.shape
    size = math.prod(kernel) // kernel[numbers.rhs_spec[0]]  # numbers that one result is a sum of
    positions = math.prod(out.shape) // out.shape[numbers.out_spec[1]]
    if out.dtype.kind != "f" or out.dtype.itemsize < 4 or positions * size * groups > _MOST_COPIED:
        raise NotInNumPy("convolution")
    dilation, strides = params["rhs_dilation"], params["window_strides"]

    def convolved(x: np.ndarray, kernel: np.ndarray) -> tuple[np.ndarray]:
        kernel = kernel.transpose(numbers.rhs_spec)
        x = _padded(x.transpose(numbers.lhs_spec), params["padding"], params["lhs_dilation"], 0)
        parts = np.split(x, batches) if batches > 1 else [x]
        kernels = np.split(kernel, batches) if batches > 1 else [kernel]
        results = [
            _products(_windows(p, k.shape[2:], strides, dilation), k, groups)
            for p, k in zip(parts, kernels, strict=True)
        ]
        result = np.concatenate(results, 1) if batches > 1 else results[0]
        return (result.transpose([int(a) for a in np.argsort(numbers.out_spec)]).astype(out.dtype, copy=False),)

    return convolved


def _padded(x: np.ndarray, padding: Sequence[Any], dilation: Sequence[int], value: object) -> np.ndarray:
    """Return images (batch, channels, *space) with `value` between elements and around them; negative padding cuts."""
    space = x.shape[2:]
    stretched = [max((n - 1) * d + 1, 0) if n else 0 for n, d in zip(space, dilation, strict=True)]
    sizes = [n + max(low, 0) + max(high, 0) for n, (low, high) in zip(stretched, padding, strict=True)]
    result = np.full(x.shape[:2] + tuple(sizes), value, x.dtype)
    inside = [
        slice(max(low, 0), max(low, 0) + n, d) for n, (low, _), d in zip(stretched, padding, dilation, strict=True)
    ]
    result[(..., *inside)] = x
    cut = [slice(max(-low, 0), n - max(-high, 0)) for n, (low, high) in zip(sizes, padding, strict=True)]
    return result[(..., *cut)]


def _windows(x: np.ndarray, size: Sequence[int], strides: Sequence[int], dilation: Sequence[int]) -> np.ndarray:
    """Return the windows of images: (batch, channels, *positions, *window)."""
    reach = tuple((n - 1) * d + 1 for n, d in zip(size, dilation, strict=True))
    views = _sliding(x, reach, tuple(range(2, x.ndim)))
    return views[(..., *(slice(None, None, s) for s in strides), *(slice(None, None, d) for d in dilation))]


def _products(windows: np.ndarray, kernel: np.ndarray, groups: int) -> np.ndarray:
    space = kernel.ndim - 2
    batch, channels = windows.shape[:2]
    positions = windows.shape[2 : 2 + space]
    each = channels // groups
    rows = windows.reshape(batch, groups, each, *windows.shape[2:])
    order = (1, 0, *range(3, 3 + space), 2, *range(3 + space, 3 + 2 * space))
    rows = rows.transpose(order).reshape(groups, batch * math.prod(positions), each * math.prod(kernel.shape[2:]))
    columns = kernel.reshape(groups, kernel.shape[0] // groups, rows.shape[2]).transpose(0, 2, 1)
    result = product(rows, columns).reshape(groups, batch, *positions, kernel.shape[0] // groups)
    return np.moveaxis(np.moveaxis(result, -1, 2), 0, 1).reshape(batch, kernel.shape[0], *positions)


def reduce_window(fn: np.ufunc) -> Factory:
    """Return the factory of steps that reduce windows of an array: pooling."""

    def make(eqn: Equation) -> Step:
        start = _first(fn, eqn.outvars[0].aval.dtype)
        return lambda x: (fn.reduce(_pooled(x, eqn.params, start), tuple(range(x.ndim, 2 * x.ndim))).astype(x.dtype),)

    return make


def _first(fn: np.ufunc, dtype: np.dtype) -> Any:
    if fn is np.add:
        return 0
    if dtype.kind != "f":
        raise NotInNumPy("reduce_window")
    return -np.inf if fn is np.maximum else np.inf


def _pooled(x: np.ndarray, params: dict[str, Any], start: object) -> np.ndarray:
    """Return the windows of an array: (*positions, *window)."""
    ones = (1,) * x.ndim
    x = _padded(x[None, None], params["padding"], params.get("base_dilation", ones), start)
    size, strides = params["window_dimensions"], params["window_strides"]
    return _windows(x, size, strides, params.get("window_dilation", ones))[0, 0]


def select_and_scatter_add(eqn: Equation) -> Step:
    """Return the step that adds the gradient of each window to the first of its largest elements."""
    params, dtype = eqn.params, eqn.outvars[0].aval.dtype
    if params["select_prim"].name != "ge" or dtype.kind != "f":
        raise NotInNumPy("select_and_scatter_add")
    size = params["window_dimensions"]

    def scattered(source: np.ndarray, x: np.ndarray) -> tuple[np.ndarray]:
        windows = _pooled(x, params, -np.inf)
        chosen = windows.reshape(*source.shape, -1).argmax(-1)
        within = np.unravel_index(chosen, size)
        places = []
        for axis, (offset, (low, _)) in enumerate(zip(within, params["padding"], strict=True)):
            first = np.arange(source.shape[axis]) * params["window_strides"][axis] - low
            places.append(first.reshape([-1 if a == axis else 1 for a in range(x.ndim)]) + offset)
        result = np.zeros_like(x)
        inside = np.logical_and.reduce([(p >= 0) & (p < n) for p, n in zip(places, x.shape, strict=True)])
        np.add.at(result, tuple(p[inside] for p in places), source[inside])
        return (result,)

    return scattered


def scattered(combine: Callable[[np.ndarray, Any, np.ndarray], None]) -> Factory:
    """Return the factory of steps that write into windows with all elements of the axes that are not indexed.

    Args:
        combine: Writes values at places of an array.
    """
    return lambda eqn: _scattered(eqn, combine)


def _scattered(eqn: Equation, combine: Callable[[np.ndarray, Any, np.ndarray], None]) -> Step:
    numbers, mode = eqn.params["dimension_numbers"], getattr(eqn.params["mode"], "name", "")
    shape, updates = eqn.invars[0].aval.shape, eqn.invars[2].aval.shape
    indexed, batched = numbers.scatter_dims_to_operand_dims, numbers.operand_batching_dims
    free = [d for d in range(len(shape)) if d not in (*numbers.inserted_window_dims, *batched)]
    if [updates[d] for d in numbers.update_window_dims] != [shape[d] for d in free] or set(indexed) & set(free):
        raise NotInNumPy(eqn.primitive.name)
    outer = [d for d in range(len(updates)) if d not in numbers.update_window_dims]
    order = [*batched, *indexed, *free]

    def written(x: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> tuple[np.ndarray]:
        batch = indices.shape[:-1]
        places = [np.zeros(batch, np.int64)]  # of an axis in front, for windows that are the whole array
        places += [
            np.arange(batch[axis]).reshape([-1 if a == axis else 1 for a in range(len(batch))])
            for axis in numbers.scatter_indices_batching_dims
        ]
        inside = np.ones(batch, bool)
        for k, d in enumerate(indexed):
            place = indices[..., k].astype(np.int64)
            if mode == "CLIP":
                place = np.clip(place, 0, shape[d] - 1)
            inside &= (place >= 0) & (place < shape[d])
            places.append(place)
        result = x.transpose(order).copy()
        values = updates.transpose([*outer, *numbers.update_window_dims])
        combine(result[None], tuple(np.broadcast_to(p, batch)[inside] for p in places), values[inside])
        return (result.transpose([int(a) for a in np.argsort(order)]),)

    return written


def dynamic_slice(eqn: Equation) -> Step:
    """Return the step that reads one window of an array."""
    sizes = eqn.params["slice_sizes"]

    def read(x: np.ndarray, *starts: np.ndarray) -> tuple[np.ndarray]:
        return (x[_window(x.shape, starts, sizes)],)

    return read


def dynamic_update_slice(_: object) -> Step:
    """Return the step that replaces one window of an array."""

    def updated(x: np.ndarray, part: np.ndarray, *starts: np.ndarray) -> tuple[np.ndarray]:
        x = x.copy()
        x[_window(x.shape, starts, part.shape)] = part
        return (x,)

    return updated


def _window(shape: Sequence[int], starts: Sequence[Any], sizes: Sequence[int]) -> tuple[slice, ...]:
    """Return the slices of a window, moved inside the bounds if it exceeds them."""
    first = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, shape, sizes, strict=True)]
    return tuple(slice(s, s + k) for s, k in zip(first, sizes, strict=True))


def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the products of matrices (N, A, B) and (N, B, C).

    NumPy's BLAS divides a product among threads that wait in loops: on a busy machine one takes 12 ms in place of 0.2. So one that
    is not large is computed in parts, each too small for threads.
    """
    batch, rows, count = x.shape
    one, whole = count * y.shape[2], rows * count * y.shape[2]
    if not _ONE_THREAD < whole <= _FEW_THREADS or one > _ONE_THREAD // 4:
        return np.matmul(x, y)
    height = -(-rows // -(-whole // _ONE_THREAD))
    end = rows - rows % height
    parts = np.matmul(x[:, :end].reshape(batch, -1, height, count), y[:, None]).reshape(batch, end, -1)
    return parts if end == rows else np.concatenate([parts, np.matmul(x[:, end:], y)], 1)


FACTORIES: dict[str, Factory] = {
    "conv_general_dilated": convolution,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "reduce_window_max": reduce_window(np.maximum),
    "reduce_window_min": reduce_window(np.minimum),
    "reduce_window_sum": reduce_window(np.add),
    "scatter": scattered(np.ndarray.__setitem__),
    "scatter-add": scattered(np.add.at),
    "select_and_scatter_add": select_and_scatter_add,
}
