"""The modules that MindSpore has as attributes once it is imported, and what public names each shares with a documented one."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

from .common import write_json

# The namespaces of MindSpore's documentation, the wider ones first; `""` is `mindspore` itself.
DOCUMENTED = """
nn ops mint mint.nn mint.nn.functional mint.linalg mint.special mint.optim mint.distributed numpy scipy.linalg scipy.optimize amp
train communication communication.comm_func common.initializer context log dataset dataset.audio dataset.core.config dataset.text
dataset.transforms dataset.vision device_context.ascend device_context.cpu device_context.gpu experimental.optim
experimental.optim.lr_scheduler hal hal.contiguous_tensors_handle mindrecord nn.probability.bijector nn.probability.distribution
parallel parallel.nn profiler runtime
"""


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """Give the public modules below a package that are its attributes, packages before what is in them."""
    for name, value in sorted(vars(package).items()):
        if (
            isinstance(value, ModuleType)
            and not name.startswith("_")
            and value.__name__ == f"{package.__name__}.{name}"
        ):
            yield value
            yield from modules(value)


def names(module: ModuleType) -> list[str]:
    """Return the names that a module exports, and the public functions and classes that it defines."""
    said = {name for name in getattr(module, "__all__", ()) if isinstance(name, str) and hasattr(module, name)}
    kinds = (type, FunctionType)
    own = {
        n for n, v in vars(module).items() if isinstance(v, kinds) and getattr(v, "__module__", "") == module.__name__
    }
    found = said | {name for name in own if not name.startswith("_")}
    return sorted(name for name in found if not isinstance(getattr(module, name), ModuleType))


def record(out: Path) -> None:
    """Write ``paths.json``: for each path the documented namespaces that have its names too, as the same objects."""
    top = importlib.import_module("mindspore")
    found = list(modules(top))
    home: dict[tuple[str, int], str] = {}
    for space in ["", *DOCUMENTED.split()]:
        module = importlib.import_module(f"mindspore.{space}".rstrip("."))
        for name, value in vars(module).items():
            home.setdefault((name, id(value)), space)
    told: dict[str, dict[str, str]] = {}
    for module in found:
        shared: dict[str, list[str]] = {}
        for name in names(module):
            space = home.get((name, id(getattr(module, name))))
            if space is not None:
                shared.setdefault(space, []).append(name)
        path = module.__name__.removeprefix("mindspore.")
        told[path] = {space: " ".join(listed) for space, listed in shared.items() if space != path}
    write_json(out / "paths.json", told)
    print(f"paths: {len(told)} modules", file=sys.stderr)
