"""Short programs for MindSpore whose answers are recorded from it: each function of these modules is one.

Its docstring says what it shows. They import `mindspore`, so that they run as they are under MindSpore and, with
`sporax.compat` installed, here.
"""

import importlib
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

TOPICS = (
    "attributes",
    "cells",
    "datasets",
    "forwards",
    "graphs",
    "lists",
    "losses",
    "optimizers",
    "precision",
    "training",
)


def programs() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield each program by its name; `mindspore` must be there to import."""
    for topic in TOPICS:
        module = importlib.import_module(f"behaviours.{topic}")
        for name, value in list(vars(module).items()):
            own = isinstance(value, FunctionType) and value.__module__ == module.__name__
            if own and not name.startswith("_"):
                yield f"{topic}.{name}", value


def told(value: Any) -> Any:
    """Return an answer as data: Tensors and arrays by dtype and elements, other objects by their text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, tuple):
        return {"tuple": [told(v) for v in value]}
    if isinstance(value, list):
        return [told(v) for v in value]
    if isinstance(value, dict):
        return {"dict": [[told(k), told(v)] for k, v in value.items()]}
    if isinstance(value, np.generic):
        return {"scalar": str(value.dtype), "value": told(value.item())}
    if isinstance(value, np.ndarray):
        elements = value.tolist() if value.dtype.kind in "US" else np.asarray(value, object).tolist()
        return {"array": _kind(value.dtype), "value": told(elements)}
    if hasattr(value, "asnumpy"):
        return {"tensor": str(value.dtype), "value": told(value.asnumpy())["value"]}
    return {"text": str(value)}


def _kind(dtype: np.dtype) -> str:
    return dtype.kind if dtype.kind in "US" else str(dtype)


def answer(program: Callable[[], Any]) -> Any:
    """Return what a program answers, or the types of its error, the most special one first."""
    try:
        return told(program())
    except Exception as error:
        return {"error": [kind.__name__ for kind in type(error).__mro__]}
