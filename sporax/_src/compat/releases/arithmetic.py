"""Changes of values and dtypes: what operators compute."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeGuard

import numpy as np

from sporax._src.api.tensor.operators import IN_PLACE, assign
from sporax._src.compat.releases.table import Newer, alike, changed
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.core.traced_number import is_number

_FLOAT32 = np.dtype(np.float32)
_NUMBERS = (float, int)


def _binary(compute: Callable[..., Any]) -> Newer:
    """Return what makes a newer function of two operands: `compute` gets the older one, the operands, and other options.

    Of a method that writes in place it gets the operator whose result is written, of a Primitive its `__call__`.
    """

    def newer(older: Callable[..., Any]) -> Any:
        first = int(older.__name__ == "__call__")  # the Primitive comes before the operands
        names = list(inspect.signature(older).parameters)[first : first + 2]
        plain = IN_PLACE.get(older.__name__, older)
        oldest = getattr(older, "oldest", older)
        count = None if older.__name__.startswith("__r") else first + 2  # `number / Tensor` differs for float32 as well

        @alike(older)
        def function(*operands: Any, **options: object) -> Any:
            if not options and len(operands) == count and _are_usual(*operands[first:]):
                return oldest(*operands)
            known = plain
            if first:
                known, operands = older.__get__(operands[0]), operands[1:]
            if len(operands) < 2:
                operands += tuple(options.pop(name) for name in names[len(operands) :] if name in options)
            if len(operands) != 2:
                return known(*operands, **options)
            result = compute(known, *operands, **options)
            return result if plain is older else assign(operands[0], result, older.__name__)

        function.__dict__["oldest"] = oldest
        return function

    return newer


def _are_usual(input: object, other: object) -> bool:
    """Return whether all releases answer alike: a float32 Tensor with axes meets another one or a number behind it."""
    if not isinstance(input, Tensor) or input._data.dtype is not _FLOAT32 or not input._data.shape:
        return False
    if isinstance(other, Tensor):
        return other._data.dtype is _FLOAT32 and bool(other._data.shape)
    return type(other) in _NUMBERS


def _is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number of Python, which a graph may have as a variable."""
    return isinstance(value, (int, float))


def _is_tensor(value: object) -> TypeGuard[Tensor]:
    """Return whether a value is a Tensor, and no variable of a graph that stands for a number."""
    return isinstance(value, Tensor) and not _is_number(value)


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
        "ops.clamp(T([1, 2], 'int32'), T(True))",
    ),
)
def _clamp(older: Callable[..., Any]) -> Any:
    @alike(older)
    def clamp(input: Tensor, min: object = None, max: object = None) -> Tensor:
        bounds = [bound for bound in (min, max) if bound is not None]
        if any(isinstance(x, bool) or (isinstance(x, Tensor) and x.dtype == mstype.bool_) for x in (input, *bounds)):
            raise ValueError("clamp: the input and its bounds must be numbers, but got bool.")
        if not all(_are_usual(input, bound) for bound in bounds):
            input = input.astype(_common(input, bounds))
        return older(input, min, max)

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
    *_in("ops", "tensor_lt Less.__call__"),
    "Tensor.__lt__",
    what="`less` of uint8 and a negative number is right. Before, the number was converted to uint8.",
    examples=(
        "T([1, 2, 3], 'uint8') < -1",
        "ops.lt(T([1, 2, 3], 'uint8'), -1)",
        "ops.Less()(T([1, 2, 3], 'uint8'), -1)",
        "-1 > T([1, 2, 3], 'uint8')",
    ),
)
@_binary
def _less(older: Callable[..., Any], input: object, other: object) -> Any:
    if (
        _is_number(other)
        and is_number(other)
        and other < 0
        and isinstance(input, Tensor)
        and input.dtype == mstype.uint8
    ):
        input = input.astype(mstype.int32)
    return older(input, other)


@changed(
    "2.9.0",
    *_in("ops", "lt less eq equal tensor_lt Less.__call__ Equal.__call__"),
    *_in("mint", "lt less eq"),
    what="`less` and `equal` refuse a number as first operand.",
    examples=("ops.lt(2, T([1, 2, 3]))", "mint.eq(True, T([1, 2, 3]))", "ops.Equal()(2, T([1, 2, 3]))"),
)
@_binary
def _of_tensor(older: Callable[..., Any], input: object, other: object) -> Any:
    if _is_number(input):
        name = older.__qualname__.removesuffix(".__call__")
        raise TypeError(f"{name}: the first operand must be a Tensor, but got {type(input).__name__}.")
    return older(input, other)


_QUOTIENTS = (
    *_in("ops Tensor", "div divide true_divide"),
    *_in("mint", "div divide"),
    "ops.Div.__call__",
    *_in("Tensor", "__truediv__ __itruediv__"),
)


