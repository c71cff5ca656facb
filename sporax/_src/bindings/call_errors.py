"""Error messages of failed calls of Tensor methods: the arguments, and the ways to call the method.

Nothing here runs unless a call has failed. The ways come from the method's signature, or from its `FORMS` if one Python function
takes several kinds of arguments. An argument is reported as wrong only if its annotation excludes it.
"""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from sporax._src.core.tensor import Tensor

FORMS: dict[str, tuple[str, ...]] = {}

_LABELS = {  # annotations in MindSpore's terms
    "Array": "number,Tensor", "TensorArray": "Tensor", "OptArray": "number,Tensor,None", "Arrays": "Tuple,List",
    "Axis": "int,Tuple,None,List", "Shape": "int,Tuple,List", "Tensor": "Tensor", "bool": "bool", "int": "int",
    "float": "number", "str": "str", "None": "None",
}  # fmt: skip
_KINDS: dict[str, Any] = {
    "number": (numbers.Number, np.generic), "int": (int, np.integer), "bool": (bool, np.bool_), "str": str, "Tuple": tuple,
    "List": list, "None": type(None), "Tensor": (Tensor, np.ndarray, numbers.Number, list, tuple),
}  # fmt: skip
_VARIADIC, _ANY_NAME = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


def forms(*names: str, of: Sequence[str]) -> None:
    """Register further ways to call methods: parameter lists in Python's syntax, without `self`."""
    FORMS.update(dict.fromkeys(names, tuple(of)))


