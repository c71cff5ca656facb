"""Checks of sequences, axes, shapes, names and data, under the names of `mindspore._checkparam`; `checkparam` has the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.compat.shims.checks.checkparam import (
    check_equal_int,
    check_non_negative_int,
    check_positive_float,
    check_subclass,
    check_value_type,
)

__all__ = [
    "_check_3d_int_or_tuple", "check_and_canonicalize_axes", "check_axis_in_range", "check_axis_type", "check_axis_valid",
    "check_element_type_of_dict", "check_element_type_of_iterable", "check_file_name_by_regular", "check_flatten_order",
    "check_hook_fn", "check_input_data", "check_input_dataset", "check_input_format", "check_non_negative_int_sequence",
    "check_output_data", "check_pad_value_by_mode", "check_positive_float_sequence", "check_reduce_shape",
    "check_size_and_element_type_of_tuple", "check_str_and_none_by_regular", "check_str_by_regular", "check_swapaxes_axis",
    "check_tensor_dtype_valid", "check_valid_input", "expanded_shape", "infer_out_shape", "is_stub_tensor", "max_", "min_",
    "once", "once_sequence", "prepare_shape_for_squeeze", "triple", "triple_sequence", "tuple_slice", "twice",
    "twice_sequence",
]  # fmt: skip


def _for(prim_name: str | None) -> str:
    return f"For '{prim_name}', the" if prim_name else "The"


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# --- sizes of windows ---------------------------------------------------------------------------------------------------


def _expanded(count: int, kinds: tuple[type, ...]) -> Callable[[Any], tuple[int, ...]]:
    """Return a function that makes a tuple of `count` ints of an int, or checks that one of `kinds` holds as many."""

    def expand(m: Any) -> tuple[int, ...]:
        if _is_int(m):
            return (m,) * count
        if not isinstance(m, kinds) or len(m) != count or not all(_is_int(item) for item in m):
            raise TypeError(f"The input must be an integer or {count} integers, but got {describe(m)}.")
        return tuple(m)

    return expand


once, twice, triple = (_expanded(count, (tuple,)) for count in (1, 2, 3))
once_sequence, twice_sequence, triple_sequence = (_expanded(count, (tuple, list)) for count in (1, 2, 3))


def _check_3d_int_or_tuple(
    arg_name: str,
    arg_value: Any,
    prim_name: str | None,
    allow_five: bool = False,
    ret_five: bool = False,
    greater_zero: bool = True,
    third_one: bool = False,
    three_input: bool = False,
    pad_value: int = 1,
) -> tuple[int, ...]:
    """Return the size of a window of three axes, an int or a tuple, as a tuple.

    Args:
        arg_name, arg_value, prim_name: The size, and what it is of.
        allow_five: Whether a tuple may have five numbers, the last three of which are the size.
        ret_five: Whether five are returned, the first two `pad_value` if there are but three.
        greater_zero: Whether 0 is refused.
        third_one: Whether the third last must be 1.
        three_input: Whether a tuple must have three.

    Raises:
        TypeError: If it is neither an int nor a tuple.
        ValueError: If it has another length, or a number is out of range.
    """
    check_value_type(arg_name, arg_value, (int, tuple), prim_name)
    given = (arg_value,) * 3 if isinstance(arg_value, int) else arg_value
    least = 1 if greater_zero else 0
    found = given if len(given) == 5 and ret_five else (((pad_value,) * 2) if ret_five else ()) + given[-3:]
    lengths = (3,) if three_input or not allow_five else (3, 5)
    if len(given) not in lengths or not all(_is_int(size) and size >= least for size in found):
        counts = " or ".join(map(str, lengths))
        raise ValueError(
            f"{_for(prim_name)} '{arg_name}' must be an int or {counts} ints >= {least}, but got {arg_value}."
        )
    if third_one and found[-3] != 1:
        raise ValueError(f"{_for(prim_name)} depth of '{arg_name}' must be 1, but got {found[-3]}.")
    return found


def check_non_negative_int_sequence(sequence: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """Check for ints >= 0."""
    for i, value in enumerate(sequence):
        check_non_negative_int(value, f"{arg_name or 'arg_name'}[{i}]", prim_name)
    return sequence


def check_positive_float_sequence(sequence: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """Check for floats > 0."""
    for i, value in enumerate(sequence):
        check_positive_float(value, f"{arg_name or 'arg_name'}[{i}]", prim_name)
    return sequence


def check_element_type_of_iterable(
    arg_name: str, arg_value: Any, valid_types: Sequence[type], prim_name: str | None = None
) -> None:
    """Check for a list or a tuple of elements of some types."""
    check_value_type(arg_name, arg_value, [list, tuple], prim_name)
    _elements(arg_name, arg_value, valid_types, prim_name)


def check_element_type_of_dict(
    arg_name: str, arg_value: Any, key_types: Sequence[type], value_types: Sequence[type], prim_name: str | None = None
) -> None:
    """Check for a dict of keys of some types and values of some."""
    check_value_type(arg_name, arg_value, [dict], prim_name)
    _elements(arg_name, arg_value.keys(), key_types, prim_name)
    _elements(arg_name, arg_value.values(), value_types, prim_name)


def _elements(arg_name: str, values: Iterable[Any], types: Sequence[type], prim_name: str | None) -> None:
    for value in values:
        if not isinstance(value, tuple(types)):
            names = [kind.__name__ for kind in types]
            raise TypeError(
                f"{_for(prim_name)} elements of '{arg_name}' must be of {names}, but got {describe(value)}."
            )


def check_size_and_element_type_of_tuple(
    arg_name: str, arg_value: Any, expect_size: int, expect_element_type: type, prim_name: str | None = None
) -> None:
    """Check for a tuple of so many elements of a type."""
    check_value_type(arg_name, arg_value, [tuple], prim_name)
    check_equal_int(len(arg_value), expect_size, f"{arg_name} size", prim_name)
    check_element_type_of_iterable(arg_name, arg_value, [expect_element_type], prim_name)


# --- axes and shapes ----------------------------------------------------------------------------------------------------


def check_axis_in_range(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front: TypeError unless an int, ValueError if there is no such axis."""
    if not isinstance(axis, int):
        raise TypeError(f"The axes must be integers, but got {type(axis)}.")
    if not -ndim <= axis < ndim:
        raise ValueError(f"The 'axis' must be in the range of [-{ndim}, {ndim}), but got {axis}.")
    return axis % ndim


