"""Checks of arguments, under the names of `mindspore.dataset.core.validator_helpers`: each raises if a value does not fit."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable
from typing import Any

from sporax._src.base.errors import describe, shown

__all__ = [
    "DOUBLE_MAX_INTEGER", "DOUBLE_MIN_INTEGER", "FLOAT_MAX_INTEGER", "FLOAT_MIN_INTEGER", "INT32_MAX", "INT32_MIN",
    "INT64_MAX", "INT64_MIN", "POS_INT_MIN", "UINT32_MAX", "UINT32_MIN", "UINT64_MAX", "UINT64_MIN", "UINT8_MAX",
    "UINT8_MIN", "check_2tuple", "check_columns", "check_dataset_num_shards_shard_id", "check_dict", "check_dir",
    "check_file", "check_filename", "check_float32", "check_float32_not_zero", "check_float64", "check_int32",
    "check_int32_not_zero", "check_list_same_size", "check_non_negative_float32", "check_non_negative_float64",
    "check_non_negative_int32", "check_num_parallel_workers", "check_num_samples", "check_odd", "check_padding_options",
    "check_pos_float32", "check_pos_float64", "check_pos_int32", "check_pos_int64", "check_pos_uint32", "check_positive",
    "check_range", "check_sampler_shuffle_shard_options", "check_tensor_op", "check_uint32", "check_uint64", "check_uint8",
    "check_valid_detype", "check_valid_list_tuple", "check_valid_str", "check_value", "check_value_cutoff",
    "check_value_normalize_std", "check_value_ratio", "is_iterable", "pad_arg_name",
    "parse_user_args", "replace_none", "type_check", "type_check_list", "valid_detype", "validate_dataset_param_value",
]  # fmt: skip

POS_INT_MIN = 1
UINT8_MIN, UINT8_MAX = 0, 2**8 - 1
UINT32_MIN, UINT32_MAX = 0, 2**32 - 1
UINT64_MIN, UINT64_MAX = 0, 2**64 - 1
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER = -(2**24), 2**24
DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER = -(2**53), 2**53
valid_detype = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "string",
]  # fmt: skip

# --- types --------------------------------------------------------------------------------------------------------------


def type_check(arg: Any, types: tuple[type, ...], arg_name: Any) -> None:
    """Raise TypeError unless a value has one of some types; a bool is no int."""
    if not isinstance(arg, types) or (isinstance(arg, bool) and int in types and bool not in types):
        names = ", ".join(kind.__name__ for kind in types)
        raise TypeError(f"Argument {arg_name} must be of type {names}, got {type(arg).__name__} {describe(arg)}.")


def type_check_list(args: Any, types: tuple[type, ...], arg_names: Any) -> None:
    """Raise TypeError unless every value of a list has one of some types.

    Raises:
        ValueError: If there are not as many names as values; a single name is for all.
    """
    type_check(args, (list, tuple), arg_names)
    if isinstance(arg_names, str):
        arg_names = [f"{arg_names}[{i}]" for i in range(len(args))]
    if len(args) != len(arg_names):
        raise ValueError(f"There must be as many names as arguments, {len(args)}, got {len(arg_names)}.")
    for arg, name in zip(args, arg_names, strict=True):
        type_check(arg, types, name)


def is_iterable(obj: Any) -> bool:
    """Tell whether something can be iterated over."""
    try:
        iter(obj)
    except TypeError:
        return False
    return True


def check_valid_detype(type_: Any) -> bool:
    """Return True for the name of a type of columns; raise TypeError for others."""
    if type_ not in valid_detype:
        raise TypeError(f"Unknown column type {describe(type_)}.")
    return True


def check_dict(data: Any, key_type: Any, value_type: Any, param_name: str) -> None:
    """Raise TypeError unless something is None, or a dict of keys of a type and values of another."""
    if data is None:
        return
    if not isinstance(data, dict):
        raise TypeError(f"{param_name} should be a dict, got {describe(data)}.")
    for key, value in data.items():
        if not isinstance(key, key_type) or not isinstance(value, value_type):
            raise TypeError(
                f"{param_name}[{describe(key)}] should be {value_type} by {key_type}, got {describe(value)}."
            )


def check_tensor_op(param: Any, param_name: str) -> None:
    """Raise TypeError unless something can be called, or has a method `parse`."""
    if not callable(param) and not getattr(param, "parse", None):
        raise TypeError(f"{param_name} is neither a transforms op nor a callable, got {describe(param)}.")


# --- numbers ------------------------------------------------------------------------------------------------------------


def pad_arg_name(arg_name: str) -> str:
    """Return a name with a blank behind it; of `""` nothing."""
    return f"{arg_name} " if arg_name else arg_name


def check_value(
    value: Any,
    valid_range: Any,
    arg_name: str = "",
    left_open_interval: bool = False,
    right_open_interval: bool = False,
) -> None:
    """Raise ValueError unless a number lies between two others, which belong to the interval unless it is open there."""
    low, high = valid_range[0], valid_range[1]
    outside = (
        value < low or value > high or (left_open_interval and value == low) or (right_open_interval and value == high)
    )
    if outside:
        left, right = "[("[left_open_interval], "])"[right_open_interval]
        raise ValueError(
            f"Input {pad_arg_name(arg_name)}is not within the required interval of {left}{low}, {high}{right}, got {value}."
        )


def _within(kinds: tuple[type, ...], low: float, high: float, left_open: bool = False) -> Callable[..., None]:
    def check(value: Any, arg_name: str = "") -> None:
        type_check(value, kinds, arg_name)
        check_value(value, (low, high), arg_name, left_open)

    return check


def _not_zero(kinds: tuple[type, ...], low: float, high: float) -> Callable[..., None]:
    def check(value: Any, arg_name: str = "") -> None:
        type_check(value, kinds, arg_name)
        if value < low or value > high or value == 0:
            raise ValueError(
                f"Input {pad_arg_name(arg_name)}is not within the required interval of [{low}, 0) and (0, {high}], got {value}."
            )

    return check


_REAL = (float, int)
check_int32 = _within((int,), INT32_MIN, INT32_MAX)
check_pos_int32 = _within((int,), POS_INT_MIN, INT32_MAX)
check_non_negative_int32 = _within((int,), 0, INT32_MAX)
check_int32_not_zero = _not_zero((int,), INT32_MIN, INT32_MAX)
check_pos_int64 = _within((int,), POS_INT_MIN, INT64_MAX)
check_uint8 = _within((int,), UINT8_MIN, UINT8_MAX)
check_uint32 = _within((int,), UINT32_MIN, UINT32_MAX)
check_pos_uint32 = _within((int,), POS_INT_MIN, UINT32_MAX)
check_uint64 = _within((int,), UINT64_MIN, UINT64_MAX)
check_float32 = _within(_REAL, FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER)
check_pos_float32 = _within(_REAL, 0, FLOAT_MAX_INTEGER, left_open=True)
check_non_negative_float32 = _within(_REAL, 0, FLOAT_MAX_INTEGER)
check_float32_not_zero = _not_zero(_REAL, FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER)
check_float64 = _within(_REAL, DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER)
check_pos_float64 = _within(_REAL, 0, DOUBLE_MAX_INTEGER, left_open=True)
check_non_negative_float64 = _within(_REAL, 0, DOUBLE_MAX_INTEGER)


def check_value_cutoff(value: Any, valid_range: Any, arg_name: str = "") -> None:
    """Raise ValueError unless a number lies in [low, high)."""
    check_value(value, valid_range, arg_name, right_open_interval=True)


def check_value_ratio(value: Any, valid_range: Any, arg_name: str = "") -> None:
    """Raise ValueError unless a number lies in (low, high]."""
    check_value(value, valid_range, arg_name, left_open_interval=True)


check_value_normalize_std = check_value_ratio


def check_range(values: Any, valid_range: Any, arg_name: str = "") -> None:
    """Raise ValueError unless two numbers are in order, and within two others."""
    if not valid_range[0] <= values[0] <= values[1] <= valid_range[1]:
        interval = f"[{valid_range[0]}, {valid_range[1]}]"
        raise ValueError(
            f"Input {pad_arg_name(arg_name)}is not within the required interval of {interval}, got {describe(values)}."
        )


def check_positive(value: Any, arg_name: str = "") -> None:
    """Raise ValueError unless a number is > 0."""
    if value <= 0:
        raise ValueError(f"Input {pad_arg_name(arg_name)}must be greater than 0, got {value}.")


def check_odd(value: Any, arg_name: str = "") -> None:
    """Raise ValueError unless a number is odd."""
    if value % 2 != 1:
        raise ValueError(f"Input {pad_arg_name(arg_name)}is not an odd value, got {value}.")


def check_num_parallel_workers(value: Any) -> None:
    """Raise unless a number of workers is an int from 1 to the number of cores: TypeError or ValueError."""
    _within((int,), 1, os.cpu_count() or 1)(value, "num_parallel_workers")


def check_num_samples(value: Any) -> None:
    """Raise unless a number of samples is an int >= 0: TypeError or ValueError."""
    _within((int,), 0, INT64_MAX)(value, "num_samples")


# --- strings and collections --------------------------------------------------------------------------------------------


def check_2tuple(value: Any, arg_name: str = "") -> None:
    """Raise ValueError unless something is a tuple of two."""
    if not (isinstance(value, tuple) and len(value) == 2):
        raise ValueError(f"Value {arg_name} needs to be a 2-tuple, got {describe(value)}.")


def check_list_same_size(list1: Any, list2: Any, list1_name: str = "", list2_name: str = "") -> None:
    """Raise ValueError unless two lists are as long as each other."""
    if len(list1) != len(list2):
        raise ValueError(f"{list1_name} must be as long as {list2_name}, {len(list2)}, got {len(list1)}.")


def check_valid_str(value: Any, valid_strings: Any, arg_name: str = "") -> None:
    """Raise unless something is one of some strings: TypeError or ValueError."""
    type_check(value, (str,), arg_name)
    if value not in valid_strings:
        raise ValueError(f"Input {arg_name} is not within the valid set of {valid_strings}, got {describe(value)}.")


def check_valid_list_tuple(value: Any, valid_list_tuple: Any, data_type: tuple[type, ...], arg_name: str = "") -> None:
    """Raise unless a list is one of some lists, all as long as the first of them: TypeError or ValueError."""
    type_check(value, (list, tuple), arg_name)
    type_check_list(value, data_type, arg_name)
    if len(value) != len(valid_list_tuple[0]) or value not in valid_list_tuple:
        raise ValueError(f"Input {arg_name} is not within the valid set of {valid_list_tuple}, got {describe(value)}.")


def check_columns(columns: Any, name: str) -> None:
    """Raise unless something is the name of a column or a list of different ones: TypeError or ValueError."""
    type_check(columns, (list, str), name)
    names = [columns] if isinstance(columns, str) else columns
    if not names or not all(names):
        raise ValueError(f"{name} should hold names that are not empty, got {describe(columns)}.")
    type_check_list(names, (str,), name)
    if len(set(names)) != len(names):
        raise ValueError(f"{name} should hold every name once, got {describe(columns)}.")


def check_filename(path: Any) -> None:
    """Raise unless the last part of a path has none of the signs that shells read: TypeError or ValueError."""
    if not isinstance(path, str):
        raise TypeError(f"path must be a str, got {describe(path)}.")
    name = os.path.basename(os.path.realpath(path))
    if set(name) & set("\\/:*?\"<>|`&';") or name != name.strip(" "):
        raise ValueError(
            f"The name of a file must not hold \\/:*?\"<>|`&;' nor begin or end with a blank, got {shown(path)}."
        )


def check_file(dataset_file: Any) -> None:
    """Raise unless something is the path of a file that can be read: TypeError or ValueError."""
    check_filename(dataset_file)
    if not os.path.isfile(dataset_file) or not os.access(dataset_file, os.R_OK):
        raise ValueError(f"The file {shown(dataset_file)} does not exist or permission denied!")


def check_dir(dataset_dir: Any) -> None:
    """Raise unless something is the path of a folder that can be read: TypeError or ValueError."""
    type_check(dataset_dir, (str,), "dataset_dir")
    if not os.path.isdir(dataset_dir) or not os.access(dataset_dir, os.R_OK):
        raise ValueError(f"The folder {shown(dataset_dir)} does not exist or is not a directory or permission denied!")


# --- arguments of datasets ----------------------------------------------------------------------------------------------


def replace_none(value: Any, default: Any) -> Any:
    """Return a value, or the default if it is None."""
    return default if value is None else value


def parse_user_args(method: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a call with their defaults, in order and by name; those of a method come without `self`.

    Raises:
        TypeError: If they do not fit the signature.
    """
    signature = inspect.signature(method)
    owned = not {"self", "cls"}.isdisjoint(signature.parameters)
    bound = signature.bind(*([method] if owned else []), *args, **kwargs)
    bound.apply_defaults()
    return [bound.arguments.get(name) for name in list(signature.parameters)[owned:]], bound.arguments


