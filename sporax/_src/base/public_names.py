"""The `__module__` of public classes and functions is their public module: `nn.Conv2d.__module__` is `sporax.nn`.

The `repr` of a class, pickles, tracebacks and documentation tools use it. For the source of a class (but not of a
function) Python reads the file of that module, which contains imports only: `inspect.getsource(nn.Conv2d)` is an
OSError, as it is for the classes of NumPy and JAX; `inspect.getsource(nn.Conv2d.construct)` has its source.
"""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any

# In this order: a name that two of them export belongs to the first.
_NAMESPACES = """
sporax.amp sporax.train sporax.runtime sporax.parallel sporax.parallel.nn sporax
sporax.nn sporax.nn.probability.distribution sporax.nn.probability.bijector sporax.ops
sporax.mint sporax.mint.nn sporax.mint.nn.functional sporax.mint.optim sporax.mint.distributed
sporax.mint.linalg sporax.mint.special
sporax.numpy sporax.scipy.linalg sporax.scipy.optimize
sporax.dataset sporax.dataset.transforms sporax.dataset.vision sporax.dataset.text sporax.dataset.audio sporax.dataset.config
sporax.dataset.utils
sporax.common.initializer sporax.communication sporax.communication.comm_func sporax.experimental.optim
sporax.experimental.optim.lr_scheduler sporax.hal sporax.mindrecord sporax.profiler
""".split()
_definitions: dict[Any, str] = {}


def show_public_names() -> None:
    """Set `__module__` of objects that public namespaces export under their own names, after all are loaded."""
    for namespace in _NAMESPACES:
        module = sys.modules[namespace]
        for name in module.__all__:
            value = getattr(module, name)
            if (
                isinstance(value, (type, FunctionType))
                and value.__qualname__ == name
                and (value.__module__ or "sporax._src.").startswith("sporax._src.")  # generated functions have none
            ):
                _name(value, namespace)


def _name(value: object, namespace: str) -> None:
    if isinstance(value, type) and (annotations := vars(value).get("__annotations__")):
        # Python resolves annotations in `__module__`, where names are missing and `int` is a dtype: they are resolved before.
        names = vars(sys.modules[value.__module__])
        value.__annotations__ = {k: eval(v, names) if isinstance(v, str) else v for k, v in annotations.items()}
    if value.__module__:
        _definitions[value] = value.__module__
    value.__module__ = namespace


def defined_in(value: object) -> str:
    """Return the name of the module whose source has a class or function; its public one if it has no source."""
    return _definitions.get(value, str(value.__module__))