def check_and_canonicalize_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return an axis, or a tuple of different ones, counted from the front as a tuple."""
    found = tuple(check_axis_in_range(axis, ndim) for axis in (axes if isinstance(axes, tuple) else (axes,)))
    if len(set(found)) < len(found):
        raise ValueError(f"The element of parameter 'axis' can not be duplicate, but got {axes}.")
    return found


def check_axis_valid(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return axes counted from the front as a tuple, all of them for None."""
    if axes is None:
        return tuple(range(ndim))
    return check_and_canonicalize_axes(tuple(axes) if isinstance(axes, list) else axes, ndim)


def check_swapaxes_axis(axes: Any, ndim: int) -> Any:
    """Return an axis, or several as a tuple, counted from the front."""
    if not isinstance(axes, (int, tuple, list)):
        raise TypeError(f"For ops.swapaxes, the axes must be an int, a list or a tuple, but got {type(axes)}.")
    if isinstance(axes, int):
        return check_axis_in_range(axes, ndim)
    return tuple(check_axis_in_range(axis, ndim) for axis in axes)


def check_axis_type(axis: Any, type_int: bool = True, type_tuple: bool = True, type_list: bool = True) -> bool:
    """Return True; TypeError unless an axis is an int, or a tuple or a list of them, as far as those are allowed."""
    kinds = [kind for kind, allowed in ((int, type_int), (tuple, type_tuple), (list, type_list)) if allowed]
    if not isinstance(axis, tuple(kinds)):
        names = ", ".join(kind.__name__ for kind in kinds)
        raise TypeError(f"The axis should be {names}, but got {type(axis)}.")
    for each in axis if isinstance(axis, (tuple, list)) else ():
        if not isinstance(each, int):
            raise TypeError(f"Each axis must be integer, but got {type(each)} in {axis}.")
    return True


def prepare_shape_for_squeeze(shape: Sequence[int], axes: Any) -> tuple[int, ...]:
    """Return a shape without some axes, which must have the size 1."""
    if not isinstance(axes, (int, tuple, list)):
        raise TypeError(f"For Tensor.squeeze, the axes must be an int, a list or a tuple, but got {type(axes)}.")
    dropped = {check_axis_in_range(axis, len(shape)) for axis in ((axes,) if isinstance(axes, int) else axes)}
    for axis in dropped:
        if shape[axis] != 1:
            raise ValueError(f"For Tensor.squeeze, the size of axis {axis} must be 1, but got {shape[axis]}.")
    return tuple(size for axis, size in enumerate(shape) if axis not in dropped)


def check_reduce_shape(
    ori_shape: Sequence[int], shape: Sequence[int], axis: Any, prim_name: str | None, arg_name1: str, arg_name2: str
) -> None:
    """Check that one shape is another without some axes."""
    axes = axis if isinstance(axis, Iterable) else (axis,)
    if list(shape) != [size for i, size in enumerate(ori_shape) if i not in axes]:
        raise ValueError(
            f"{_for(prim_name)} shape of '{arg_name1}', {ori_shape}, without the axes {axis} must be that of "
            f"'{arg_name2}', but got {shape}."
        )


def infer_out_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that Tensors of these shapes broadcast to; ValueError if they do not."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(
            f"For Tensor, sizes of an axis must be 1 or the same to broadcast, but got {shapes}."
        ) from None


def expanded_shape(ndim: int, axis_size: int, axis: int) -> tuple[int, ...]:
    """Return a shape of sizes 1 but for one axis."""
    return tuple(axis_size if i == axis else 1 for i in range(ndim))


