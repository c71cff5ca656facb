"""What the package `sporax` has and loads only when it is asked for."""

from __future__ import annotations

import importlib
import sys
from typing import Any

_MODULES = {
    "compat": "sporax.compat",
    "load_ipython_extension": "sporax._src.cli.notebook",  # `%load_ext sporax`
    "unload_ipython_extension": "sporax._src.cli.notebook",
}


def attribute(name: str) -> Any:
    """Return an attribute of the package `sporax` that its body has not made: its `__getattr__`."""
    if name not in _MODULES:
        raise AttributeError(f"module 'sporax' has no attribute {name!r}", name=name, obj=sys.modules["sporax"])
    module = importlib.import_module(_MODULES[name])
    return getattr(module, name, module)
