"""Checks of layer arguments: each raises MindSpore's exception class with one sentence about the wrong argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import Type
from sporax._src.core.initializer import InitializerLike, initializer
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor


def label(owner: object) -> str:
    """Return the name of a layer in messages: `nn.Dense`."""
    return f"nn.{owner if isinstance(owner, str) else type(owner).__name__}"


def is_int(value: object) -> bool:
    """Return whether `value` is an integer and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def integer(owner: object, name: str, value: Any, least: int | None = None) -> int:
    """Return `value`; TypeError if it is no integer, ValueError if it is less than `least`."""
    if not is_int(value):
        raise TypeError(f"{label(owner)}: {name} must be an integer, got {describe(value)}.")
    if least is not None and value < least:
        kind = {0: "a non-negative integer", 1: "a positive integer"}.get(least, f"at least {least}")
        raise ValueError(f"{label(owner)}: {name} must be {kind}, got {value}.")
    return value


def positive(owner: object, name: str, value: object) -> int:
    """Return `value`, a positive integer."""
    return integer(owner, name, value, 1)


def of_type(owner: object, name: str, value: object, kinds: type | tuple[type, ...]) -> Any:
    """Return `value`; TypeError if it is of none of the types (a bool counts as no number)."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        names = " or ".join(k.__name__ for k in kinds)
        raise TypeError(f"{label(owner)}: {name} must be of type {names}, got {describe(value)}.")
    return value


def flag(owner: object, name: str, value: object) -> bool:
    """Return `value`, a bool."""
    return of_type(owner, name, value, bool)


def choice(owner: object, name: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value`; ValueError if it is none of the words allowed."""
    allowed = list(allowed)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{label(owner)}: {name} must be one of {allowed}, got {describe(value)}.")
    return value


def within(owner: object, name: str, value: float, low: float, high: float, ends: str = "[]") -> Any:
    """Return `value`; ValueError if it is outside the interval with the brackets `ends` (`"[)"`)."""
    above = value >= low if ends[0] == "[" else value > low
    below = value <= high if ends[1] == "]" else value < high
    if not (above and below):
        raise ValueError(f"{label(owner)}: {name} must be in {ends[0]}{low}, {high}{ends[1]}, got {value}.")
    return value


def sizes(owner: object, name: str, value: object, count: int, least: int = 1) -> tuple[int, ...]:
    """Return `count` integers from an integer or a tuple; `value` may have an element per axis, or one for all."""
    if is_int(value):
        value = (value,) * count
    if not isinstance(value, (tuple, list)):
        raise TypeError(f"{label(owner)}: {name} must be an integer or a tuple of {count}, got {describe(value)}.")
    if len(value) != count:
        raise ValueError(f"{label(owner)}: {name} must be an integer or a tuple of {count}, got {describe(value)}.")
    return tuple(integer(owner, f"each element of {name}", v, least) for v in value)


def parameter(
    init: Any,
    shape: Sequence[int],
    dtype: mstype.TypeLike,
    name: str | None = None,
    requires_grad: bool = True,
) -> Parameter:
    """Return a Parameter with values drawn by `init`."""
    return Parameter(initializer(init, tuple(shape), dtype), name=name, requires_grad=requires_grad)


def initial_shape(owner: object, name: str, init: InitializerLike | None, shape: Sequence[int]) -> None:
    """ValueError if a Tensor passed as initial value has another shape."""
    if isinstance(init, Tensor) and tuple(init.shape) != tuple(shape):
        raise ValueError(f"{label(owner)}: {name} must have shape {list(shape)}, got {list(init.shape)}.")


def bad_input(
    owner: object, message: str, kind: Callable[[str], Exception] = ValueError, **inputs: object
) -> Exception:
    """Return the error of a wrong call: `nn.Dense.construct(x: float32[2, 3]): ...`."""
    shown = ", ".join(f"{name}: {describe(value)}" for name, value in inputs.items())
    return kind(f"{label(owner)}.construct({shown}): {message}")


def tensor_input(owner: object, **inputs: object) -> None:
    """TypeError unless all inputs are Tensors."""
    for name, value in inputs.items():
        if not isinstance(value, Tensor):
            raise bad_input(owner, f"{name} must be a Tensor, got {describe(value)}.", TypeError, **inputs)


def rank_input(owner: object, allowed: Sequence[int], **inputs: Any) -> None:
    """ValueError unless each input has a number of axes that is allowed."""
    for name, value in inputs.items():
        if len(value.shape) not in allowed:
            wanted = " or ".join(map(str, allowed))
            raise bad_input(owner, f"{name} must have {wanted} axes, got {len(value.shape)}.", **inputs)


def dtype_input(owner: object, allowed: Sequence[Type], **inputs: Any) -> None:
    """TypeError unless each input is a Tensor and has a dtype that is allowed."""
    tensor_input(owner, **inputs)
    for name, value in inputs.items():
        if value.dtype not in allowed:
            wanted = ", ".join(str(d).lower() for d in allowed)
            raise bad_input(
                owner, f"{name} must be of dtype {wanted}, got {str(value.dtype).lower()}.", TypeError, **inputs
            )
