"""What the functions of `mindspore.numpy` make of their arguments, and ask of shapes, axes and types.

These are `mindspore.numpy.utils` and `mindspore.numpy.utils_const`, which copies of MindSpore's functions import from there.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from types import FunctionType
from typing import Any, NoReturn

import numpy as np

from sporax import Tensor, bool_, float16, float32, float64, get_context, int32, int64, pytype_to_dtype
from sporax._src.compat.operators import ops
from sporax._src.compat.shims.checks.checkparam_sequences import check_axis_type
from sporax._src.compat.shims.numeric.numpy_dtypes import (
    all_types,
    dtype_map,
    dtype_tuple,
    promotion_rule,
    rule_for_trigonometric,
)
from sporax._src.core import dtype as mstype

__all__ = [
    "_abs", "_add_unit_axes", "_apply_tensor_op",
    "_broadcast_to", "_broadcast_to_shape", "_broadcast_tuples", "_callable", "_callable_const",
    "_can_broadcast", "_canonicalize_axis", "_ceil", "_check_axes_range", "_check_axis_in_range", "_check_axis_type",
    "_check_axis_valid", "_check_dtype", "_check_element_int", "_check_input_for_asarray", "_check_input_tensor",
    "_check_is_float", "_check_is_inf", "_check_is_int", "_check_same_type", "_check_shape", "_check_shape_aligned",
    "_check_start_normalize", "_convert_64_to_32", "_convert_bool_to_int", "_convert_list_tensor_to_tuple_tensor", "_cumprod",
    "_deep_list", "_deep_tensor_to_nparray", "_empty", "_expand", "_expanded_shape", "_get_device", "_get_dtype_from_scalar",
    "_get_size", "_in", "_infer_out_shape", "_iota", "_is_scalar", "_is_shape_empty", "_isnan", "_isscalar",
    "_list_comprehensions", "_make_tensor", "_max", "_min", "_promote", "_promote_for_trigonometric", "_raise_runtime_error",
    "_raise_type_error", "_raise_unimplemented_error", "_raise_value_error", "_seq_prod", "_slice_along_axis", "_tile_size",
    "_to_tensor", "_to_tensor_origin_dtype", "_tuple_setitem", "_tuple_slice", "_type_convert", "reduce_",
]  # fmt: skip

_Shape = Sequence[int]
_NARROW = {float64: float32, int64: int32}

# --- arguments ----------------------------------------------------------------------------------------------------------


def _convert_64_to_32(tensor: Tensor) -> Tensor:
    """Return float64 as float32 and int64 as int32, other types as they are."""
    return tensor.astype(_NARROW.get(tensor.dtype, tensor.dtype))


def _convert_bool_to_int(tensor: Tensor) -> Tensor:
    """Return bools as int32, other types as they are."""
    return tensor.astype(int32) if tensor.dtype == bool_ else tensor


def _to_tensor(*args: Any) -> Any:
    """Return each argument as a Tensor, numbers and lists of 32 bits; one alone by itself, several as a tuple.

    Raises:
        TypeError: If one is no number, list, tuple or Tensor.
    """
    found = tuple(arg if isinstance(arg, Tensor) else _convert_64_to_32(_tensor(arg)) for arg in args)
    return found[0] if len(found) == 1 else found


def _to_tensor_origin_dtype(*args: Any) -> Any:
    """Return each argument as a Tensor of the type it has; one alone by itself, several as a list.

    Raises:
        TypeError: If one is no number, list, tuple or Tensor.
    """
    found = [_tensor(arg) for arg in args]
    return found[0] if len(found) == 1 else found


def _tensor(arg: Any) -> Tensor:
    if isinstance(arg, Tensor):
        return arg
    if not isinstance(arg, (int, float, bool, list, tuple)):
        raise TypeError(f"Expect input to be array like, got {type(arg).__name__}.")
    return Tensor(arg)


def _check_input_tensor(*tensors: Any) -> bool:
    """Return True; raise TypeError unless all are Tensors."""
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expect Tensor, but got {type(tensor)}")
    return True


def _check_input_for_asarray(array_like: Any) -> None:
    """Raise TypeError unless something can become a Tensor: a number, a Tensor, a list or a tuple."""
    if not isinstance(array_like, (Tensor, list, tuple, int, float, bool)):
        raise TypeError(
            f"input data must be `int`, `float`, `bool`, `Tensor`, `list`, `tuple`, but got {type(array_like)}"
        )


def _deep_list(array_like: Any) -> Any:
    """Return nested lists and tuples as nested lists."""
    return [_deep_list(item) for item in array_like] if isinstance(array_like, (list, tuple)) else array_like


def _deep_tensor_to_nparray(array_like: Any) -> Any:
    """Return nested lists with arrays where they hold Tensors; the lists are changed."""
    if isinstance(array_like, list):
        array_like[:] = [_deep_tensor_to_nparray(item) for item in array_like]
    return array_like.asnumpy() if isinstance(array_like, Tensor) else array_like


def _convert_list_tensor_to_tuple_tensor(list_of_tensor: Any) -> Any:
    """Return a list as a tuple, other things as they are."""
    return tuple(list_of_tensor) if isinstance(list_of_tensor, list) else list_of_tensor


def _type_convert(force: Any, obj: Any) -> Any:
    """Return a type made of an object."""
    return force(obj)


def _make_tensor(val: Any, dtype: Any) -> Tensor:
    """Return a Tensor of a value and a type."""
    return Tensor(val, dtype)


def _empty(dtype: Any, shape: _Shape) -> Tensor:
    """Return a Tensor of which nobody reads the values: zeros."""
    return ops.zeros(shape, dtype)


def _iota(dtype: Any, num: int, increasing: bool = True) -> Tensor:
    """Return the numbers from 0 to num - 1, or the other way round.

    Raises:
        ValueError: If there is none.
    """
    if num <= 0:
        raise ValueError("zero shape Tensor is not currently supported.")
    return Tensor(np.arange(int(num))[:: 1 if increasing else -1].tolist(), dtype)


# --- errors -------------------------------------------------------------------------------------------------------------


def _raise_type_error(info: str, param: Any = None) -> NoReturn:
    """Raise TypeError that says `info`, and the type of a value behind it."""
    raise TypeError(info if param is None else f"{info}{type(param)}")


def _raise_value_error(info: str, param: Any = None) -> NoReturn:
    """Raise ValueError that says `info`, and a value behind it."""
    raise ValueError(info if param is None else f"{info}{param}")


def _raise_runtime_error(info: str, param: Any = None) -> NoReturn:
    """Raise RuntimeError that says `info`, and a value behind it."""
    raise RuntimeError(info if param is None else f"{info}{param}")


def _raise_unimplemented_error(info: str, param: Any = None) -> NoReturn:
    """Raise NotImplementedError that says `info`, and a value behind it."""
    raise NotImplementedError(info if param is None else f"{info}{param}")


# --- types --------------------------------------------------------------------------------------------------------------


def _check_dtype(dtype: Any) -> Any:
    """Return the type that a name, a Python type or a type stands for, numbers of Python of 32 bits.

    Raises:
        TypeError: If it is none of `mindspore.numpy`.
    """
    if isinstance(dtype, str):
        dtype = dtype_map.get(dtype.lower())
    elif isinstance(dtype, type):
        dtype = {int: int32, float: float32}.get(dtype) or pytype_to_dtype(dtype)
    if dtype not in dtype_tuple:
        raise TypeError(f"only {all_types} are allowed for dtype, but got {type(dtype)}")
    return dtype


def _promote(dtype1: Any, dtype2: Any) -> Any:
    """Return the type that two become.

    Raises:
        TypeError: If one is none of `mindspore.numpy`.
    """
    found = dtype1 if dtype1 == dtype2 else promotion_rule.get((dtype1, dtype2), promotion_rule.get((dtype2, dtype1)))
    if found is None:
        raise TypeError(f"input dtype: {dtype1}, {dtype2} are not all mindspore datatypes.")
    return found


def _promote_for_trigonometric(dtype: Any) -> Any:
    """Return the type of the sine of a type.

    Raises:
        TypeError: If it is none of `mindspore.numpy`.
    """
    if dtype not in rule_for_trigonometric:
        raise TypeError(f"input dtype: {dtype} is not a mindspore datatype.")
    return rule_for_trigonometric[dtype]


def _check_same_type(dtype1: Any, dtype2: Any) -> bool:
    """Tell whether two types are the same."""
    return dtype1 == dtype2


def _check_is_float(dtype: Any) -> bool:
    """Tell whether a type is float16 or float32."""
    return dtype in (float16, float32)


def _check_is_int(dtype: Any) -> bool:
    """Tell whether a type is one of signed integers."""
    return isinstance(dtype, mstype.Int)


def _isscalar(x: Any) -> bool:
    """Tell whether a type is one of numbers, bools or strings."""
    return isinstance(x, mstype.Number) or x == mstype.string


def _callable_const(x: Any) -> bool:
    """Tell whether a type is that of functions."""
    return x == mstype.function


def _callable(tensor: Any, obj: Any) -> bool:
    """Tell whether an object is a function."""
    return isinstance(obj, FunctionType)


def _get_dtype_from_scalar(*input_numbers: Any) -> Any:
    """Return the type of several numbers, bool_, int32 or float32; None counts as none of them."""
    given = [number for number in input_numbers if number is not None]
    if all(isinstance(number, bool) for number in given):
        return bool_
    return int32 if all(isinstance(number, int) for number in given) else float32


def _get_device() -> str:
    """Return what programs compute on."""
    return get_context("device_target")


# --- axes ---------------------------------------------------------------------------------------------------------------

_check_axis_type = check_axis_type


def _check_axis_in_range(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front.

    Raises:
        TypeError: If it is no int.
        ValueError: If there is no such axis.
    """
    if not isinstance(axis, int):
        raise TypeError(f"axes should be integers, not {type(axis)}")
    if not -ndim <= axis < ndim:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {ndim}")
    return axis % ndim


