"""Checks of arguments, under the names of `mindspore._checkparam`: each returns the value, or raises.

Thirty repositories of the census import the module, mindformers, mindscience and mindrl among them. MindSpore's own tests use
is_stub_tensor.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = [
    "EQ",
    "GE",
    "GT",
    "IN",
    "INC_BOTH",
    "INC_LEFT",
    "INC_NEITHER",
    "INC_RIGHT",
    "LE",
    "LT",
    "NE",
    "NOT_IN",
    "Rel",
    "Validator",
    "args_type_check",
    "check",
    "check_bool",
    "check_equal_int",
    "check_float",
    "check_float_range",
    "check_int",
    "check_int_range",
    "check_is_float",
    "check_is_int",
    "check_is_number",
    "check_isinstance",
    "check_negative_int",
    "check_non_negative_float",
    "check_non_negative_int",
    "check_non_positive_int",
    "check_number",
    "check_positive_float",
    "check_positive_int",
    "check_positive_int_sequence",
    "check_string",
    "check_subclass",
    "check_type_name",
    "check_types_same_and_valid",
    "check_value_type",
    "is_stub_tensor",
    "twice",
]


EQ, NE, LT, LE, GT, GE = "==", "!=", "<", "<=", ">", ">="


INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = "()", "[)", "(]", "[]"


IN, NOT_IN = "in", "not in"


_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    EQ: operator.eq,
    NE: operator.ne,
    LT: operator.lt,
    LE: operator.le,
    GT: operator.gt,
    GE: operator.ge,
    IN: lambda a, b: a in b,
    NOT_IN: lambda a, b: a not in b,
}


def _head(prim_name: str | None, arg_name: str | None) -> str:
    return (f"For '{prim_name}', " if prim_name else "") + (f"the '{arg_name}'" if arg_name else "the input value")


def _number(value: Any, kind: type, arg_name: str | None, prim_name: str | None) -> Any:
    fits = isinstance(value, int) if kind is int else isinstance(value, (int, float))
    if isinstance(value, bool) or not fits:
        raise TypeError(
            f"{_head(prim_name, arg_name)} must be {kind.__name__}, but got '{value}' ({type(value).__name__})."
        )
    if not math.isfinite(value):
        raise ValueError(f"{_head(prim_name, arg_name)} must be a legal value, but got '{value}'.")
    return value


def _compared(value: object, other: object, rel: str, kind: type, arg_name: str | None, prim_name: str | None) -> Any:
    _number(value, kind, arg_name, prim_name)
    if not _RELATIONS[rel](value, other):
        raise ValueError(
            f"{_head(prim_name, arg_name)} must be {kind.__name__} and must {rel} {other}, but got '{value}'."
        )
    return value


def _between(value: Any, low: Any, high: Any, rel: str, kind: type, arg_name: str | None, prim_name: str | None) -> Any:
    _number(value, kind, arg_name, prim_name)
    above = value >= low if rel[0] == "[" else value > low
    below = value <= high if rel[1] == "]" else value < high
    if not (above and below):
        raise ValueError(
            f"{_head(prim_name, arg_name)} must be in range of {rel[0]}{low}, {high}{rel[1]}, but got {value}."
        )
    return value


def check_int(
    arg_value: object, value: object, rel: str, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """Check an int against another number."""
    return _compared(arg_value, value, rel, int, arg_name, prim_name)


def check_float(
    arg_value: object, value: object, rel: str, arg_name: str | None = None, prim_name: str | None = None
) -> float:
    """Check a float against another number."""
    return _compared(arg_value, value, rel, float, arg_name, prim_name)


def check_is_int(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Check for an int."""
    return _number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Check for a float."""
    if not isinstance(arg_value, float):
        raise TypeError(f"{_head(prim_name, arg_name)} must be float, but got '{arg_value}'.")
    return _number(arg_value, float, arg_name, prim_name)


def check_is_number(
    arg_value: object, arg_type: type, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """Check for a number of a type."""
    return (check_is_int if arg_type is int else check_is_float)(arg_value, arg_name, prim_name)


def check_equal_int(arg_value: object, value: int, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Check for one int."""
    return _compared(arg_value, value, EQ, int, arg_name, prim_name)


