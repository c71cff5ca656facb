"""The public names of sporax: what each takes, and what it does."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import sporax

MODULES = ("nn", "ops", "mint", "train", "dataset", "numpy")
_HEADS = ("mindspore.", "sporax.", "ms.")


class Described(NamedTuple):
    """A public name without `sporax.`, its signature (empty if it is not called), and the first paragraph of its docstring."""

    name: str
    signature: str
    summary: str


def described(name: str) -> list[Described]:
    """Return what a name stands for, such as `mindspore.ops.concat`, `nn.Dense` or `Dense`: there may be several."""
    path = next((name.removeprefix(head) for head in _HEADS if name.startswith(head)), name)
    paths = [path] if "." in path else [path, f"Tensor.{path}", *(f"{module}.{path}" for module in MODULES)]
    return [_described(known, value) for known in paths for value in _values(known)]


def close_public(name: str, count: int = 3) -> list[str]:
    """Return the public names that are most like a name."""
    path = next((name.removeprefix(head) for head in _HEADS if name.startswith(head)), name)
    names = [
        f"{module}.{public}" for module in MODULES for public in dir(_module(module)) if not public.startswith("_")
    ]
    short = {public: public if "." in path else public.rpartition(".")[2] for public in names}
    close = difflib.get_close_matches(path, set(short.values()), count, 0.75)
    return [public for word in close for public, known in short.items() if known == word][:count]


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"sporax.{name}")


def _values(path: str) -> Iterator[Any]:
    value: Any = sporax
    for part in path.split("."):
        if part.startswith("_") or not hasattr(value, part):
            return
        value = getattr(value, part)
    yield value


def _described(name: str, value: Any) -> Described:
    signature = ""
    if callable(value):
        try:
            parameters = [p.replace(annotation=p.empty) for p in inspect.signature(value).parameters.values()]
            kept = parameters[1:] if name.startswith("Tensor.") and parameters[:1] else parameters
            signature = str(inspect.Signature(kept))
        except ValueError:  # written in C
            signature = "(...)"
    paragraph = (inspect.getdoc(value) or "").partition("\n\n")[0]
    return Described(name, signature, " ".join(paragraph.split()))
