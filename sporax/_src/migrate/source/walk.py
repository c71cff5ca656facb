"""A walk over a file in the order of its text, which knows of each expression what kind of value it has."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace

from sporax._src.migrate.source.dataflow import own
from sporax._src.migrate.source.scopes import INTS, WHOLE, Binding, Class, Scopes
from sporax._src.migrate.source.source_text import Source, parts
from sporax._src.migrate.source.tracing import Seen, place
from sporax._src.migrate.source.tracing import kind as kind_of_values
from sporax._src.migrate.torch_map.rows import TENSOR

NDARRAY = "numpy.ndarray"
EACH = "each["  # kinds of what a loop runs over, as `each[torch.nn.Parameter]`
PAIRS = "pairs["  # the same of pairs of a name and a value
RESULTS = "torch.return_types."  # kinds of tuples of Tensors


class Walker:
    """Visits the nodes of a file; `visit` returns the kind of an expression, "" where it is not known.

    Args:
        source: The file.
        seen: What a run of it saw.
    """

    def __init__(self, source: Source, seen: Seen) -> None:
        self.source = source
        self.seen = seen
        self.kinds: dict[int, str] = {}
        self.scopes = Scopes()
        self.statements: list[ast.stmt] = []
        self.classes: list[Class] = []
        self.functions: list[str] = []
        self.scope_nodes: list[ast.AST] = [source.tree]

    def visit(self, node: ast.AST) -> str:
        """Convert a node and return the kind of its value."""
        method: Callable[[ast.AST], str] = getattr(self, f"visit_{type(node).__name__}", self.generic)
        if isinstance(node, ast.stmt):
            self.statements.append(node)
            try:
                return method(node) or ""
            finally:
                self.statements.pop()
        kind = method(node) or self._traced(node) or ""
        self.kinds[id(node)] = kind
        return kind

    def _traced(self, node: ast.AST) -> str:
        """Return the kind that an expression had in a run of the program."""
        seen = self.seen.get(place(node)) if self.seen and isinstance(node, ast.expr) else None
        return kind_of_values(seen, self.scopes.of_classes) if seen else ""

    def generic(self, node: ast.AST) -> str:
        """Visit what is below a node in the order of the text."""
        for part in sorted(parts(node), key=self.source.start):
            self.visit(part)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                self.end_block(block)
        return ""

    def visit_block(self, block: list[ast.stmt]) -> None:
        """Visit the statements of a block."""
        for statement in block:
            self.visit(statement)
        self.end_block(block)

    def end_block(self, block: list[ast.stmt]) -> None:
        """Do what is to be done when the statements of a block have been visited."""

    def kind_of(self, node: ast.expr) -> str:
        """Return the kind of an expression that was visited."""
        return self.kinds.get(id(node), "")

    def kinds_of(self, node: ast.expr) -> list[str]:
        """Return the kind of an expression that was visited, and the kinds it is one of."""
        return self.scopes.bases(self.kind_of(node))

    @contextmanager
    def scope(self):
        self.scopes.names.append({})
        try:
            yield
        finally:
            self.scopes.names.pop()

    def visit_Assign(self, node: ast.Assign) -> str:
        kind = self.visit(node.value)
        for target in node.targets:
            self._assign(target, kind, node.value)
        return ""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> str:
        self.visit_annotation(node.annotation)
        kind = self.visit(node.value) if node.value else ""
        self._assign(node.target, self.scopes.annotated(node.annotation) or kind, node.value)
        return ""

    def visit_annotation(self, node: ast.expr) -> None:
        """Visit what names a type."""
        self.visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        self.visit(node.target)
        self.visit(node.value)
        return ""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> str:
        kind = self.visit(node.value)
        self._assign(node.target, kind, node.value)
        return kind

    def _assign(self, target: ast.expr, kind: str, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self.scopes.bind(target.id, Binding(kind=kind))
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = (
                value.elts if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts) else None
            )
            for i, element in enumerate(target.elts):
                inner = self.kind_of(values[i]) if values else (TENSOR if kind.startswith(RESULTS) else "")
                self._assign(element, inner, values[i] if values else None)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, "list", None)
        else:
            self.visit(target)
            owner = target.value if isinstance(target, ast.Attribute) and self.classes else None
            if isinstance(owner, ast.Name) and self.scopes.find(owner.id).kind == f"class:{self.classes[-1].name}":
                self.classes[-1].attributes[target.attr] = kind  # type: ignore[attr-defined]

    def visit_If(self, node: ast.If) -> str:
        self.visit(node.test)
        found = {name: self.scopes.asked(kind) for name, kind in _asked(node.test)}
        before = {name: self.scopes.find(name) for name, kind in found.items() if kind}
        inside = {name: replace(binding, kind=found[name]) for name, binding in before.items()}
        for name, binding in inside.items():
            self.scopes.bind(name, binding)
        imported = self._importing(node.body)
        for name, binding in inside.items():
            if self.scopes.find(name) is binding:
                self.scopes.bind(name, before[name])
        if node.orelse:
            self.visit_block(node.orelse)
        self.scopes.names[-1].update(imported)
        return ""

    def visit_Try(self, node: ast.Try) -> str:
        imported = self._importing(node.body)
        for handler in node.handlers:
            self.visit(handler)
        self.scopes.names[-1].update(imported)
        for block in (node.orelse, node.finalbody):
            if block:
                self.visit_block(block)
        return ""

    def _importing(self, block: list[ast.stmt]) -> dict[str, Binding]:
        """Visit a block and return what it imports: names that it has though another branch assigns something for want of it."""
        self.visit_block(block)
        nodes = (node for statement in block for node in (statement, *own(statement)))
        imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
        names = {alias.asname or alias.name for node in imports for alias in node.names}
        return {name: found for name, found in self.scopes.names[-1].items() if name in names and found.path}

    def visit_For(self, node: ast.For) -> str:
        self.visit(node.iter)
        self._bind_elements(node.target, node.iter)
        self.iterated(node)
        self.visit_block(node.body)
        if node.orelse:
            self.visit_block(node.orelse)
        return ""

    def iterated(self, node: ast.For) -> None:
        """Do what is to be done when the name of a loop is bound."""

    def _bind_elements(self, target: ast.expr, over: ast.expr) -> None:
        """Bind the names of a loop to what it runs over."""
        kind, builtin = self.kind_of(over), _called(over)
        values = over.args if isinstance(over, ast.Call) else []
        elements = target.elts if isinstance(target, (ast.Tuple, ast.List)) else []
        if builtin == "zip" and len(elements) == len(values):
            for element, value in zip(elements, values, strict=True):
                self._bind_elements(element, value)
        elif builtin == "enumerate" and len(elements) == 2 and values:
            self._assign(elements[0], "int", None)
            self._bind_elements(elements[1], values[0])
        elif builtin in ("list", "tuple", "sorted", "reversed") and len(values) == 1:
            self._bind_elements(target, values[0])
        elif kind.startswith(PAIRS) and len(elements) == 2:
            self._assign(elements[0], "str", None)
            self._assign(elements[1], kind[len(PAIRS) : -1], None)
        else:
            self._assign(target, "int" if builtin == "range" else element_of(kind), None)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> str:
        with self.scope():
            for generator in node.generators:
                self.visit(generator.iter)
                self._bind_elements(generator.target, generator.iter)
                for test in generator.ifs:
                    self.visit(test)
            for value in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
                self.visit(value)
        return {"ListComp": "list", "SetComp": "set", "DictComp": "dict"}.get(type(node).__name__, "")

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def visit_Constant(self, node: ast.Constant) -> str:
        kinds = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str", type(None): "None"}
        return kinds.get(type(node.value), "")

    def visit_List(self, node: ast.List) -> str:
        """Return "list", or "complex" of a list that has complex numbers in it, or `INTS` of one of whole numbers alone."""
        self.generic(node)
        kinds = {self.kind_of(value) for value in node.elts}
        return "complex" if "complex" in kinds else INTS if kinds and kinds <= {"int", INTS} else "list"

    def visit_Dict(self, node: ast.Dict) -> str:
        self.generic(node)
        return "dict"

    def visit_Tuple(self, node: ast.Tuple) -> str:
        self.generic(node)
        return "tuple"

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        kind = self.visit(node.operand)
        return "bool" if isinstance(node.op, ast.Not) else kind

    def visit_BinOp(self, node: ast.BinOp) -> str:
        kinds = {self.visit(node.left), self.visit(node.right)}
        if TENSOR in {base for kind in kinds for base in self.scopes.bases(kind)}:
            return WHOLE if kinds <= {WHOLE, "int", "bool"} and not isinstance(node.op, ast.Div) else TENSOR
        for one in (NDARRAY, "complex"):
            if one in kinds:
                return one
        numbers = kinds - {"bool"}
        if isinstance(node.op, ast.Div) and kinds <= {"int", "float", "bool"}:
            return "float"
        return numbers.pop() if len(numbers) == 1 else "float" if numbers == {"int", "float"} else ""

    def visit_Compare(self, node: ast.Compare) -> str:
        kinds = {self.visit(node.left), *[self.visit(c) for c in node.comparators]}
        if TENSOR in {base for kind in kinds for base in self.scopes.bases(kind)}:
            return TENSOR
        return "bool" if kinds <= {"int", "float", "str", "bool", "None"} else ""

    def visit_IfExp(self, node: ast.IfExp) -> str:
        kinds = {self.visit(node.body), self.visit(node.orelse)}
        self.visit(node.test)
        return kinds.pop() if len(kinds) == 1 else ""

    def visit_Subscript(self, node: ast.Subscript) -> str:
        kind = self.visit(node.value)
        self.visit(node.slice)
        if TENSOR in self.scopes.bases(kind) or kind.startswith(RESULTS):
            return WHOLE if kind == WHOLE else TENSOR
        if kind == NDARRAY:
            return NDARRAY
        return (
            "int"
            if kind == "torch.Size" and not isinstance(node.slice, ast.Slice)
            else kind
            if kind == "torch.Size"
            else ""
        )

    def visit_Lambda(self, node: ast.Lambda) -> str:
        with self.scope():
            for value in [*node.args.defaults, *[d for d in node.args.kw_defaults if d]]:
                self.visit(value)
            for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
                self.scopes.bind(argument.arg, Binding())
            self.visit(node.body)
        return ""


def _asked(test: ast.expr) -> list[tuple[str, ast.expr]]:
    """Return the names of which a test asks that they are of a class, each with the class."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [asked for value in test.values for asked in _asked(value)]
    if isinstance(test, ast.Call) and _called(test) == "isinstance" and len(test.args) == 2:
        name, of = test.args
        return [(name.id, of)] if isinstance(name, ast.Name) else []
    return []


def element_of(kind: str) -> str:
    """Return the kind of what a loop over a value of a kind gives."""
    if kind.startswith(EACH):
        return kind[len(EACH) : -1]
    return kind if kind in (TENSOR, WHOLE) else TENSOR if kind.startswith(RESULTS) else ""


def _called(node: ast.expr) -> str:
    """Return the name of the function that an expression calls, "" if it calls none by a bare name."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