def check_positive_int(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Check for an int > 0."""
    return _compared(arg_value, 0, GT, int, arg_name, prim_name)


def check_negative_int(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Check for an int < 0."""
    return _compared(arg_value, 0, LT, int, arg_name, prim_name)


def check_non_positive_int(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Check for an int <= 0."""
    return _compared(arg_value, 0, LE, int, arg_name, prim_name)


def check_non_negative_int(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """Check for an int >= 0."""
    return _compared(arg_value, 0, GE, int, arg_name, prim_name)


def check_positive_int_sequence(sequence: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """Check for ints > 0."""
    for i, value in enumerate(sequence):
        check_positive_int(value, f"{arg_name}[{i}]", prim_name)
    return sequence


def check_positive_float(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Check for a float > 0."""
    return _compared(arg_value, 0, GT, float, arg_name, prim_name)


def check_non_negative_float(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> float:
    """Check for a float >= 0."""
    return _compared(arg_value, 0, GE, float, arg_name, prim_name)


def check_int_range(
    arg_value: object,
    lower_limit: int,
    upper_limit: int,
    rel: str,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> int:
    """Check for an int between two limits; `rel` says which of them belong (`INC_BOTH`, ...)."""
    return _between(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(
    arg_value: object,
    lower_limit: float,
    upper_limit: float,
    rel: str,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> float:
    """Check for a float between two limits; `rel` says which of them belong (`INC_BOTH`, ...)."""
    return _between(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_number(arg_name: str, arg_value: object, value: object, rel: str, prim_name: str | None) -> Any:
    """Check a number against another."""
    if not _RELATIONS[rel](arg_value, value):
        raise ValueError(f"{_head(prim_name, arg_name)} must {rel} {value}, but got {arg_value}.")
    return arg_value


def check(
    arg_name: str,
    arg_value: object,
    value_name: str,
    value: object,
    rel: str = EQ,
    prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> Any:
    """Check a value against another (or, with `IN`, a collection)."""
    if not _RELATIONS[rel](arg_value, value):
        raise excp_cls(f"{_head(prim_name, arg_name)} should be {rel} {value_name}: {value}, but got {arg_value}.")
    return arg_value


def check_bool(arg_value: object, arg_name: str | None = None, prim_name: str | None = None) -> bool:
    """Check for a bool."""
    if not isinstance(arg_value, bool):
        raise TypeError(f"{_head(prim_name, arg_name)} must be a bool, but got {type(arg_value).__name__}.")
    return arg_value


def check_string(
    arg_value: object, valid_values: Sequence[str], arg_name: str | None = None, prim_name: str | None = None
) -> str:
    """Check for one of some strings."""
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        raise ValueError(
            f"{_head(prim_name, arg_name)} must be str and must be in '{valid_values}', but got '{arg_value}'."
        )
    return arg_value


def check_isinstance(arg_name: str, arg_value: object, classes: Any) -> Any:
    """Check for an instance of classes."""
    if not isinstance(arg_value, classes):
        raise TypeError(f"The parameter '{arg_name}' must be isinstance of {classes}, but got {type(arg_value)}.")
    return arg_value


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None) -> Any:
    """Check for a value of some types; a bool is no int."""
    types = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    if (isinstance(arg_value, bool) and bool not in types) or not isinstance(arg_value, types):
        names = [t.__name__ for t in types]
        shown = f"one of '{names}'" if len(names) > 1 else f"'{names[0]}'"
        prefix = f"For '{prim_name}', the" if prim_name else "The"
        raise TypeError(f"{prefix} type of '{arg_name}' should be {shown}, but got type '{type(arg_value).__name__}'.")
    return arg_value


def _known(value: object, types: object) -> bool:
    known = types if isinstance(types, (list, tuple, set, frozenset)) else (types,)
    return any(value is t or value == t for t in known)


def check_type_name(arg_name: str, arg_type: object, valid_types: object, prim_name: str | None) -> Any:
    """Check for one of some dtypes."""
    if not _known(arg_type, valid_types):
        raise TypeError(f"{_head(prim_name, arg_name)} should be one of {valid_types}, but got '{arg_type}'.")
    return arg_type


def check_subclass(
    arg_name: str, type_: object, template_types: object, prim_name: str | None, addition_error_info: str | None = None
) -> None:
    """Check for a dtype of some kinds."""
    templates = template_types if isinstance(template_types, (list, tuple)) else (template_types,)
    fits = any(type_ == t or (isinstance(t, type) and isinstance(type_, t)) for t in templates)
    if not fits:
        extra = f" {addition_error_info}" if addition_error_info else ""
        raise TypeError(
            f"{_head(prim_name, arg_name)} should be a subclass of {template_types}, but got {type_}.{extra}"
        )


def check_types_same_and_valid(args: dict[str, Any], valid_values: object, prim_name: str | None) -> None:
    """Check for one dtype of some in all arguments."""
    first = next(iter(args.values()))
    for name, value in args.items():
        if value != first or not _known(value, valid_values):
            raise TypeError(f"{_head(prim_name, name)} should be the same type of {valid_values}, but got {args}.")


def _flat(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != "kwargs"} | arguments.get("kwargs", {})


def args_type_check(*type_args: object, **type_kwargs: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Have a function check the types of its arguments, those in `**kwargs` as well; None passes."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(fn)
        kinds = _flat(signature.bind_partial(*type_args, **type_kwargs).arguments)

        @functools.wraps(fn)
        def checked(*args: object, **kwargs: object) -> Any:
            for name, value in _flat(signature.bind(*args, **kwargs).arguments).items():
                if name in kinds and value is not None and not isinstance(value, kinds[name]):
                    raise TypeError(f"Argument {name} must be {kinds[name]}, but got {type(value)}.")
            return fn(*args, **kwargs)

        return checked

    return decorate


def twice(m: Any) -> tuple[int, int]:
    """Return an int as a tuple of two, or a tuple of two ints as it is.

    Raises:
        TypeError: If it is neither.
    """
    pair = m if isinstance(m, tuple) else (m, m)
    if len(pair) != 2 or not all(isinstance(size, int) and not isinstance(size, bool) for size in pair):
        raise TypeError(f"The input must be an integer or 2 integers, but got {m!r}.")
    return pair


def is_stub_tensor(tensor: object) -> bool:
    """Return whether a Tensor stands for one to come: none does here."""
    return hasattr(tensor, "stub")


class Rel:
    """Relations, as releases before 2.0 had them."""

    EQ, NE, LT, LE, GT, GE = EQ, NE, LT, LE, GT, GE
    INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH
    IN, NOT_IN = IN, NOT_IN


class Validator(Rel):
    """The checks as static methods, as releases before 2.0 had them."""

    check = staticmethod(check)
    check_bool = staticmethod(check_bool)
    check_equal_int = staticmethod(check_equal_int)
    check_float = staticmethod(check_float)
    check_float_range = staticmethod(check_float_range)
    check_int = staticmethod(check_int)
    check_int_range = staticmethod(check_int_range)
    check_integer = staticmethod(check_number)
    check_is_float = staticmethod(check_is_float)
    check_is_int = staticmethod(check_is_int)
    check_isinstance = staticmethod(check_isinstance)
    check_negative_int = staticmethod(check_negative_int)
    check_non_negative_float = staticmethod(check_non_negative_float)
    check_non_negative_int = staticmethod(check_non_negative_int)
    check_non_positive_int = staticmethod(check_non_positive_int)
    check_number = staticmethod(check_number)
    check_positive_float = staticmethod(check_positive_float)
    check_positive_int = staticmethod(check_positive_int)
    check_string = staticmethod(check_string)
    check_subclass = staticmethod(check_subclass)
    check_type_name = staticmethod(check_type_name)
    check_types_same_and_valid = staticmethod(check_types_same_and_valid)
    check_value_type = staticmethod(check_value_type)
