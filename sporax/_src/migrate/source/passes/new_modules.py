"""New networks: a Module starts in training mode and its Parameters have their paths as names; a Cell must be set so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import own
from sporax._src.migrate.source.nodes import every, walk
from sporax._src.migrate.source.scopes import is_of_torch
from sporax._src.migrate.torch_map.rows import MODULE

_HELPER = "_new_module"
_CONTAINER = re.compile(r"Sequential|Module|Parallel|Transformer")
_SETS_MODE = ("eval", "train")


class NewModules(Pass):
    """Sets what torch sets in a new Module: at the end of `__init__` of a class, and where a layer of the library is made."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        functions = every(context.source.tree, ast.FunctionDef)
        self._mode_setters = {f.name for f in functions if any(_sets_mode(node) for node in walk(f))}
        self._called_by_init = _called_from("__init__", functions)
        self._without_init: set[str] = set()

    def leave_ClassDef(self, node: ast.ClassDef) -> None:
        kind = f"class:{node.name}"
        if not self.scopes.is_module(kind):
            return
        init = next((f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__"), None)
        if init is not None:
            self._finish(init)
        elif self.scopes.bases(kind)[1:] == [MODULE]:
            self._without_init.add(kind)

    def created(self, node: ast.Call, kind: str) -> None:
        """Set the mode of a new Cell of a kind, unless its class or the Module around it does."""
        if kind.startswith("class:") and kind not in self._without_init:
            return
        is_inside = any(self.scopes.is_module(f"class:{c.name}") for c in self.position.classes)
        method = next((f.name for f in self.position.functions if isinstance(f, ast.FunctionDef)), "")
        if is_inside and method in self._called_by_init:
            return
        if _CONTAINER.search(kind) and not all(map(self._is_fresh, _arguments(node))):
            self.rewriter.wrap(node, f"{self.imports.name(_HELPER)}(", ")")
        else:
            self.edits.add(self.source.end(node), self.source.end(node), ".set_train()")

    def _is_fresh(self, value: ast.expr) -> bool:
        """Tell whether an argument is no Module that somebody may have set to evaluation."""
        if isinstance(value, ast.Call):
            return is_of_torch(self.scopes.path(value.func)) and all(map(self._is_fresh, _arguments(value)))
        return isinstance(value, (ast.Constant, ast.UnaryOp))

    def _finish(self, init: ast.FunctionDef) -> None:
        """Finish the Module at the end of its `__init__`, and before what sets the mode of a part of it."""
        owner = next((a.arg for a in (*init.args.posonlyargs, *init.args.args)), "self")
        call = f"{self.imports.name(_HELPER)}({owner})"
        first, last = init.body[0], init.body[-1]
        if self.source.line(self.source.start(first)) == self.source.line(self.source.start(init)):
            self.edits.add(self.source.end(last), self.source.end(last), f"; {call}")
            return
        indentation = self.source.indentation(self.source.start(first))
        for statement in [*self._mode_changes(init, owner), *_returns(init)]:
            start = self.source.start(statement)
            begins_line = not self.source.data[self.source.line_start(start) : start].strip()
            self.edits.add(start, start, f"{call}\n{self.source.indentation(start)}" if begins_line else f"{call}; ")
        if not isinstance(last, ast.Return):
            _, end = self.source.lines(last)
            is_cut = not self.source.data[:end].endswith(b"\n")
            self.edits.add(end, end, f"\n{indentation}{call}" if is_cut else f"{indentation}{call}\n")

    def _mode_changes(self, init: ast.FunctionDef, owner: str) -> Iterator[ast.stmt]:
        """Give the statements after `super().__init__()` that set the mode of a Module, here or in a method."""
        is_made = False
        for statement in init.body:
            nodes = list(walk(statement))
            methods = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_name(node.value, owner)}
            if is_made and (any(map(_sets_mode, nodes)) or methods & self._mode_setters):
                yield statement
            is_made |= any(isinstance(node, ast.Attribute) and node.attr == "__init__" for node in nodes)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _sets_mode(node: ast.AST) -> bool:
    """Tell whether a node is `x.eval()` or `x.train(...)`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SETS_MODE


def _returns(function: ast.FunctionDef) -> Iterator[ast.Return]:
    """Give the `return` statements of a function, without those of functions inside."""
    return (node for node in own(function) if isinstance(node, ast.Return))


def _called_from(name: str, functions: Iterable[ast.FunctionDef]) -> set[str]:
    """Return the names of the functions that functions of a name call, directly or through others."""
    calls: dict[str, set[str]] = {}
    for function in functions:
        names = {n.func.attr for n in walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
        calls.setdefault(function.name, set()).update(names)
    reached, new = set[str](), {name}
    while new:
        reached |= new
        new = set[str]().union(*(calls.get(one, set()) for one in new)) - reached
    return reached