def explained(
    name: str, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> Exception:
    """Return a TypeError that shows how to call `Tensor.name` if the arguments fit none of its ways; else `error` itself."""
    ways = [_parameters(text) for text in FORMS[name]] if name in FORMS else [_own_parameters(fn)]
    reasons = [_mismatch(name, way, args, kwargs) for way in ways]
    if any(not reason for reason in reasons):
        return error
    call = f"{name}({', '.join(_shown(args, kwargs))})"
    shown = [f'"Tensor.{name}({_calling(way)})"\n    {reason}' for way, reason in zip(ways, reasons, strict=True)]
    return TypeError("\n".join([f'Failed calling {name} with "{call}".', "The valid calling should be:", *shown]))


def _own_parameters(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(fn).parameters.values())[1:]


def _parameters(text: str) -> list[inspect.Parameter]:
    scope: dict[str, Any] = {}
    exec(f"from __future__ import annotations\ndef function(self, {text}): ...", scope)
    return _own_parameters(scope["function"])


# --- what is wrong ----------------------------------------------------------------------------------------------------


def _mismatch(name: str, way: list[inspect.Parameter], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Return why the arguments do not fit one way to call, "" if they do."""
    listed = [p for p in way if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = next((p for p in way if p.kind is _VARIADIC), None)
    by_name = {p.name: p for p in way if p.kind not in (_VARIADIC, _ANY_NAME)}
    unknown = [] if any(p.kind is _ANY_NAME for p in way) else [k for k in kwargs if k not in by_name]
    if unknown:
        return f"match failed because incorrect keyword name: {', '.join(unknown)}"
    if len(args) > len(listed) and variadic is None:
        if len(args) <= sum(
            p.kind is not _ANY_NAME for p in way
        ):  # there are enough parameters, but some are keyword-only
            return "\n    ".join([*_marked(_shown(args, kwargs), range(len(args))), _too_many(name, listed, args)])
        return _too_many(name, listed, args)
    twice = [p.name for p in listed[: len(args)] if p.name in kwargs]
    if twice:
        return f"{name}() got multiple values for argument '{twice[0]}'."
    missing = [p.name for p in by_name.values() if p.default is p.empty and p.name not in kwargs]
    missing = [n for n in missing if n not in [p.name for p in listed[: len(args)]]]
    if missing:
        return f"{name}() missing {len(missing)} required positional argument: {', '.join(missing)}."
    pairs = [(variadic if n >= len(listed) else listed[n], value) for n, value in enumerate(args)]
    pairs += [(by_name.get(k), value) for k, value in kwargs.items()]
    wrong = [n for n, (p, value) in enumerate(pairs) if p is not None and not _fits(p, value)]
    return _message(name, args, kwargs, pairs, wrong) if wrong else ""


def _message(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], pairs: list[Any], wrong: list[int]) -> str:
    shown = _shown(args, kwargs)
    # Keywords have no order: if one is wrong, all are underlined.
    marked = {n for n in range(len(shown)) if n in wrong or (n >= len(args) and wrong[-1] >= len(args))}
    parameter, value = pairs[wrong[0]]
    position = f" (position {wrong[0] + 1})" if wrong[0] < len(args) else ""
    reason = f"{name}(): argument '{parameter.name.rstrip('_')}'{position} must be {_wanted(parameter, value)}."
    return "\n    ".join([*_marked(shown, marked), reason])


def _marked(shown: list[str], marked: Collection[int]) -> tuple[str, str]:
    """Return the arguments, and a line below that underlines some of them."""
    head = "match failed because invalid types: ("
    first = min(marked)
    start = len(head) + len(", ".join(shown[:first])) + (2 if first else 0)
    length = len(", ".join(shown[first : max(marked) + 1])) + 2
    return f"{head}{', '.join(shown)})", " " * start + "~" * length


def _too_many(name: str, listed: list[inspect.Parameter], args: tuple[Any, ...]) -> str:
    return f"{name}() takes {_count(len(listed))} but {len(args)} {'was' if len(args) == 1 else 'were'} given."


def _count(n: int) -> str:
    return f"{n} positional argument{'' if n == 1 else 's'}"


def _labels(parameter: inspect.Parameter) -> list[str]:
    """Return the kinds of values a parameter takes; [] if its annotation does not define them."""
    parts = [p.strip() for p in str(parameter.annotation).split("|")]
    labels = [_LABELS.get(part) for part in parts]
    if None in labels or parameter.annotation is parameter.empty:
        return []
    kinds = [k for label in labels for k in str(label).split(",")]
    return list(dict.fromkeys([*kinds, *(["None"] if parameter.default is None else [])]))


def _fits(parameter: inspect.Parameter, value: object) -> bool:
    kinds = _labels(parameter)
    if not kinds or (isinstance(value, Tensor) and "bool" not in kinds):  # a Tensor may replace numbers
        return True
    return any(isinstance(value, _KINDS[kind]) for kind in kinds)


# --- how it is shown --------------------------------------------------------------------------------------------------


def _wanted(parameter: inspect.Parameter, value: object) -> str:
    kinds = _labels(parameter)
    if parameter.kind is _VARIADIC:
        return f"tuple of {kinds[0]}, not {_kind(value)}"
    *others, last = ["Number" if k == "number" else k for k in kinds]
    if kinds[0] == "number" and set(kinds) <= {"number", "None"}:
        many = isinstance(value, (list, tuple))
        return f"Number but got {type(value).__name__}{' of Any' if many else ''}"
    wanted = f"{', '.join(others)} or {last}" if others else last
    return f"{wanted}, not {_kind(value)}"


def _calling(way: list[inspect.Parameter]) -> str:
    parts: list[str] = []
    for p in way:
        if p.kind is p.KEYWORD_ONLY and "*" not in parts and not any(q.kind is _VARIADIC for q in way):
            parts.append("*")
        star = {_VARIADIC: "*", _ANY_NAME: "**"}.get(p.kind, "")
        parts.append(f"{star}{p.name.rstrip('_')}=<{','.join(_labels(p)) or 'any'}>")
    return ", ".join(parts)


def _shown(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    return [*map(_kind, args), *[f"{k}={_kind(v)}" for k, v in kwargs.items()]]


def _kind(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"{'list' if isinstance(value, list) else 'tuple'}<{', '.join(map(_kind, value))}>"
    if value is None or isinstance(value, (Tensor, str)):
        return "None" if value is None else "Tensor" if isinstance(value, Tensor) else "string"
    return type(value).__name__
