"""The meaning of a name where it is read: an import of torch, a class of the program, a value of a known kind."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from sporax._src.migrate.source.nodes import every
from sporax._src.migrate.torch_map.names import canonical, is_value
from sporax._src.migrate.torch_map.rows import MODULE, TENSOR, table

WHOLE = "torch.LongTensor"  # the kind of a Tensor that is known to hold whole numbers
INTS = "list[int]"
OPTIONAL_LIST = "list[None]"  # the kind of a list in which None may be
NDARRAY = "numpy.ndarray"
EACH = "each["  # kinds of what a loop runs over, as `each[torch.nn.Parameter]`
PAIRS = "pairs["  # the same of pairs of a name and a value
RESULTS = "torch.return_types."  # kinds of tuples of Tensors
RETURNS = "returns:"  # kinds of functions, as `returns:torch.Tensor`
PACKAGES = ("torch", "torchvision", "einops", "safetensors")
_BASES = (
    ("torch.nn.utils.", ""),
    ("torch.nn.init.", ""),
    ("torch.nn.ParameterList", MODULE),
    ("torch.nn.ParameterDict", MODULE),
    ("torch.nn.Parameter", TENSOR),
    ("torch.nn.", MODULE),
    ("torch.jit.ScriptModule", MODULE),
    (WHOLE, TENSOR),
    (INTS, "list"),
    (OPTIONAL_LIST, "list"),
    ("torch.optim.lr_scheduler.", "torch.optim.lr_scheduler.LRScheduler"),
    ("torch.optim.", "torch.optim.Optimizer"),
    ("torch.distributions.transforms.", "torch.distributions.transforms.Transform"),
    ("torch.distributions.constraints.", "torch.distributions.constraints.Constraint"),
    ("torch.distributions.", "torch.distributions.Distribution"),
    ("torchvision.models.", MODULE),
    ("einops.layers.torch.", MODULE),
)
_PLAIN = {name: name for name in ("int", "float", "bool", "str", "list", "tuple", "dict")} | {"range": "list"}
_OTHERS = ("torch.optim.Optimizer", "torch.optim.lr_scheduler.LRScheduler")
_TRAINED = re.compile(
    r"Dropout|BatchNorm|InstanceNorm|RReLU|RNN|LSTM|GRU|Attention|Transformer|Sequential|Module|Parallel|models"
)
_METHODS = frozenset(
    name for kind in (str, list, dict, set, tuple, int, float, bytes, re.Pattern) for name in dir(kind)
) | {
    "data",
    "device",
    "layout",
    "requires_grad",
}  # names that other objects have as well


@dataclass(frozen=True)
class Binding:
    """The known meaning of a name.

    Args:
        path: The dotted name it was imported as, "" if it is a value.
        kind: The kind of the value: a name of the map, "int", "list", …, "class:Name" of a class of the program.
        base: The name of the Tensor that the value is a view of; "=name" if it is that Tensor itself.
    """

    path: str = ""
    kind: str = ""
    base: str = ""


@dataclass
class Class:
    """A class of the program.

    Args:
        name: Its name.
        bases: The kinds of its bases.
        attributes: The kinds of the attributes of `self`.
        own: The names of its methods that have only the name in common with a Module's method.
    """

    name: str
    bases: list[str]
    attributes: dict[str, str] = field(default_factory=dict)
    own: frozenset[str] = frozenset()


class Scopes:
    """The names of a file, innermost scope last."""

    def __init__(self) -> None:
        self.names: list[dict[str, Binding]] = [{}]
        self.classes: dict[str, Class] = {}

    def find(self, name: str) -> Binding:
        """Return the known meaning of a name; an empty one if it was never bound."""
        for scope in reversed(self.names):
            if name in scope:
                return scope[name]
        return Binding()

    def bind(self, name: str, binding: Binding) -> None:
        """Bind a name in the innermost scope."""
        self.names[-1][name] = binding

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Bind names in a new scope."""
        self.names.append({})
        try:
            yield
        finally:
            self.names.pop()

    def path(self, node: ast.AST) -> str:
        """Return the dotted name that a chain of names was imported as, "" if it is none."""
        if isinstance(node, ast.Name):
            return self.find(node.id).path
        if isinstance(node, ast.Attribute):
            owner, name = node.value, node.attr
        elif (query := attribute_query(node)) is not None and query.function == "getattr":
            owner, name = query.owner, query.name
        else:
            return ""
        head = self.path(owner)
        return f"{head}.{name}" if head and not is_value(head) else ""

    def bases(self, kind: str) -> list[str]:
        """Return a kind and the kinds it is one of, nearest first."""
        kinds = [kind] if kind else []
        if kind.startswith("class:"):
            for base in self.classes[kind.removeprefix("class:")].bases:
                kinds += self.bases(base)
            return kinds
        base = next((base for prefix, base in _BASES if kind.startswith(prefix)), "")
        return [*kinds, base] if base and base != kind else kinds

    def has_own(self, kind: str, method: str) -> bool:
        """Return whether a class of the program has a method that has only the name in common with a Module's."""
        names = [base.removeprefix("class:") for base in self.bases(kind) if base.startswith("class:")]
        return any(method in self.classes[name].own for name in names)

    def is_module(self, kind: str) -> bool:
        """Return whether a kind is a `torch.nn.Module`."""
        return MODULE in self.bases(kind)

    def attribute(self, kind: str, name: str) -> str:
        """Return the kind of an attribute."""
        for base in self.bases(kind):
            if base.startswith("class:"):
                attribute = self.classes[base.removeprefix("class:")].attributes.get(name)
                if attribute:
                    return attribute
            for row in table().get(f"{base}.{name}", ()):
                if row.parameters is None:
                    return row.result
        return ""

    def of_classes(self, names: Sequence[str]) -> list[str]:
        """Return the kinds of an object whose classes, nearest first, have these dotted names when the program runs."""
        if names[0].startswith("numpy."):
            return [NDARRAY] if names[0] == NDARRAY else []
        return [kind for name in names if (kind := self._of_class(name))]

    def _of_class(self, name: str) -> str:
        module, _, last = name.rpartition(".")
        if module == "builtins":
            return _PLAIN.get(last, "")
        if last in self.classes:
            return f"class:{last}"
        results = [row.result for row in table().get(canonical(name), ()) if row.parameters is not None]
        return results[0] if results else "dtype" if name == "torch.dtype" else ""

    def tested_kind(self, node: ast.expr) -> str:
        """Return the kind of an object of a class, or of one of several."""
        kinds = {self.annotated(one) for one in (node.elts if isinstance(node, ast.Tuple) else [node])}
        return kinds.pop() if len(kinds) == 1 else MODULE if kinds and all(map(self.is_module, kinds)) else ""

    def annotated(self, node: ast.expr | None) -> str:
        """Return the kind that an annotation names."""
        if node is None:
            return ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return self.annotated(ast.parse(node.value, mode="eval").body)
            except SyntaxError:
                return ""
        if isinstance(node, ast.Subscript) and isinstance(node.value, (ast.Name, ast.Attribute)):
            last = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            if last == "Optional":
                return self.annotated(node.slice)
            return {"List": "list", "Tuple": "tuple", "Dict": "dict", "Sequence": "list"}.get(
                last, _PLAIN.get(last, "")
            )
        if isinstance(node, ast.BinOp):
            sides = {self.annotated(node.left), self.annotated(node.right)} - {""}
            return sides.pop() if len(sides) == 1 else ""
        if isinstance(node, ast.Name) and node.id in self.classes:
            return f"class:{node.id}"
        path = self.path(node)
        if path:
            results = [row.result for row in table().get(canonical(path), ()) if row.parameters is not None]
            return results[0] if results else "".join({row.result for row in table().get(canonical(path), ())})
        return _PLAIN.get(node.id, "") if isinstance(node, ast.Name) and hasattr(builtins, node.id) else ""


