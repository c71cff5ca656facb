"""Values in attributes that several methods use: data, and results through which a gradient flows.

    def forward(self):                      def backward_G(self):
        self.fake = self.G(self.real)           def forward_fn(*_):
    def backward_G(self):                           self.forward()
        loss = self.D(self.fake)                    loss = self.D(self.fake)
        loss.backward()                             return loss
                                                ... value_and_grad(forward_fn, None, ...)(self.real)

Data are passed to the differentiated function as arguments, although it could read the attributes: for Tensors that are
not arguments, MindSpore would use the values of an earlier call. A method whose result torch has recorded runs again in
the function.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Iterator, Sequence

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import (
    access_path,
    is_read,
    method_call,
    own,
    read_first,
    stored,
    unstopped,
    written_into,
)
from sporax._src.migrate.source.nodes import children, walk
from sporax._src.migrate.source.passes.training_loops import TrainingLoops
from sporax._src.migrate.source.scopes import is_method_of_values

_BRANCHING = (ast.If, ast.For, ast.While, ast.Try, ast.IfExp, ast.BoolOp, ast.ListComp, ast.GeneratorExp, ast.Lambda)


class AttributeFlow(Pass):
    """Answers questions about the attributes of the object whose method is visited.

    Args:
        context: The shared state of the passes.
        loops: Knows what the function trains.
    """

    def __init__(self, context: Context, loops: TrainingLoops) -> None:
        super().__init__(context)
        self._loops = loops

    # --- data ---------------------------------------------------------------------------------------------------------

    def data(self, statements: Sequence[ast.stmt], again: Sequence[str], line: int) -> list[str]:
        """Return expressions of the attributes that statements, and the methods of the same object they call, read as data.

        Args:
            statements: The differentiated statements.
            again: The names of the methods that run again before.
            line: The line before which the objects are bound.
        """
        bound = self._loops.bound(line)
        repeated = [s for name in again for s in self._methods()[name].body]
        first = [*repeated, *statements]
        changed = {name for s in self._reached(first) for n in walk(s) for name in written_into(n)}
        surely = {access_path(n) for s in first for n in _unconditional(s)}
        names: dict[str, None] = {}
        for statement in self._reached(first):
            for node in self._chains(statement):
                name = access_path(node)
                if name.partition(".")[0] in bound - {name} and name not in changed and self.is_data(node):
                    names[name] = None
        expressions = []
        for name in names:
            owner, _, last = name.rpartition(".")
            if not stored(first) & {name} or read_first(first, name):
                expressions.append(name if name in surely else f'getattr({owner}, "{last}", None)')
        return expressions

    def is_data(self, node: ast.Attribute) -> bool:
        """Return whether an attribute may get new Tensors at each step: it is assigned outside of `__init__`."""
        kind = self.context.kind_of(node.value) or self.scopes.find(access_path(node.value)).kind
        if not kind.startswith("class:") and (kind or is_method_of_values(node.attr)):
            return False
        is_function = node.attr in self._loops.functions
        return not is_function and self._assigners.get(node.attr) != {"__init__"} and self._loops.may_be_data(node)

    @functools.cached_property
    def _assigners(self) -> dict[str, set[str]]:
        """The names of the functions of the file that assign an attribute, by the attribute's name."""
        found: dict[str, set[str]] = {}
        for function in [*self.source.nodes(ast.FunctionDef), *self.source.nodes(ast.AsyncFunctionDef)]:
            for node in own(function):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                    found.setdefault(node.attr, set()).add(function.name)
        return found

    def _chains(self, statement: ast.stmt) -> Iterator[ast.Attribute]:
        """Yield the attributes that a statement reads as values, not to call them or to read their attributes."""
        objects = set()
        for node in walk(statement):
            if isinstance(node, ast.Call):
                objects.add(id(node.func))
            elif isinstance(node, ast.Attribute) and not is_method_of_values(node.attr):
                objects.add(id(node.value))
        for node in walk(statement):
            is_value = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in objects
            if isinstance(node, ast.Attribute) and is_value and access_path(node) and not self.scopes.path(node):
                yield node

    def _reached(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return statements, and those of the methods of the same object that they call."""
        reached, names = list(statements), set()
        for statement in reached:
            for name in self._own_calls(statement):
                if name not in names:
                    names.add(name)
                    reached += self._methods()[name].body
        return reached

    def _own_calls(self, statement: ast.AST) -> list[str]:
        """Return the names of the methods of the visited method's object that a statement calls."""
        owner = self._self()
        calls = [n.func for n in walk(statement) if isinstance(n, ast.Call)]
        return [
            f.attr
            for f in calls
            if isinstance(f, ast.Attribute) and owner and access_path(f.value) == owner and f.attr in self._methods()
        ]

    def _methods(self) -> dict[str, ast.FunctionDef]:
        """Return the methods of the class whose method is visited, by name."""
        return next((self._siblings[id(f)] for f in self.position.functions if id(f) in self._siblings), {})

    @functools.cached_property
    def _siblings(self) -> dict[int, dict[str, ast.FunctionDef]]:
        """For each function in a class of the file, the methods of the class by name."""
        found: dict[int, dict[str, ast.FunctionDef]] = {}
        for node in self.source.nodes(ast.ClassDef):
            methods = {f.name: f for f in node.body if isinstance(f, ast.FunctionDef)}
            found |= dict.fromkeys(map(id, node.body), methods)
        return found

    def _self(self) -> str:
        """Return the name of the object whose method is visited, "" in any other function."""
        methods = [method for method in self._methods().values() if method in self.position.scopes]
        args = methods[0].args.args if methods else []
        return args[0].arg if args else ""

    # --- results ------------------------------------------------------------------------------------------------------

    def results(self, statements: Sequence[ast.stmt]) -> dict[str, list[str]]:
        """Return the attributes with results of networks on which the last statement depends, and their assigners."""
        others = {n: m for n, m in self._methods().items() if n != "__init__" and m not in self.position.scopes}
        produced = {name for method in others.values() for name in self._produced(method)}
        own_ones = [name for name in sorted(produced) if self._self() and name.startswith(f"{self._self()}.")]
        return {
            name: [by for by, method in others.items() if name in stored(method.body)]
            for name in own_ones
            if read_first(statements, name) and self._flows(statements, name)
        }

    def _produced(self, method: ast.FunctionDef) -> set[str]:
        """Return the attributes in which a method stores a network's result, with its gradient."""
        if any("no_grad" in ast.unparse(decorator) for decorator in method.decorator_list):
            return set()
        produced: set[str] = set()
        for node in own(method):
            if isinstance(node, (ast.Assign, ast.AugAssign)) and self.produces(node.value, produced, frozenset()):
                produced |= stored([node])
        return produced

    def produces(self, node: ast.AST, active: set[str], seen: frozenset[str]) -> bool:
        """Return whether an expression may have a network's gradient: it calls one, or depends on an active value."""
        for inner in unstopped(node):
            if is_read(inner, active) or (isinstance(inner, ast.Call) and self._may_run(inner.func, seen)):
                return True
        return False

    def _may_run(self, called: ast.expr, seen: frozenset[str]) -> bool:
        """Return whether a callee may be a network: a Module, an unknown attribute, a function that calls one."""
        if self.scopes.path(called) or not access_path(called):
            return False
        name = access_path(called).rpartition(".")[2]
        functions = self._loops.functions.get(name, [])
        if functions:
            returned = [n.value for f in functions for n in walk(f) if isinstance(n, ast.Return) and n.value]
            inner = [n.value for f in functions for n in walk(f) if isinstance(n, ast.Assign)]
            return name not in seen and any(self.produces(v, set(), seen | {name}) for v in [*returned, *inner])
        if isinstance(called, ast.Name):
            return self.scopes.is_module(self.scopes.find(called.id).kind)
        owner = self._self()
        return (
            access_path(called).startswith(f"{owner}.")
            and not is_method_of_values(name)
            and not hasattr(builtins, name)
        )

    def _flows(self, statements: Sequence[ast.stmt], name: str) -> bool:
        """Return whether the gradient of the last statement flows through a place."""
        active = {name}
        for statement in statements:
            is_active = self._touches(statement, active)
            if statement is statements[-1]:
                return is_active
            active = active | stored([statement]) if is_active else active - stored([statement])
        return False

    def _touches(self, statement: ast.stmt, active: set[str]) -> bool:
        nodes = unstopped(statement.value) if isinstance(statement, ast.Assign) else unstopped(statement)
        return any(is_read(node, active) for node in nodes)

    def again(self, results: dict[str, list[str]]) -> list[str]:
        """Return the methods that must run again for these results; unknown if they take arguments or are several.

        Raises:
            LookupError: If an attribute is assigned by several methods, or by one that cannot run again.
        """
        methods = self._methods()
        repeated: dict[str, None] = {}
        for name, by in results.items():
            method = methods[by[0]]
            takes = method.args
            is_plain = len(takes.args) == 1 and not (takes.vararg or takes.kwarg or takes.kwonlyargs)
            trains = any(method_call(n, other) for n in walk(method) for other in ("backward", "step"))
            if len(by) > 1 or not is_plain or trains:
                raise LookupError(f"{name} is computed in {' and '.join(by)}; compute it in this block")
            repeated[by[0]] = None
        return [name for name in methods if name in repeated]

    def calls_of(self, methods: Sequence[str], indentation: str) -> str:
        """Return the lines that call methods of the object, with an indentation."""
        is_module = self.position.classes and self.scopes.is_module(f"class:{self.position.classes[-1].name}")
        names = ["construct" if name == "forward" and is_module else name for name in methods]
        return "".join(f"{indentation}{self._self()}.{name}()\n" for name in names)


def _unconditional(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are always evaluated when a statement runs."""
    yield node
    if isinstance(node, _BRANCHING):
        heads = {ast.If: "test", ast.For: "iter", ast.While: "test", ast.IfExp: "test"}
        head = getattr(node, heads.get(type(node), ""), None)
        yield from _unconditional(head) if head is not None else ()
        return
    for child in children(node):
        yield from _unconditional(child)