def tuple_slice(tup: Any, start: int | None, end: int | None) -> Any:
    """Return a part of a tuple."""
    return tup[start:end]


max_, min_ = max, min

# --- options ------------------------------------------------------------------------------------------------------------


def check_pad_value_by_mode(pad_mode: str, padding: Any, prim_name: str | None) -> Any:
    """Return a padding, which must be 0 unless the mode is `"pad"`."""
    if pad_mode != "pad" and padding != 0:
        raise ValueError(f"{_for(prim_name)} padding must be zero when pad_mode is '{pad_mode}', but got {padding}.")
    return padding


def check_flatten_order(order: Any) -> None:
    """Check for `"C"` or `"F"`."""
    if not isinstance(order, str):
        raise TypeError(f"For Tensor.flatten, the parameter 'order' must be a string, but got {type(order)}.")
    if order not in ("C", "F"):
        raise ValueError(f"For Tensor.flatten, the parameter 'order' must be 'C' or 'F', but got '{order}'.")


def check_input_format(input_param: Any) -> str:
    """Check for `"NCHW"`."""
    if input_param != "NCHW":
        raise ValueError(f"The data format must be NCHW, but got {input_param}.")
    return input_param


def check_tensor_dtype_valid(arg_name: str, arg_type: Any, valid_dtypes: Any, prim_name: str | None) -> None:
    """Check for one of some types of Tensors."""
    check_subclass(arg_name, arg_type, valid_dtypes, prim_name)


def check_valid_input(arg_name: str, arg_value: Any, prim_name: str | None) -> Any:
    """Return a value that is not None."""
    if arg_value is None:
        raise ValueError(f"{_for(prim_name)} argument '{arg_name}' can not be None.")
    return arg_value


# --- names --------------------------------------------------------------------------------------------------------------


def _matched(target: str, pattern: str, flag: Any, prim_name: str | None) -> bool:
    if re.match(pattern, target, flag) is None:
        raise ValueError(f"{_for(prim_name)} '{shown(target)}' is illegal, it must match '{pattern}'.")
    return True


def check_str_by_regular(
    target: str, reg: str | None = None, flag: Any = re.ASCII, prim_name: str | None = None
) -> bool:
    """Return True; ValueError unless a string matches a pattern, by default a name of letters, digits, `_` and dots."""
    return _matched(target, reg or r"^\w+[0-9a-zA-Z\_\.]*$", flag, prim_name)


def check_str_and_none_by_regular(
    target: str, reg: str | None = None, flag: Any = re.ASCII, prim_name: str | None = None
) -> bool:
    """Return True; ValueError unless a string matches a pattern, by default the same that may be empty or have hyphens."""
    return _matched(target, reg or r"^\w*[0-9a-zA-Z\_\.\-]*$", flag, prim_name)


def check_file_name_by_regular(target: Any, reg: str | None = None, prim_name: str | None = None) -> bool:
    """Return True; ValueError unless a path of a file matches a pattern, TypeError if it is no string."""
    if not isinstance(target, str):
        raise TypeError(f"{_for(prim_name)} name of a file must be a string, but got {describe(target)}.")
    if target.endswith(("\\", "/")):
        raise ValueError(f"{_for(prim_name)} '{shown(target)}' cannot be a directory path.")
    return _matched(target, reg or r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$", 0, prim_name)


# --- data ---------------------------------------------------------------------------------------------------------------


def check_input_data(*data: Any, data_class: Any) -> None:
    """Check for data of some types that are not empty, alone or in lists, tuples and dicts; None as a type is None itself."""
    kinds = data_class if isinstance(data_class, (tuple, list)) else (data_class,)
    for item in data:
        if isinstance(item, (list, tuple)):
            check_input_data(*item, data_class=data_class)
        elif isinstance(item, dict):
            check_input_data(*item.values(), data_class=data_class)
        elif not any(item is None if kind is None else isinstance(item, kind) for kind in kinds):
            names = [getattr(kind, "__name__", kind) for kind in kinds]
            raise TypeError(f"The types of input data must be in {names}, but got {type(item).__name__}.")
        elif getattr(item, "size", None) == 0:
            raise ValueError("The input data can not be empty.")


def check_input_dataset(*dataset: Any, dataset_type: Any) -> bool:
    """Tell whether there are arguments, and all are datasets."""
    return bool(dataset) and all(isinstance(item, dataset_type) for item in dataset)


def check_output_data(data: Any) -> None:
    """Raise RuntimeError for a result that is None."""
    if data is None:
        raise RuntimeError("The output data can not be None, please check your net or input data.")


def check_hook_fn(hook_fn: Any) -> None:
    """Check for a function or a method."""
    if not isinstance(hook_fn, (FunctionType, MethodType)):
        raise TypeError(f"A hook must be a python function, but got {type(hook_fn)}.")


def is_stub_tensor(tensor: Any) -> bool:
    """Tell whether a Tensor stands for one to come: none does here."""
    return hasattr(tensor, "stub")
