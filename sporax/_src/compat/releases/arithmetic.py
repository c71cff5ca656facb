"""Changes of values and dtypes: what operators compute."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sporax._src.compat.releases.table import Newer, alike, changed
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.core.traced_number import is_number


def _binary(compute: Callable[..., Any]) -> Newer:
    """Return what makes a newer function of two operands: `compute` gets the older one, the operands, and other options."""

    def newer(older: Callable[..., Any]) -> Any:
        names = list(inspect.signature(older).parameters)[:2]

        @alike(older)
        def function(*operands: object, **options: object) -> Any:
            operands += tuple(options.pop(name) for name in names[len(operands) :] if name in options)
            return compute(older, *operands, **options) if len(operands) == 2 else older(*operands, **options)

        return function

    return newer


def _in(places: str, names: str) -> list[str]:
    """Return public names: each name in each place."""
    return [f"{place}.{name}" for place in places.split() for name in names.split()]


@changed(
    "2.9.0",
    *_in("ops Tensor", "clamp clip"),
    "mint.clamp",
    what="`clamp`: the result has the common dtype of the Tensor and its bounds, and booleans are refused. "
    "Before, it had the dtype of the Tensor, and the bounds were converted to it.",
    examples=(
        "ops.clamp(T([1, 2, 3], 'int32'), 1.5)",
        "T([1, 2, 3], 'int8').clip(1.5, 2.5)",
        "mint.clamp(T([1, 2, 3], 'float16'), T(1.5, 'float32'))",
        "ops.clamp(T([True, False]), 0)",
    ),
)
def _clamp(older: Callable[..., Any]) -> Any:
    @alike(older)
    def clamp(input: Tensor, min: object = None, max: object = None) -> Tensor:
        bounds = [bound for bound in (min, max) if bound is not None]
        if input.dtype == mstype.bool_ or any(isinstance(bound, bool) for bound in bounds):
            raise ValueError("clamp: the input and its bounds must be numbers, but got bool.")
        return older(input.astype(_common(input, bounds)), min, max)

    return clamp


def _common(input: Tensor, others: Iterable[object]) -> mstype.Type:
    """Return the common dtype of a Tensor and Tensors or numbers."""
    result = mstype.to_numpy(input.dtype)
    for other in others:
        if isinstance(other, Tensor):
            result = mstype.promote(result, mstype.to_numpy(other.dtype))
        else:
            result = mstype.promote_scalar(result, np.result_type(float if isinstance(other, float) else int))
    return mstype.from_numpy(result)


@changed(
    "2.10.0",
    *_in("ops mint Tensor", "cumprod"),
    what="`cumprod` of integers is of int64, and takes booleans. Before, it had the dtype of the Tensor.",
    examples=(
        "ops.cumprod(T([1, 2, 3], 'int8'), 0)",
        "mint.cumprod(T([True, False]), 0)",
    ),
)
def _cumprod(older: Callable[..., Any]) -> Any:
    @alike(older)
    def cumprod(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
        is_whole = mstype.to_numpy(input.dtype).kind in "biu"
        if dtype is not None or is_whole:
            input = input.astype(mstype.int64 if dtype is None else dtype)
        return older(input, dim)

    return cumprod


@changed(
    "2.9.0",
    *_in("ops mint Tensor", "lt less"),
    "Tensor.__lt__",
    what="`less` of uint8 and a negative number is right. Before, the number was converted to uint8.",
    examples=("T([1, 2, 3], 'uint8') < -1", "ops.lt(T([1, 2, 3], 'uint8'), -1)", "-1 > T([1, 2, 3], 'uint8')"),
)
@_binary
def _less(older: Callable[..., Any], input: object, other: object) -> Any:
    if isinstance(other, int) and other < 0 and isinstance(input, Tensor) and input.dtype == mstype.uint8:
        input = input.astype(mstype.int32)
    return older(input, other)


@changed(
    "2.9.0",
    *_in("ops", "lt less eq equal"),
    *_in("mint", "lt less eq"),
    what="`less` and `equal` refuse a number as first operand.",
    examples=("ops.lt(2, T([1, 2, 3]))", "mint.eq(2, T([1, 2, 3]))"),
)
@_binary
def _of_tensor(older: Callable[..., Any], input: object, other: object) -> Any:
    if is_number(input):
        name = older.__name__
        raise TypeError(f"{name}: the first operand must be a Tensor, but got {type(input).__name__}.")
    return older(input, other)


_QUOTIENTS = _in("ops Tensor", "div divide true_divide") + _in("mint", "div divide")


@changed(
    "2.9.0",
    *_QUOTIENTS,
    *_in("Tensor", "__truediv__ __rtruediv__"),
    what="A quotient of an integer Tensor and a number is right. Before, the number was converted to the Tensor's dtype, "
    "so that `uint8 / -1` divided by 255.",
    examples=(
        "T([1, 2, 3], 'uint8') / -1",
        "300 / T([1, 2, 3], 'int8')",
        "ops.div(T([1, 2, 3], 'int16'), 70000)",
        "T([1, 2, 3], 'uint8').true_divide(300)",
    ),
)
@_binary
def _quotient_of_whole(older: Callable[..., Any], input: object, other: object, **options: object) -> Any:
    if not options.get("rounding_mode"):
        input, other = _as_float32(input, other), _as_float32(other, input)
    return older(input, other, **options)


def _as_float32(value: object, number: object) -> Any:
    """Return an integer Tensor that meets a number as one of float32; any other value as it is."""
    if isinstance(value, Tensor) and is_number(number) and mstype.to_numpy(value.dtype).kind in "iu":
        return value.astype(mstype.float32)
    return value


@changed(
    "2.9.0",
    *_in("ops", "div divide true_divide"),
    "Tensor.true_divide",
    "mint.divide",
    what="A quotient of float16 and a number by these functions is rounded once, at the end. Before, the number was rounded "
    "to float16. The operator `/` does so still.",
    examples=("ops.div(T([1.5, 2.25], 'float16'), 3.7)", "T([1.5, 2.25], 'float16') / 3.7"),
)
@changed(
    "2.8.0",
    *_in("ops", "mul multiply"),
    "Tensor.multiply",
    what="A product of float16 and a number by these functions is rounded once, at the end. Before, the number was rounded "
    "to float16. The operator `*`, `Tensor.mul` and `mint.mul` do so still.",
    examples=(
        "ops.mul(T([1.5, 2.25], 'float16'), 3.7)",
        "T([1.5], 'float16').multiply(3.7)",
        "T([1.5], 'float16') * 3.7",
    ),
)
@_binary
def _of_half(older: Callable[..., Any], input: Any, other: Any, **options: object) -> Any:
    for half, number in ((input, other), (other, input)):
        if isinstance(half, Tensor) and half.dtype == mstype.float16 and is_number(number):
            wide = [value.astype(mstype.float32) if value is half else value for value in (input, other)]
            return older(*wide, **options).astype(mstype.float16)
    return older(input, other, **options)


@changed(
    "2.8.0",
    *_in("ops Tensor", "ldexp"),
    what="`ldexp` of float16 and a number is of float16. Before, it was of float32.",
    examples=("ops.ldexp(T([1.5, 2.0], 'float16'), 2)", "T([1.5], 'float16').ldexp(T([2]))"),
)
@_binary
def _ldexp(older: Callable[..., Any], input: object, other: object) -> Any:
    is_half = isinstance(input, Tensor) and input.dtype == mstype.float16 and is_number(other)
    return older(input, other).astype(mstype.float16) if is_half else older(input, other)


@changed(
    "2.9.0",
    *_in("ops mint Tensor", "floor_divide remainder fmod"),
    *_in("Tensor", "__floordiv__ __rfloordiv__"),
    what="`floor_divide`, `remainder` and `fmod` take booleans. Before, they refused them.",
    examples=(
        "T([True, False]) // T([True, True])",
        "ops.remainder(T([True, False]), True)",
        "mint.fmod(T([True, False]), T([True, True]))",
    ),
)
@_binary
def _of_booleans(older: Callable[..., Any], input: Any, other: Any) -> Any:
    if all(isinstance(x, bool) or (isinstance(x, Tensor) and x.dtype == mstype.bool_) for x in (input, other)):
        whole = [x.astype(mstype.int32) if isinstance(x, Tensor) else int(x) for x in (input, other)]
        return older(*whole).astype(mstype.bool_)
    return older(input, other)
