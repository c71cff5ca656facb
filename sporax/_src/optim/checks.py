"""Checks of the arguments of optimizers, each with one message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell

GROUP_KEYS = ["params", "lr", "weight_decay", "order_params", "grad_centralization"]


def check_number(optimizer: Cell, name: str, value: object, *, positive: bool = False) -> float:
    label = type(optimizer).__name__
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)):
        raise TypeError(f"For '{label}', the '{name}' must be a number, got {describe(value)}.")
    if not np.isfinite(value) or (value <= 0 if positive else value < 0):
        raise ValueError(
            f"For '{label}', the '{name}' must be a finite number {'> 0' if positive else '>= 0'}, got {value}."
        )
    return float(value)


def check_fraction(optimizer: Cell, name: str, value: object, *, ends: bool = False) -> float:
    label = type(optimizer).__name__
    if not isinstance(value, float):
        raise TypeError(f"For '{label}', the '{name}' must be a float, got {describe(value)}.")
    if not (0 <= value <= 1 if ends else 0 < value < 1):
        shown = "[0.0, 1.0]" if ends else "(0.0, 1.0)"
        raise ValueError(f"For '{label}', the '{name}' must be in range of {shown}, but got {value}.")
    return value


def check_parameters(parameters: object, what: str) -> list[Any]:
    if parameters is None:
        raise ValueError(f"For 'Optimizer', the argument {what} can not be None.")
    if not isinstance(parameters, Iterable) or isinstance(parameters, (str, dict, Tensor)):
        raise TypeError(
            f"For 'Optimizer', the argument {what} must be a list of Parameters, got {describe(parameters)}."
        )
    entries = list(parameters)
    if not entries:
        raise ValueError(f"For 'Optimizer', the argument {what} must not be empty.")
    for i, p in enumerate(entries):
        if not isinstance(p, (Parameter, dict)):
            raise TypeError(
                f"For 'Optimizer', elements of {what} must be Parameters or dicts, got {describe(p)} at index {i}."
            )
    if len({isinstance(p, dict) for p in entries}) > 1:
        raise TypeError(f"For 'Optimizer', elements of {what} must be all Parameters or all dicts, got a mixture.")
    return entries


def check_group(group: dict[str, Any]) -> None:
    unknown = [k for k in group if k not in GROUP_KEYS]
    if unknown:
        raise KeyError(f"For 'Optimizer', the keys of a parameter group must be in {GROUP_KEYS}, got {unknown}.")
    if "order_params" in group and len(group) > 1:
        raise ValueError(f"For 'Optimizer', 'order_params' must be the only key of its group, got {list(group)}.")
    if "order_params" not in group and "params" not in group:
        raise KeyError(f"For 'Optimizer', a parameter group must have the key 'params', got {list(group)}.")


def check_lengths(optimizer: Cell, learning_rates: list[Any]) -> None:
    """Check that all lists of learning rates have the same length."""
    lengths = sorted({lr.size for lr in learning_rates if isinstance(lr, Tensor)})
    if len(lengths) > 1:
        label = type(optimizer).__name__
        raise ValueError(f"For '{label}', lists of learning rates must have one length, got lengths {lengths}.")


def check_twice(optimizer: Cell, params: list[Parameter]) -> None:
    seen: set[int] = set()
    for p in params:
        if id(p) in seen:
            raise RuntimeError(
                f"For '{type(optimizer).__name__}', the Parameter '{shown(p.name)}' is in the groups twice."
            )
        seen.add(id(p))


def check_names(optimizer: Cell, params: list[Parameter]) -> None:
    seen: dict[str, Parameter] = {}
    for p in params:
        if p.name in seen:
            raise ValueError(
                f"For '{type(optimizer).__name__}', two Parameters have the name '{shown(p.name)}'; rename one of them."
            )
        seen[p.name] = p
