"""The names of torch in the map."""

from __future__ import annotations

import functools

from sporax._src.migrate.torch_map.rows import table

ANYTHING = "object"  # rows of methods that Tensors and Modules both have, for objects of which no kind is known


@functools.cache
def namespaces() -> set[str]:
    """Return the names of namespaces that the map contains only in part."""
    parts = [name.split(".") for name in table()]
    return {".".join(names[:i]) for names in parts for i in range(1, len(names))}


@functools.cache
def canonical(path: str) -> str:
    """Return the name in the map of an object that is imported from an inner module of torch."""
    while path.startswith("torch.torch."):
        path = path.removeprefix("torch.")
    if path in table():
        return path
    for inner, outer in _HOMES.items():
        if path.startswith(inner):
            name = f"{outer}{path.rpartition('.')[2]}"
            if name in table():
                return name
    return path


_HOMES = {
    "torch.nn.modules.": "torch.nn.",
    "torch.nn.parameter.": "torch.nn.",
    "torch.functional.": "torch.",
    "torch.utils.data.": "torch.utils.data.",
    "torch.optim.": "torch.optim.",
    "torch.distributions.": "torch.distributions.",
    "torch.autograd.": "torch.autograd.",
}


def is_value(path: str) -> bool:
    """Return whether a dotted name is a value, such as `torch.float32`, with the attributes of its kind."""
    rows = table().get(canonical(path), ())
    return bool(rows) and all(row.parameters is None and row.result for row in rows)


def public_names(module: str) -> list[str]:
    """Return the names that `from module import *` binds, as far as the map has them."""
    inside = [name.removeprefix(f"{module}.") for name in table() if name.startswith(f"{module}.")]
    return sorted({name.split(".")[0] for name in inside})


def is_namespace(path: str) -> bool:
    """Return whether a dotted name is a module of torch; the map has rows for its members, not for itself."""
    return path in namespaces() and path not in table()


def is_known(name: str) -> bool:
    """Return whether there is a counterpart of a name of torch, or of names below it."""
    return name in namespaces() or any(row.target for row in table().get(name, ()))


def asks_itself(method: str) -> bool:
    """Return whether a helper replaces a method of any object: it tests the object when it runs."""
    return any(row.target.startswith("_") for row in table().get(f"{ANYTHING}.{method}", ()))
