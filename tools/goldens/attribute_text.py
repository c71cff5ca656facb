"""What the objects of layers, optimizers, schedules, wraps and metrics hold: every public attribute as text.

Nothing of MindSpore is imported here, so that the tests read sporax by the same functions.
"""

import importlib
from collections import OrderedDict
from collections.abc import Collection
from typing import Any

import numpy as np

PLAIN = (bool, int, float, complex, str, type(None))
FEW = 8  # elements of a Tensor that are shown


def scope(package: str) -> dict[str, Any]:
    """Return the names that the expressions may use."""
    ms = importlib.import_module(package)
    spaces = {name: importlib.import_module(f"{package}.{name}") for name in ("mint", "nn", "ops", "train")}
    nn = spaces["nn"]
    w, gamma = (
        ms.Parameter(ms.Tensor(np.zeros(shape, np.float32)), name=name)
        for name, shape in (("fc.weight", (3, 4)), ("bn.gamma", (4,)))
    )
    net, mse = nn.Dense(3, 2), nn.MSELoss()
    weights = net.trainable_params()
    made = {"net": net, "mse": mse, "weights": weights, "loss": nn.WithLossCell(net, mse), "sgd": nn.SGD(weights, 0.1)}
    made |= {"w": w, "gamma": gamma, "params": [w, gamma], "OrderedDict": OrderedDict, "np": np}
    return made | spaces | {"ms": ms, "Tensor": ms.Tensor, "Parameter": ms.Parameter}


def own(made: Any, names: dict[str, Any]) -> list[str]:
    """Return the names of the public attributes of an object, but for those that every Cell has."""
    nn = names["nn"]
    common = members(nn.Cell()) if isinstance(made, nn.Cell) else set()
    return sorted(n for n in members(made) - common if not n.startswith("_"))


def members(made: Any) -> set[str]:
    """Return the names of all attributes of an object."""
    return {*dir(made), *vars(made), *getattr(made, "_cells", ()), *getattr(made, "_params", ())}


def text(value: Any, names: dict[str, Any], given: Collection[str] | None = None) -> Any:
    """Return what an attribute is: plain values and Tensors of few elements as themselves, all else by kind.

    A Primitive is a dictionary of its kind and the arguments it was made with; `given` names those to read. In a sequence it
    is its kind.
    """
    ms, nn, ops = names["ms"], names["nn"], names["ops"]
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, (tuple, list)):
        open_, close = "()" if isinstance(value, tuple) else "[]"
        items = [text(item, names, ()) for item in value]
        return open_ + ", ".join(item["kind"] if isinstance(item, dict) else item for item in items) + close
    if isinstance(value, ms.Tensor):
        return _tensor(value, ms)
    if isinstance(value, ops.Primitive):
        told = value.init_attrs if given is None else {n: getattr(value, n) for n in given if hasattr(value, n)}
        return {n: text(item, names) for n, item in told.items() if n != "name"} | {"kind": type(value).__name__}
    if isinstance(value, nn.Cell) or not callable(value):
        return str(value) if _is_dtype(value) else type(value).__name__
    return "function"


def _tensor(value: Any, ms: Any) -> str:
    kind = f"{type(value).__name__} {value.dtype}{list(value.shape)}"
    shown = not isinstance(value, ms.Parameter) and 0 < value.size <= FEW
    return f"{kind} {value.asnumpy().tolist()}" if shown else kind


def _is_dtype(value: Any) -> bool:
    return any(kind.__name__ == "Type" for kind in type(value).__mro__)


def attributes(expression: str, package: str, given: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the attributes of what an expression makes by name; `given` holds those that were recorded."""
    names = scope(package)
    made = eval(expression, names)
    told = {}
    for name in own(made, names):
        try:
            value = getattr(made, name)
        except AttributeError:  # a name of the class that this object lacks
            continue
        known = (given or {}).get(name)
        wanted = None if given is None else set(known) - {"kind"} if isinstance(known, dict) else ()
        told[name] = text(value, names, wanted)
    return told
