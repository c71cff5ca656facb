"""Operations that choose elements and order them as NumPy operations, for `numpy_programs`."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.engine.numpy_equations import Equation, Factory, NotInNumPy, Step


def _argument(fn: Step) -> Factory:
    """Return the factory of steps that compute the index of an extremum along one axis."""

    def make(eqn: Equation) -> Step:
        (axis,), dtype = eqn.params["axes"], eqn.params["index_dtype"]
        return lambda x: (np.asarray(fn(x, axis), dtype),)

    return make


def _gather(eqn: Equation) -> Step:
    numbers, sizes, out = eqn.params["dimension_numbers"], eqn.params["slice_sizes"], eqn.outvars[0].aval
    mode, fill = getattr(eqn.params["mode"], "name", ""), eqn.params["fill_value"]
    if fill is None:
        fill = np.nan if out.dtype.kind == "f" else True if out.dtype.kind == "b" else None
    if fill is None:
        bounds = np.iinfo(out.dtype)
        fill = bounds.min if out.dtype.kind == "i" else bounds.max
    if mode not in ("CLIP", "FILL_OR_DROP", "PROMISE_IN_BOUNDS"):
        raise NotInNumPy
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    remaining = [d for d in range(len(sizes)) if d not in dropped]

    def gathered(x: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray]:
        batch = starts.shape[:-1]
        index, inside = [], np.True_
        for d, size in enumerate(sizes):
            first: Any = np.zeros((), np.int64)
            if d in numbers.start_index_map:
                first = starts[..., numbers.start_index_map.index(d)].astype(np.int64)
                last = x.shape[d] - size
                inside = inside & (first >= 0) & (first <= last)
                first = np.clip(first, 0, max(last, 0))
            elif d in numbers.operand_batching_dims:
                axis = numbers.start_indices_batching_dims[numbers.operand_batching_dims.index(d)]
                first = np.arange(x.shape[d]).reshape([-1 if a == axis else 1 for a in range(len(batch))])
            first = np.reshape(first, np.shape(first) + (1,) * len(remaining))
            if d in remaining:
                first = first + np.arange(size).reshape([-1 if k == d else 1 for k in remaining])
            index.append(first)
        shape = batch + tuple(sizes[d] for d in remaining)
        result = np.broadcast_to(x[tuple(index)], shape)
        if mode == "FILL_OR_DROP" and not inside.all():
            inside = np.reshape(inside, np.shape(inside) + (1,) * len(remaining))
            result = np.where(inside, result, np.asarray(fill, out.dtype))
        return (np.moveaxis(result, range(len(batch), len(shape)), numbers.offset_dims),)

    return gathered


def _select(eqn: Equation) -> Step:
    if len(eqn.invars) != 3 or eqn.invars[0].aval.dtype.kind != "b":
        raise NotInNumPy
    return lambda which, no, yes: (np.where(which, yes, no),)


def _sort(eqn: Equation) -> Step:
    axis = eqn.params["dimension"]
    if eqn.params["num_keys"] != 1:
        raise NotInNumPy

    def ordered(key: np.ndarray, *rest: np.ndarray) -> list[np.ndarray]:
        order = np.argsort(key, axis, kind="stable")
        return [np.take_along_axis(x, order, axis) for x in (key, *rest)]

    return ordered


def _top(eqn: Equation) -> Step:
    count, out = eqn.params["k"], eqn.outvars[1].aval.dtype
    axis = eqn.params.get("axis", eqn.invars[0].aval.ndim - 1)
    if eqn.invars[0].aval.dtype.kind == "b":
        raise NotInNumPy("top_k")

    def largest(x: np.ndarray) -> tuple[np.ndarray, ...]:
        order = np.argsort(~_ranks(x), axis, kind="stable")
        order = np.take(order, range(count), axis)
        return np.take_along_axis(x, order, axis), order.astype(out)

    return largest


def _ranks(x: np.ndarray) -> np.ndarray:
    """Return integers in the order of the elements, in which NaN is the largest and -0 is less than 0."""
    if x.dtype.kind != "f":
        return x
    bits = np.ascontiguousarray(x).view(f"i{x.dtype.itemsize}")
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


FACTORIES: dict[str, Factory] = {
    "argmax": _argument(np.argmax),
    "argmin": _argument(np.argmin),
    "gather": _gather,
    "select_n": _select,
    "sort": _sort,
    "top_k": _top,
}
