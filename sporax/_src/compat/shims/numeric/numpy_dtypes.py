"""The types and constants of `mindspore.numpy.dtypes`, and how types of two Tensors become one.

The rules are MindSpore's: a float keeps its width beside integers of any, but that uint16 and float64 give float32.
"""

from __future__ import annotations

from itertools import combinations
from math import inf, nan, pi
from typing import Any

import numpy as np

from sporax import (
    bool_,
    dtype_to_nptype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    pytype_to_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)

__all__ = [
    "NINF", "PINF", "all_types", "bool_", "dtype_map", "dtype_tuple", "float16", "float32", "float64", "float_", "inf", "int16",
    "int32", "int64", "int8", "int_", "nan", "numeric_types", "pi", "promotion_rule", "rule_for_trigonometric", "uint", "uint16",
    "uint32", "uint64", "uint8",
]  # fmt: skip

PINF, NINF = inf, -inf
int_, uint, float_ = int32, uint32, float32

_FLOATS = (float16, float32, float64)
_ORDER = (bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64, *_FLOATS)


def _joined(first: Any, second: Any) -> Any:
    if (first, second) == (uint16, float64):
        return float32
    if second in _FLOATS and first not in _FLOATS:
        return second
    return pytype_to_dtype(np.promote_types(dtype_to_nptype(first), dtype_to_nptype(second)))


def _of_angles(dtype: Any) -> Any:
    if dtype in _FLOATS:
        return dtype
    return float16 if dtype in (bool_, int8, uint8) else float32


_NAMES = (
    "int_", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float_", "float16", "float32",
    "float64", "bool_",
)  # fmt: skip
numeric_types = [name for name in _NAMES if name != "uint"]
all_types = [f"np.{name}" for name in _NAMES]
dtype_map = {name.rstrip("_"): globals()[name] for name in _NAMES}
dtype_tuple = tuple(dtype_map.values())
promotion_rule = {pair: _joined(*pair) for pair in combinations(_ORDER, 2)}
rule_for_trigonometric = {dtype: _of_angles(dtype) for dtype in _ORDER}
