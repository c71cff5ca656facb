"""The public names of operators, methods and layers, by namespace."""

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from mindspore import Tensor, mint, nn, numpy, ops

from .common import write_json
from .ops import PLACES


def functions(space: ModuleType | type) -> list[str]:
    """Return the public names of what can be called, and of properties."""
    kinds = (inspect.isroutine, inspect.isclass, lambda v: isinstance(v, property), callable)
    found = {name: inspect.getattr_static(space, name) for name in dir(space) if not name.startswith("_")}
    return sorted(name for name, value in found.items() if any(kind(value) for kind in kinds))


def operators() -> list[str]:
    """Return the functions of `ops`, and the Primitive classes wherever MindSpore keeps them."""
    primitive: Any = importlib.import_module("mindspore.ops").Primitive
    names = set(functions(ops))
    for place in PLACES:
        classes = inspect.getmembers(place, inspect.isclass)
        names |= {name for name, cls in classes if issubclass(cls, primitive) and not name.startswith("_")}
    return sorted(names)


def record(out: Path) -> None:
    """Write ``names.json``."""
    cells = sorted(name for name, cls in inspect.getmembers(nn, inspect.isclass) if issubclass(cls, nn.Cell))
    spaces = {"mint": mint, "mint.nn.functional": mint.nn.functional, "numpy": numpy}
    found = {label: sorted(set(functions(space)) & set(space.__all__)) for label, space in spaces.items()}
    write_json(out / "names.json", {"ops": operators(), "Tensor": functions(Tensor), "nn": cells, **found})