def validate_dataset_param_value(param_list: Iterable[str], param_dict: dict[str, Any], param_type: type) -> None:
    """Raise unless arguments of some names are None, or of a type and in range: TypeError or ValueError."""
    for name in param_list:
        value = param_dict.get(name)
        if value is None:
            continue
        if name == "num_parallel_workers":
            check_num_parallel_workers(value)
        if name == "num_samples":
            check_num_samples(value)
        else:
            type_check(value, (param_type,), name)


def check_dataset_num_shards_shard_id(num_shards: Any, shard_id: Any) -> None:
    """Raise ValueError unless both are given or none, and the part is one of so many."""
    if (num_shards is None) != (shard_id is None):
        raise ValueError("num_shards and shard_id need to be passed in together.")
    if num_shards is not None:
        check_pos_int32(num_shards, "num_shards")
        if shard_id >= num_shards:
            raise ValueError(f"shard_id should be less than num_shards={num_shards}, got {shard_id}.")


def check_sampler_shuffle_shard_options(param_dict: dict[str, Any]) -> None:
    """Raise RuntimeError for options of a dataset that exclude each other, or are missing beside another.

    Raises:
        ValueError: If a number is out of range.
    """
    num_shards, shard_id = param_dict.get("num_shards"), param_dict.get("shard_id")
    if param_dict.get("sampler") is not None:
        for name in ("shuffle", "num_shards", "shard_id", "num_samples"):
            if param_dict.get(name) is not None:
                raise RuntimeError(f"sampler and {name} cannot be specified at the same time.")
    if (num_shards is None) != (shard_id is None):
        given, missing = ("shard_id", "num_shards") if num_shards is None else ("num_shards", "shard_id")
        raise RuntimeError(f"{given} is specified but {missing} is not.")
    if num_shards is not None:
        check_pos_int32(num_shards, "num_shards")
        check_value(shard_id, (0, num_shards - 1), "shard_id")


def check_padding_options(param_dict: dict[str, Any]) -> None:
    """Raise RuntimeError for options of padded samples that are missing beside another.

    Raises:
        ValueError: If `num_padded` is negative, or the sample lacks a column.
    """
    columns, sample, count = (param_dict.get(name) for name in ("columns_list", "padded_sample", "num_padded"))
    if sample is None:
        if count is not None:
            raise RuntimeError("num_padded is specified but padded_sample is not.")
        return
    if count is None:
        raise RuntimeError("padded_sample is specified and requires num_padded as well.")
    if count < 0:
        raise ValueError(f"num_padded must be >= 0, got {count}.")
    if columns is None:
        raise RuntimeError("padded_sample is specified and requires columns_list as well.")
    missing = [column for column in columns if column not in sample]
    if missing:
        raise ValueError(f"padded_sample lacks the columns {missing} of columns_list.")
