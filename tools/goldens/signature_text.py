"""What can be read off the public names of a package: parameters of functions and classes, and what classes have.

Nothing of MindSpore is imported here, so that the tests read sporax by the same functions.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

NAMESPACES = """
amp common.initializer communication communication.comm_func dataset dataset.audio dataset.text dataset.transforms dataset.vision
experimental.optim experimental.optim.lr_scheduler hal mint mint.linalg mint.nn mint.nn.functional mint.special nn
nn.probability.bijector nn.probability.distribution numpy ops parallel profiler runtime scipy.linalg train
""".split()
# Classes that programs derive from: of these the names with one underscore are recorded too, and those of an object.
BASES = {
    "Parameter": "Parameter(Tensor([1.0]), name='w')",
    "Tensor": "Tensor([1.0])",
    "nn.Cell": "nn.Cell()",
    "nn.CellList": "nn.CellList([nn.Cell()])",
    "nn.Optimizer": "nn.Optimizer(0.1, [Parameter(Tensor([1.0]), name='w')])",
    "nn.SequentialCell": "nn.SequentialCell(nn.Cell())",
    "nn.LearningRateSchedule": "nn.learning_rate_schedule.LearningRateSchedule()",
    "ops.Primitive": "ops.Primitive('Mine')",
    "train.Callback": "train.Callback()",
    "train.Metric": "nn.Accuracy()",
}


def public_names(package: str) -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes of the documented namespaces, as "nn.Dense", and what they are."""
    for path in ["", *NAMESPACES]:
        module = importlib.import_module(f"{package}.{path}".rstrip("."))
        for name in sorted(set(getattr(module, "__all__", None) or dir(module))):
            thing = getattr(module, name, None)
            if not name.startswith("_") and callable(thing) and not isinstance(thing, ModuleType):
                yield f"{path}.{name}".lstrip("."), thing


def names(package: str) -> dict[str, dict[str, str | None]]:
    """Return what each public name is.

    Of a function its parameters, under "call"; of a class those of the methods by which it is made and called, and under
    "members" its public attributes but for those of its public bases.
    """
    found = dict(public_names(package))
    shown = {
        thing: {n for n in dir(thing) if not n.startswith("_")} for thing in found.values() if inspect.isclass(thing)
    }
    told = {}
    for name, thing in found.items():
        if not inspect.isclass(thing):
            told[name] = {"call": parameters(thing)}
            continue
        methods = ["__init__", *[m for m in ("construct", "__call__") if any(m in vars(c) for c in thing.__mro__)][:1]]
        own = shown[thing].difference(*[shown[base] for base in thing.__mro__[1:] if base in shown])
        told[name] = {method: parameters(getattr(thing, method)) for method in methods} | {
            "members": " ".join(sorted(own))
        }
    return told


def parameters(function: Any) -> str | None:
    """Return the parameters of a function as Python writes them; None where Python cannot tell."""
    if function is object.__init__:
        return ""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    found = found[1:] if found and found[0].name == "self" else found
    plain = [p.replace(annotation=p.empty, default=_default(p.default)) for p in found]
    return str(inspect.Signature(plain))[1:-1]


class _Text(str):
    """A text that is its own representation."""

    __slots__ = ()
    __repr__ = str.__str__


def _default(value: Any) -> Any:
    """Return a default as text: what is no plain value is an ellipsis."""
    if value is inspect.Parameter.empty:
        return value
    try:
        ast.literal_eval(text := repr(value))
    except (SyntaxError, ValueError):
        return _Text("inf" if repr(value) == "inf" else "...")
    return _Text(text)


def objects(package: str) -> dict[str, dict[str, str]]:
    """Return the attributes of an object of each class that programs derive from, those with one underscore too."""
    root = importlib.import_module(package)
    spaces = {name: importlib.import_module(f"{package}.{name}") for name in ("nn", "ops", "train")}
    scope = {"Parameter": root.Parameter, "Tensor": root.Tensor, **spaces}
    found = {}
    for name, text in BASES.items():
        made = eval(text, scope)
        own = {*dir(made), *getattr(made, "__dict__", ())}
        found[name] = {"members": " ".join(sorted(n for n in own if not re.match(r"__|_[A-Z]\w+__|_abc_", n)))}
    return found