def _check_axis_valid(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return axes counted from the front as a tuple, all of them for None.

    Raises:
        TypeError: If one is no int.
        ValueError: If one is out of range, or given twice.
    """
    if axes is None:
        return tuple(range(ndim))
    found = tuple(_check_axis_in_range(axis, ndim) for axis in (axes if isinstance(axes, (tuple, list)) else (axes,)))
    if len(set(found)) < len(found):
        raise ValueError('duplicate value in "axis"')
    return found


def _canonicalize_axis(axis: Any, ndim: int) -> Any:
    """Return an axis, or axes in ascending order, counted from the front; a single one as an int.

    Raises:
        TypeError: If one is no int.
        ValueError: If one is out of range, or given twice.
    """
    axes = tuple(sorted(_check_axis_in_range(a, ndim) for a in ([axis] if isinstance(axis, int) else axis)))
    if len(set(axes)) < len(axes):
        raise ValueError(f"duplicate axes in {axes}.")
    return axes[0] if len(axes) == 1 else axes


def _check_axes_range(axes: Any, ndim: int) -> Any:
    """Return an axis, or a list of them in ascending order, counted from the front; see `_canonicalize_axis`."""
    _check_axis_type(axes, True, True, True)
    if isinstance(axes, (list, tuple)):
        _check_element_int(axes)
    return _canonicalize_axis(axes, ndim)


def _check_start_normalize(start: int, ndim: int) -> int:
    """Return where `rollaxis` moves an axis to, counted from the front.

    Raises:
        ValueError: If it is out of range.
    """
    if not -ndim <= start <= ndim:
        raise ValueError(f"For rollaxis, start {start} is out of bounds. Ranging from {-ndim} to {ndim} is allowed.")
    return start + ndim if start < 0 else start


def _check_element_int(lst: Iterable[Any]) -> bool:
    """Return True; raise TypeError unless all are ints."""
    for item in lst:
        if not isinstance(item, int):
            raise TypeError(f"Each element in {lst} should be integer, but got {type(item)}.")
    return True


# --- shapes -------------------------------------------------------------------------------------------------------------


def _check_shape(shape: Any) -> tuple[int, ...]:
    """Return a size, several, or a Tensor of them as a tuple.

    Raises:
        TypeError: If it is something else, or a size no int.
        ValueError: If a size is negative.
    """
    if not isinstance(shape, (int, tuple, list, Tensor)):
        raise TypeError(f"only int, tuple, list and tensor are allowed for shape, but got {type(shape)}")
    given = shape.asnumpy().tolist() if isinstance(shape, Tensor) else shape
    sizes = (given,) if isinstance(given, int) else tuple(given)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"each entry in shape should be int, got {type(size)}.")
        if size < 0:
            raise ValueError(f"each entry in shape should no less than 0, got {size}.")
    return sizes


def _infer_out_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that Tensors of these shapes broadcast to.

    Raises:
        ValueError: If they do not.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"operands could not be broadcast together with shapes {shapes}") from None


def _can_broadcast(*shapes: tuple[int, ...]) -> bool:
    """Tell whether Tensors of these shapes broadcast."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def _is_shape_empty(shp: Any) -> bool:
    """Tell whether a size, or one of several, is 0."""
    return shp == 0 if isinstance(shp, int) else 0 in shp


def _is_scalar(shape: _Shape) -> bool:
    """Tell whether a shape is that of one element."""
    return math.prod(shape) == 1


def _get_size(x: Tensor, axis: Any = None) -> int:
    """Return how many elements a Tensor has along axes, along all for None."""
    return math.prod(x.shape if axis is None or len(axis) == 0 else [x.shape[ax] for ax in axis])


def _check_shape_aligned(shape1: _Shape, shape2: _Shape) -> None:
    """Raise ValueError unless the last sizes are the same."""
    if shape1[-1] != shape2[-1]:
        raise ValueError(f"shapes {shape1} {shape2} not aligned: {shape1[-1]} (dim 0) != {shape2[-1]} (dim 0)")


def _tile_size(shape: _Shape, out_shape: _Shape, ndim: int) -> tuple[int, ...]:
    """Return how often a Tensor is repeated along each axis to have another shape."""
    sizes = tuple(1 if have == want else want for have, want in zip(shape, out_shape, strict=False))
    return sizes + (1,) * (ndim - len(sizes))


def _expanded_shape(ndim: int, axis_size: int, axis: int) -> tuple[int, ...]:
    """Return a shape of sizes 1 but for one axis."""
    return tuple(axis_size if i == axis else 1 for i in range(ndim))


def _add_unit_axes(shape: Any, ndim: int, append: bool = False) -> tuple[int, ...]:
    """Return a shape with sizes 1 before it, or behind it, so that it has `ndim` axes."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    ones = (1,) * (ndim - len(sizes))
    return sizes + ones if append else ones + sizes


def _expand(x: Tensor, ndim: int, axis: int = 0) -> Tensor:
    """Return a Tensor with axes of size 1 before its own, or behind them for -1, so that it has `ndim`."""
    return ops.reshape(x, _add_unit_axes(x.shape, ndim, axis == -1))


def _broadcast_to(x: Tensor, shape_cur: _Shape, shape_to: _Shape, ndim_to: int) -> Tensor:
    """Return a Tensor repeated from one shape to another."""
    return ops.tile(x, _tile_size(shape_cur, shape_to, ndim_to))


def _broadcast_to_shape(x: Tensor, shape: _Shape) -> Tensor:
    """Return a Tensor repeated to a shape of as many axes or more."""
    x = _expand(x, len(shape))
    return _broadcast_to(x, x.shape, shape, len(shape))


def _slice_along_axis(f: Tensor, axis: int, slice_start: int, slice_end: int) -> Tensor:
    """Return a part of a Tensor along one axis."""
    return f[(slice(None),) * (axis % f.ndim) + (slice(slice_start, slice_end),)]


# --- functions of Tensors -----------------------------------------------------------------------------------------------


def _apply_tensor_op(fn: Callable[..., Tensor], *args: Any, dtype: Any = None) -> Tensor:
    """Return what a function makes of arguments as Tensors, cast to a type unless None."""
    found = _to_tensor(*args)
    out = fn(found) if isinstance(found, Tensor) else fn(*found)
    return out if dtype is None else out.astype(dtype)


def reduce_(
    a: Tensor,
    reduce_fn: Callable[..., Tensor],
    cmp_fn: Callable[..., Tensor] | None = None,
    axis: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    dtype: Any = None,
) -> Tensor:
    """Return what a function makes of a Tensor along axes.

    Args:
        a: The Tensor.
        reduce_fn: The function, called with the Tensor and a tuple of axes.
        cmp_fn: What the elements and `initial` are joined by first.
        axis: The axes; None for all.
        keepdims: Accepted; `reduce_fn` keeps axes or not.
        initial: A number, or None.
        where: A mask that broadcasts with the Tensor; `initial` is taken where it is False.
        dtype: The type of the result; None for that of the Tensor.

    Raises:
        TypeError: If `initial` is no number.
        ValueError: If there is a mask without `initial`, or an axis is wrong.
    """
    dtype = a.dtype if dtype is None else dtype
    axes = _check_axis_valid(axis, a.ndim)
    if initial is not None:
        if not isinstance(initial, (int, float, bool, Tensor)) or (isinstance(initial, Tensor) and initial.ndim):
            raise TypeError("initial must be scalar")
        initial = ops.broadcast_to(Tensor(initial, dtype), a.shape)
        a = cmp_fn(a, initial) if cmp_fn else a
    mask = where if isinstance(where, Tensor) or where is None else Tensor(where, bool_)
    if mask is not None and (mask.shape or not mask):
        if initial is None:
            raise ValueError("initial value must be provided for where masks")
        count = a.ndim
        a = ops.where(mask.astype(bool_), a, initial)
        added = a.ndim - count
        axes = (*range(added), *(axis + added for axis in axes))
    return reduce_fn(a, axes).astype(dtype)


# --- tuples and numbers -------------------------------------------------------------------------------------------------

_max, _min, _abs, _ceil = max, min, abs, math.ceil
_isnan = ops.isnan


def _check_is_inf(x: float, negative: bool = False) -> bool:
    """Tell whether a number is infinite, or, if asked so, negative and infinite."""
    return x == (-math.inf if negative else math.inf)


def _in(x: Any, y: Any) -> bool:
    """Tell whether one is in the other."""
    return x in y


def _broadcast_tuples(tup1: Any, tup2: Any) -> tuple[Any, Any]:
    """Return two tuples as long as each other; an int is a tuple of one, and a tuple of one repeats.

    Raises:
        TypeError: If one is neither.
        ValueError: If their lengths differ otherwise.
    """
    first, second = ((t,) if isinstance(t, int) else t for t in (tup1, tup2))
    if not isinstance(first, (tuple, list)) or not isinstance(second, (tuple, list)):
        raise TypeError("input shift and axis must be tuple or list or int.")
    if 1 not in (len(first), len(second)) and len(first) != len(second):
        raise ValueError("shape mismatch: objects cannot be broadcast to a single shape")
    return (
        first * (len(second) if len(first) == 1 else 1),
        second * (len(first) if len(second) == 1 else 1),
    )


def _list_comprehensions(obj: Any, item: Any = None, return_tuple: bool = False, make_none: bool = False) -> Any:
    """Return a list as long as another, or as a number says: of its elements, or of one item, or of None.

    Args:
        obj: The list, or how long.
        item: What the list holds; None for the elements, or the numbers from 0.
        return_tuple: Whether a tuple is returned.
        make_none: Whether it holds None.
    """
    given = range(obj) if isinstance(obj, int) else obj
    found = [None for _ in given] if make_none else [each if item is None else item for each in given]
    return tuple(found) if return_tuple else found


def _tuple_setitem(tup: Sequence[Any], idx: int, value: Any) -> tuple[Any, ...]:
    """Return a tuple with another element at one place."""
    found = list(tup)
    found[idx] = value
    return tuple(found)


def _tuple_slice(tup: Any, start: int | None, end: int | None) -> Any:
    """Return a part of a tuple."""
    return tup[start:end]


def _seq_prod(seq1: Iterable[Any], seq2: Iterable[Any]) -> tuple[Any, ...]:
    """Return the products of the elements of two tuples."""
    return tuple(map(operator.mul, seq1, seq2))


def _cumprod(x: Iterable[Any]) -> tuple[Any, ...]:
    """Return the products of the first elements, one more for each."""
    return tuple(accumulate(x, operator.mul))