@changed(
    "2.9.0",
    *_QUOTIENTS,
    what="A quotient of an integer Tensor and a number is right. Before, the number was converted to the Tensor's dtype, "
    "so that `uint8 / -1` divided by 255.",
    examples=(
        "T([1, 2, 3], 'uint8') / -1",
        "ops.div(T([1, 2, 3], 'int16'), 70000)",
        "ops.Div()(300, T([1, 2, 3], 'int8'))",
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
    if _is_tensor(value) and _is_number(number) and _kind(value) == "i":
        return value.astype(mstype.float32)
    return value


@changed(
    "2.9.0",
    "Tensor.__rtruediv__",
    what="`number / Tensor` is the number times the reciprocal of the Tensor, in the Tensor's dtype. Before, it was the "
    "quotient, and the number was converted to the dtype of an integer Tensor.",
    examples=("300 / T([1, 2, 3], 'int8')", "300 / T([1.5, 2.25], 'float16')"),
)
@_binary
def _by_reciprocal(older: Callable[..., Any], self: Tensor, other: object) -> Any:
    return self.reciprocal() * other if _is_number(other) else older(self, other)


@changed(
    "2.9.0",
    *_in("ops", "div divide true_divide Div.__call__"),
    *_in("Tensor", "true_divide div_ __itruediv__"),
    "mint.divide",
    what="A quotient of float16 and a number by these functions is rounded once, at the end. Before, the number was rounded "
    "to float16. The operator `/` does so still.",
    examples=(
        "ops.div(T([1.5, 2.25], 'float16'), 3.7)",
        "ops.Div()(3.7, T([0.7, 5.3], 'float16'))",
        "T([1.5, 2.25], 'float16').div_(3.7)",
        "T([1.5, 2.25], 'float16') / 3.7",
    ),
)
@changed(
    "2.8.0",
    *_in("ops", "mul multiply tensor_mul Mul.__call__"),
    *_in("Tensor", "multiply mul_ __imul__"),
    what="A product of float16 and a number by these functions is rounded once, at the end. Before, the number was rounded "
    "to float16. The operator `*`, `Tensor.mul` and `mint.mul` do so still.",
    examples=(
        "ops.mul(T([1.5, 2.25], 'float16'), 3.7)",
        "ops.Mul()(T([1.5, 2.25], 'float16'), 3.7)",
        "T([1.5], 'float16').multiply(3.7)",
        "T([1.5], 'float16').mul_(3.7)",
        "T([1.5], 'float16') * 3.7",
    ),
)
@_binary
def _of_half(older: Callable[..., Any], input: object, other: object, **options: object) -> Any:
    return _rounded_once(older, input, other, **options)


def _rounded_once(older: Callable[..., Any], input: object, other: object, **options: object) -> Any:
    """Return what an operator gives for float16 and a number, which is not rounded before; for others what it gives."""
    for half, number in ((input, other), (other, input)):
        if _is_tensor(half) and half.dtype == mstype.float16 and _is_number(number):
            return _in_float32(older, half, input, other, **options)
    return older(input, other, **options)


def _in_float32(older: Callable[..., Any], half: Tensor, *operands: object, **options: object) -> Any:
    """Return what an operator gives for operands of float32, rounded to the dtype of one of them at the end."""
    wide = [x.astype(mstype.float32) if isinstance(x, Tensor) and _is_tensor(x) else x for x in operands]
    return older(*wide, **options).astype(half.dtype)


@changed(
    "2.9.0",
    "mint.div",
    what="A quotient of a number and float16 by `mint.div` is rounded once, at the end.",
    examples=("mint.div(3.7, T([0.7, 5.3], 'float16'))", "mint.div(T([1.5, 2.25], 'float16'), 3.7)"),
)
@changed(
    "2.8.0",
    "mint.mul",
    what="A product of a number and float16 by `mint.mul` is rounded once, at the end.",
    examples=("mint.mul(3.7, T([1.5, 2.25], 'float16'))",),
)
@_binary
def _number_first(older: Callable[..., Any], input: object, other: object, **options: object) -> Any:
    return _rounded_once(older, input, other, **options) if _is_number(input) else older(input, other, **options)


@changed(
    "2.9.0",
    *_in("ops mint Tensor", "fmod"),
    what="In `fmod`, a divisor without axes is converted to the dtype of a Tensor with axes of the same kind, floats or integers. "
    "Before, the two dtypes were promoted, as they still are if the dividend has no axes.",
    examples=(
        "ops.fmod(T([5, 7], 'int16'), T(4, 'int32'))",
        "T([5.0, 7.0], 'float16').fmod(T(3.7, 'float32'))",
        "ops.fmod(T(3.7, 'float32'), T([5.0, 7.0], 'float16'))",
    ),
)
@_binary
def _fmod_by_one(older: Callable[..., Any], input: object, other: object) -> Any:
    if isinstance(input, Tensor) and isinstance(other, Tensor) and input.ndim > other.ndim == 0:
        other = other.astype(input.dtype) if _kind(input) == _kind(other) and _kind(input) in "fi" else other
    return older(input, other)


@changed(
    "2.9.0",
    *_QUOTIENTS,
    what="In a quotient, a Tensor without axes counts as a number: the result keeps the dtype of a Tensor with "
    "axes of the same kind, floats or integers.",
    examples=(
        "T([1.5, 2.25], 'float16') / T(3.7, 'float32')",
        "T(3.7, 'float64') / T([1.5, 2.25], 'float32')",
        "T([5, 7], 'int8') / T(4.0, 'float32')",
    ),
)
@changed(
    "2.8.0",
    *_in("ops", "mul multiply tensor_mul Mul.__call__"),
    *_in("Tensor", "mul multiply __mul__ __imul__"),
    "mint.mul",
    what="In a product, a Tensor without axes counts as a number: the result keeps the dtype of a Tensor with axes of the same "
    "kind, floats or integers. Before, the two dtypes were promoted.",
    examples=(
        "T([1.5, 2.25], 'float16') * T(3.7, 'float32')",
        "ops.mul(T(3, 'int64'), T([1, 2], 'int32'))",
        "mint.mul(T([1.5, 2.25], 'float32'), T(3.7, 'float64'))",
        "ops.Mul()(T([1, 2], 'int32'), T(1.5, 'float16'))",
    ),
)
@_binary
def _of_one_element(older: Callable[..., Any], input: object, other: object, **options: object) -> Any:
    if not (isinstance(input, Tensor) and isinstance(other, Tensor)) or bool(input._data.shape) is bool(
        other._data.shape
    ):
        return older(input, other, **options)
    many, one = (input, other) if input.ndim else (other, input)
    if one.dtype == many.dtype or _is_number(one) or _kind(one) != _kind(many) or _kind(many) not in "fi":
        return older(input, other, **options)
    if many.dtype in (mstype.float16, mstype.bfloat16):
        return _in_float32(older, many, input, other, **options)
    return older(input.astype(many.dtype), other.astype(many.dtype), **options)


def _kind(tensor: Tensor) -> str:
    """Return the kind of a Tensor's elements: `"f"` for floats, `"i"` for integers, or another letter of NumPy."""
    return mstype.to_numpy(tensor.dtype).kind.replace("V", "f").replace("u", "i")


@changed(
    "2.8.0",
    *_in("ops Tensor", "ldexp"),
    what="`ldexp` of a float Tensor with axes and a number, or a Tensor without axes, keeps the dtype of the former. "
    "Before, it was of float32 or wider.",
    examples=(
        "ops.ldexp(T([1.5, 2.0], 'float16'), 2)",
        "ops.ldexp(T([1.5, 2.0], 'float32'), T(2.0, 'float64'))",
        "T([1.5], 'float16').ldexp(T([2]))",
    ),
)
@_binary
def _ldexp(older: Callable[..., Any], input: object, other: object) -> Any:
    if _is_tensor(input) and _kind(input) == "f":
        is_one = _is_number(other) or (isinstance(other, Tensor) and input.ndim > other.ndim == 0)
        return older(input, other).astype(input.dtype) if is_one else older(input, other)
    return older(input, other)


@changed(
    "2.9.0",
    *_in("ops mint Tensor", "fmod"),
    what="`fmod` of an integer Tensor and a number is right. Before, the number was converted to the Tensor's dtype.",
    examples=("ops.fmod(-1, T([1, 2, 3], 'uint8'))", "T([1, 2, 3], 'uint8').fmod(-1)"),
)
@_binary
def _fmod_of_whole(older: Callable[..., Any], input: object, other: object) -> Any:
    for whole, number in ((input, other), (other, input)):
        if _is_tensor(whole) and _kind(whole) == "i" and isinstance(number, int):
            wide = [whole.astype(mstype.int64) if x is whole else x for x in (input, other)]
            return older(*wide).astype(whole.dtype)
    return older(input, other)


@changed(
    "2.9.0",
    *_in("ops mint Tensor", "floor_divide remainder fmod"),
    *_in("Tensor", "__floordiv__ __rfloordiv__ __ifloordiv__ floor_divide_"),
    *_in("ops", "floor_div floordiv tensor_floordiv FloorDiv.__call__"),
    *_in("ops Tensor mint", "div"),
    *_in("ops Tensor", "divide"),
    what="`floor_divide`, `remainder`, `fmod` and rounded quotients take booleans. Before, they refused them.",
    examples=(
        "T([True, False]) // T([True, True])",
        "ops.FloorDiv()(True, T([True, True]))",
        "ops.remainder(T([True, False]), True)",
        "mint.fmod(T([True, False]), T([True, True]))",
        "ops.div(T([True, False]), T([True, True]), rounding_mode='trunc')",
    ),
)
@_binary
def _of_booleans(older: Callable[..., Any], input: object, other: object, **options: Any) -> Any:
    is_rounded = options.get("rounding_mode") or not older.__name__.startswith("div")
    if is_rounded and all(
        isinstance(x, bool) or (isinstance(x, Tensor) and x.dtype == mstype.bool_) for x in (input, other)
    ):
        whole = [x.astype(mstype.int32) if isinstance(x, Tensor) else int(x is True) for x in (input, other)]
        return older(*whole, **options).astype(mstype.bool_)
    return older(input, other, **options)