class AttributeQuery(NamedTuple):
    """The arguments of `hasattr(owner, "name")` or `getattr(owner, "name", ...)`, and which of the two it is."""

    function: str
    owner: ast.expr
    name: str


def attribute_query(node: ast.AST) -> AttributeQuery | None:
    """Return the query of a call of `hasattr` or `getattr` with the name written out, None for anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) < 2:
        return None
    owner, name, *_ = node.args
    if node.func.id not in ("hasattr", "getattr") or not isinstance(name, ast.Constant):
        return None
    return AttributeQuery(node.func.id, owner, str(name.value))


def is_of_torch(path: str) -> bool:
    """Return whether a dotted name is one of a package that is converted."""
    return path.split(".")[0] in PACKAGES


def owner_of(method: str) -> list[str]:
    """Return the kind of an object whose method's name is unique: no string, list, dict or other kind has it."""
    owners = [kind for kind in (TENSOR, MODULE, *_OTHERS) if f"{kind}.{method}" in table()]
    return owners if len(owners) == 1 and method not in _METHODS and owners[0] not in _OTHERS else []


def may_be_of_tensors(method: str) -> bool:
    """Return whether Tensors have a method of this name, and no string, list or dict has it."""
    return f"{TENSOR}.{method}" in table() and method not in _METHODS


def is_method_of_values(method: str) -> bool:
    """Return whether Tensors, numbers, strings or containers have a method of this name."""
    return method in _METHODS or f"{TENSOR}.{method}" in table()


def own_methods(tree: ast.AST, modules: Collection[str]) -> set[str]:
    """Return the names of the methods of those classes of a file that are no Modules."""
    classes = [c for c in every(tree, ast.ClassDef) if c.name not in modules]
    others = [c for c in classes if not any(ast.unparse(base).endswith("Module") for base in c.bases)]
    return {f.name for c in others for f in c.body if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))}


def kind_of_callable(name: str, result: str) -> str:
    """Return the kind of a class or function of torch that is not called, whose calls give a value of kind `result`."""
    is_class = result == name or name.rpartition(".")[2][:1].isupper()
    return f"type:{result}" if is_class else f"{RETURNS}{result}" if result else ""


def trains(layer: str) -> bool:
    """Return whether a layer computes something else in training, or may contain such a layer."""
    return _TRAINED.search(layer) is not None


def element_of(kind: str) -> str:
    """Return the kind of the elements of a value."""
    if kind.startswith(EACH):
        return kind[len(EACH) : -1]
    return kind if kind in (TENSOR, WHOLE) else TENSOR if kind.startswith(RESULTS) else ""
