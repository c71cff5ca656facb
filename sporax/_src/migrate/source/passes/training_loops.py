"""The trained Tensors and networks of a program, its optimizers, and their steps."""

from __future__ import annotations

import ast
import builtins
import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import (
    MethodCall,
    access_path,
    assigned,
    assigned_for_sure,
    inside,
    is_read,
    leaves,
    method_call,
    method_calls,
    own,
    read_first,
    stored,
    written_into,
)
from sporax._src.migrate.source.nodes import walk
from sporax._src.migrate.source.optimizer_kinds import freezes, has_step_hooks, settings
from sporax._src.migrate.source.scopes import is_method_of_values
from sporax._src.migrate.torch_map.rows import MODULE, TENSOR, table

PARAMETER = "torch.nn.Parameter"
OPTIMIZER = "torch.optim.Optimizer"
BACKWARD = "torch.autograd.backward"
SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"
CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_")
SIMPLE = (ast.Assign, ast.Expr, ast.Return, ast.AugAssign, ast.AnnAssign)
DEFINITIONS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
)


def first_argument(call: ast.Call) -> ast.expr | None:
    """Return the first argument of `torch.autograd.backward`; None if it is not written out."""
    tensors = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "tensors"), None)
    return None if isinstance(tensors, ast.Starred) else tensors


class TrainingLoops(Pass):
    """Answers questions about the training in the function that is visited.

    Args:
        context: The shared state of the passes.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        # what the text says of a function or of the file, read once and not for each question
        self._leaves_in, self._first_stores = functools.cache(leaves), functools.cache(_first_stores)
        self._calls_in, self._tested_in = functools.cache(_training_calls), functools.cache(_tested_in)
        self._stored_in, self._globals_in = functools.cache(_stored_in), functools.cache(_globals_in)
        self._looks_inside, self._networks_in = functools.cache(_looks_inside), functools.cache(_networks_in)
        self._networks: dict[str, set[str]] = {}

    def leaves(self) -> list[str]:
        """Return the names of the Tensors with gradients: those of the function, and those of the file."""
        here = self.position.scope
        bound = {*self._first_stores(here), *_arguments(here)}
        outer = [name for name in self._leaves_in(self.source.tree) if name not in bound]
        return [name for name in dict.fromkeys([*self._leaves_in(here), *outer]) if self._is_leaf(name)]

    def _is_leaf(self, name: str) -> bool:
        """Return whether a name whose `requires_grad` is set is one of a Tensor, not of a Module or Parameter."""
        kind = self.scopes.find(name).kind
        return not (name in self._called_names or kind == PARAMETER or self.scopes.is_module(kind))

    @functools.cached_property
    def _called_names(self) -> set[str]:
        """The names that the file calls."""
        return {call.func.id for call in self.source.nodes(ast.Call) if isinstance(call.func, ast.Name)}

    def optimizers(self, line: int) -> list[str]:
        """Return the optimizers of this function, or else of the file, that exist at this line."""
        scopes = dict.fromkeys([self.position.scope, *self.position.scopes[::-1]])
        for calls in [*map(self._calls_in, scopes), self._calls_anywhere]:
            names: dict[str, None] = {}
            for call in calls:
                if call.owner not in names and call.method != "backward" and self.is_optimizer(call.node):
                    names[call.owner] = None
            here = [n for n in names if self.is_assigned_before(n, line) and not self.may_be_absent(n)]
            if here:
                return here
        return []

    @functools.cached_property
    def _calls_anywhere(self) -> list[TrainingCall]:
        """The calls of `step`, `zero_grad` and `backward` in the file."""
        return [*_training_calls_of(self.source.nodes(ast.Call))]

    def is_assigned_before(self, name: str, line: int) -> bool:
        """Return whether a name that the function sees is assigned before a line; arguments of a function are."""
        if name.startswith("self."):
            return any("self" in names for names in map(_arguments, self.position.functions))
        functions = [node for node in self.position.scopes if isinstance(node, ast.FunctionDef)]
        args = {a.arg for function in functions for a in walk(function.args) if isinstance(a, ast.arg)}
        return name in args or (self._is_seen(name) and any(n.lineno < line for n in self._assignments.get(name, ())))

    def _is_seen(self, name: str) -> bool:
        """Return whether a name may be one of the scopes around: no other function has it for itself alone."""
        return (
            "." in name
            or any(name in self._stored_in(scope) for scope in self.position.scopes)
            or any(name in node.names for node in self.source.nodes(ast.Global))
        )

    @functools.cached_property
    def _assignments(self) -> dict[str, list[ast.Assign]]:
        """The assignments of the file, by their first target."""
        found: dict[str, list[ast.Assign]] = {}
        for node in self.source.nodes(ast.Assign):
            found.setdefault(ast.unparse(node.targets[0]), []).append(node)
        return found

    def may_be_absent(self, name: str) -> bool:
        """Return whether there may be no optimizer of a name: it is tested for None, or made under a condition."""
        if any(name in self._tested_in(scope) for scope in self.position.scopes):
            return True
        owner = next((scope for scope in self.position.scopes[::-1] if name in self._stored_in(scope)), None)
        if owner is not None and not isinstance(owner, ast.Module):
            return read_first(_body(owner), name)
        top = [s for statement in _body(self.source.tree) for s in _of_main(statement)]
        return name in stored(top) and not assigned_for_sure(top, name)

    def sources(self, statements: Sequence[ast.stmt]) -> list[str]:
        """Return the objects outside of statements of which these may use Parameters: what they call and whose methods."""
        inner, names = stored(statements), dict[str, None]()
        for node in (n for statement in statements for n in inside(statement)):
            values = [node] if isinstance(node, ast.expr) and self.context.kind_of(node) == PARAMETER else []
            if isinstance(node, ast.Call) and (self.calls_program(node) or self.calls_unknown(node)):
                values = [self._caller(node), *(node.args if _last_name(node.func) in self.functions else ())]
            paths = [access_path(v.value if isinstance(v, ast.Subscript) else v) for v in values]
            names |= dict.fromkeys(path for path in paths if path and path.partition(".")[0] not in inner)
        return list(names)

    @functools.cached_property
    def functions(self) -> dict[str, list[ast.FunctionDef]]:
        """The functions of the file, by their names."""
        found: dict[str, list[ast.FunctionDef]] = {}
        for function in self.source.nodes(ast.FunctionDef):
            found.setdefault(function.name, []).append(function)
        return found

    def _caller(self, call: ast.Call) -> ast.expr:
        """Return what is called; for a method that all Modules have, the object."""
        is_of_modules = isinstance(call.func, ast.Attribute) and f"{MODULE}.{call.func.attr}" in table()
        return call.func.value if isinstance(call.func, ast.Attribute) and is_of_modules else call.func

    def inputs(self, statements: Sequence[ast.stmt], line: int) -> list[str]:
        """Return the names of the data of statements: names that may be Tensors and are bound before a line.

        They are arguments of the function that is differentiated: MindSpore may take the values of an earlier call for
        Tensors that a function finds in the scope around it.
        """
        nodes = [n for s in statements for n in walk(s)]
        called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
        others = {name for n in nodes for name in written_into(n)}  # MindSpore forbids that of an argument
        others |= {
            n.value.id
            for n in nodes
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and not is_method_of_values(n.attr)
        }
        others |= {n.id for n in nodes if isinstance(n, ast.Name) and (id(n) in called or not self.may_be_data(n))}
        bound = self.bound(line) - others
        names = dict.fromkeys(n.id for n in nodes if isinstance(n, ast.Name) and n.id in bound)
        return [name for name in names if read_first(statements, name)]

    def bound(self, line: int) -> set[str]:
        """Return the names that the function binds before a line, its arguments among them."""
        here = self.position.scope
        return _arguments(here) | {name for name, first in self._first_stores(here).items() if first < line}

    def may_be_data(self, node: ast.Name | ast.Attribute) -> bool:
        """Return whether a name or an attribute may stand for a Tensor, or for some."""
        kind = self.context.kind_of(node) or (self.scopes.find(node.id).kind if isinstance(node, ast.Name) else "")
        return kind in ("", TENSOR, "tuple", "list", "dict", "numpy.ndarray") or kind.startswith("torch.return_types.")

    def outer(self, names: list[str]) -> str:
        """Return the line that declares names of the visited scope (`nonlocal` or `global`); "" if there are none."""
        here = self.position.scope
        outside = {*names} if isinstance(here, ast.Module) else self._globals_in(here)
        kinds = {"global": [n for n in names if n in outside], "nonlocal": [n for n in names if n not in outside]}
        return "; ".join(f"{kind} {', '.join(of)}" for kind, of in kinds.items() if of)

    def is_buffered(self) -> bool:
        """Return whether gradients are read as attributes: in this function, or in one without a gradient."""
        return self._is_read_elsewhere or self._looks_inside(self.position.scope) or self._changes_in_steps

    @functools.cached_property
    def _changes_in_steps(self) -> bool:
        """Whether the file freezes Parameters or has functions that run at each step."""
        return freezes(self.source.tree) or has_step_hooks(self.source.tree)

    @functools.cached_property
    def _is_read_elsewhere(self) -> bool:
        """Whether a function without a gradient reads gradients as attributes."""
        return any(map(self._looks_inside, self._without_gradient))

    @functools.cached_property
    def _without_gradient(self) -> list[ast.FunctionDef]:
        """The functions of the file that compute no gradient of their own."""
        return [f for f in self.source.nodes(ast.FunctionDef) if not any(method_calls(f, "backward"))]

    def starts_anew(self, block: Sequence[ast.stmt]) -> bool:
        """Return whether a step uses the gradients of one `backward`, because they are reset or computed once."""
        repeats = bool(self.position.functions) or id(block[0]) in self._inside_loops
        return self._counts["zero_grad"] > 0 or (not repeats and self._counts["backward"] == 1)

    @functools.cached_property
    def _counts(self) -> Counter[str]:
        """How often the file calls `step`, `zero_grad` and `backward`."""
        return Counter(call.method for call in self._calls_anywhere)

    @functools.cached_property
    def _inside_loops(self) -> set[int]:
        """The nodes of the file that are inside of loops."""
        loops = [*self.source.nodes(ast.For), *self.source.nodes(ast.While)]
        return {id(node) for loop in loops for node in walk(loop)}

    def looks_at(self, statement: ast.stmt) -> bool:
        """Return whether a statement reads or writes a gradient that is stored as an attribute, or calls a function that does."""
        return self._looks_inside(statement) or not self._looking.isdisjoint(_called(statement))

    @functools.cached_property
    def _looking(self) -> set[str]:
        """The names of the functions without a gradient that read or write a gradient as an attribute."""
        return {function.name for function in self._without_gradient if self._looks_inside(function)}

    def differentiated(self, statement: ast.stmt) -> ast.expr | None:
        """Return the object of `backward`, without the scaling of mixed precision; None for other statements."""
        if not isinstance(statement, ast.Expr):
            return None
        if isinstance(statement.value, ast.Call) and self.scopes.path(statement.value.func) == BACKWARD:
            return first_argument(statement.value)
        call = method_call(statement.value, "backward")
        if call is None or self.scopes.path(call.call.func).startswith("torch."):
            return None
        kind = self.context.kind_of(call.owner)
        if kind and TENSOR not in self.scopes.bases(kind):
            return None
        scaled = method_call(call.owner, "scale")
        return scaled.args[0] if scaled is not None and len(scaled.args) == 1 else call.owner

    def steps(self, statement: ast.stmt) -> list[str]:
        """Return the optimizers that take a step in a statement of a block."""
        if not isinstance(statement, (ast.Expr, ast.Assign)):
            return []
        call = method_call(statement.value, "step")
        optimizer = self.stepped(call) if call is not None else None
        return [] if optimizer is None else [ast.unparse(optimizer)]

    def sets_requires_grad(self, statement: ast.stmt) -> bool:
        """Return whether a statement says which Parameters are trained: itself, or by a function that it calls."""
        if isinstance(statement, ast.Assign) and assigned([statement]):
            return False
        called = _called(statement)
        paths = {access_path(owner) for owner, _ in settings(statement)}
        paths = paths.union(*(self._set_by.get(name, ()) for name in called))
        is_named = any("requires_grad" in name and name != "requires_grad_" for name in called)
        return is_named or not paths <= {*self.leaves()}

    @functools.cached_property
    def _set_by(self) -> dict[str, set[str]]:
        """The paths of the objects whose `requires_grad` the functions without a gradient set, by the function's name."""
        found: dict[str, set[str]] = {}
        for function in self._without_gradient:
            found.setdefault(function.name, set()).update(access_path(owner) for owner, _ in settings(function))
        return found

    def stepped(self, call: MethodCall) -> ast.expr | None:
        """Return the optimizer that takes a step in a call of `step`, None if it is another object's method."""
        if len(call.args) == 1 and "scaler" in ast.unparse(call.owner).lower():
            return call.args[0]
        is_inherited = ast.unparse(call.owner) == "super()"
        return call.owner if self.is_optimizer(call.owner) and not is_inherited else None

    def may_be_optimizer(self, node: ast.expr) -> bool:
        """Return whether an object may be an optimizer, as far as the source shows its kind."""
        is_unknown = not self.context.kind_of(node) and not self.scopes.path(node) and ast.unparse(node) != "super()"
        return is_unknown and "sched" not in ast.unparse(node).lower()

    def steps_unknown(self, call: MethodCall) -> bool:
        """Return whether `step` is called of an object that may be an optimizer, in a function that has no other."""
        calls = self._calls_in(self.position.scope)
        is_trained = any(call.method == "backward" for call in calls)
        has_other = any(call.method == "step" and self.is_optimizer(call.node) for call in calls)
        is_of_optimizer = any(OPTIMIZER in self.scopes.bases(f"class:{c.name}") for c in self.position.classes)
        return (is_trained or is_of_optimizer) and not has_other and not call.args and self.may_be_optimizer(call.owner)

    def is_optimizer(self, node: ast.expr) -> bool:
        kind = self.context.kind_of(node)
        if kind:
            bases = self.scopes.bases(kind)
            return OPTIMIZER in bases and SCHEDULER not in bases
        text = ast.unparse(node)
        return "opt" in text.lower() and "sched" not in text.lower()

    def trained(self, optimizer: str) -> set[str]:
        """Return the networks whose Parameters an optimizer was made with."""
        if optimizer not in self._networks:
            made = [n.value for n in self._assignments.get(optimizer, ()) if isinstance(n.value, ast.Call)]
            self._networks[optimizer] = {ast.unparse(c.owner) for v in made for c in method_calls(v, "parameters")}
        return self._networks[optimizer]

    def zeroes(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Expr) and method_call(statement.value, "zero_grad") is not None

    def makes_optimizer(self, statement: ast.stmt) -> bool:
        """Return whether a statement assigns an optimizer or a scheduler of learning rates."""
        if not isinstance(statement, ast.Assign):
            return False
        bases = self.scopes.bases(self.context.kind_of(statement.value))
        return OPTIMIZER in bases or SCHEDULER in bases

    def makes_network(self, statement: ast.stmt) -> bool:
        """Return whether a statement makes an object of which the function calls methods that only Modules have."""
        return isinstance(statement, ast.Assign) and any(
            name in self._networks_in(self.position.scope) for name in assigned([statement])
        )

    def runs(self, node: ast.AST, active: set[str], flows: bool = False) -> bool:
        """Return whether code depends on the differentiated value: it calls a network or reads its result.

        If `flows` is set, calls of unknown methods may be calls of networks, and Parameters count as well.
        """
        for inner in walk(node):
            if is_read(inner, active):
                return True
            if flows and isinstance(inner, (ast.Name, ast.Attribute)) and self.context.kind_of(inner) == PARAMETER:
                return True
            if isinstance(inner, ast.Call) and (self.calls_program(inner) or (flows and self.calls_unknown(inner))):
                return True
        return False

    def calls_program(self, call: ast.Call) -> bool:
        """Return whether a call may run a network: of a Module, or of a function of the program."""
        if self.scopes.path(call.func):
            return False
        if isinstance(call.func, ast.Attribute):
            kind = self.context.kind_of(call.func)
            owner = self.context.kind_of(call.func.value)
            return self.scopes.is_module(kind) or self.scopes.is_module(owner) or owner.startswith("class:")
        if isinstance(call.func, ast.Name):
            binding = self.scopes.find(call.func.id)
            return not binding.kind.startswith("type:") and not hasattr(builtins, call.func.id)
        return True

    def calls_unknown(self, call: ast.Call) -> bool:
        """Return whether a call is of a method that no Tensor has, on an unknown object."""
        if not isinstance(call.func, ast.Attribute) or self.scopes.path(call.func):
            return False
        return not self.context.kind_of(call.func.value) and not is_method_of_values(call.func.attr)

    def is_clip(self, statement: ast.stmt) -> bool:
        call = statement.value if isinstance(statement, ast.Expr) else None
        return isinstance(call, ast.Call) and self.scopes.path(call.func) in CLIPS

    def begins_line(self, statement: ast.stmt) -> bool:
        at = self.source.start(statement)
        return not self.source.data[self.source.line_start(at) : at].strip()


class TrainingCall(NamedTuple):
    """A call of `step`, `zero_grad` or `backward`, with the text of the object and its node."""

    method: str
    owner: str
    node: ast.expr


def _training_calls(scope: ast.AST) -> list[TrainingCall]:
    """Return the calls of a function, or of the file outside of functions."""
    return [*_training_calls_of(own(scope))]


def _training_calls_of(nodes: Iterable[ast.AST]) -> Iterator[TrainingCall]:
    for node in nodes:
        for name in ("step", "zero_grad", "backward"):
            if (call := method_call(node, name)) is not None:
                yield TrainingCall(name, ast.unparse(call.owner), call.owner)


def _first_stores(scope: ast.AST) -> dict[str, int]:
    """Return the names that a function or file assigns, each with the first line that does."""
    found: dict[str, int] = {}
    for node in own(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = min(node.lineno, found.get(node.id, node.lineno))
    return found


def _looks_inside(node: ast.AST) -> bool:
    """Return whether code reads or writes gradients that are stored as attributes."""
    return any(_is_gradient(inner) for inner in walk(node))


def _is_gradient(node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr != "grad":
        return False
    return not ast.unparse(node.value).endswith(("autograd", "torch", "func"))


def _networks_in(scope: ast.AST) -> set[str]:
    """Return the names of the objects of which a function or file calls methods that Modules have and values do not."""
    calls = [node.func for node in own(scope) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    of_modules = [c for c in calls if f"{MODULE}.{c.attr}" in table() and not is_method_of_values(c.attr)]
    return {c.value.id for c in of_modules if isinstance(c.value, ast.Name)}


def _called(statement: ast.stmt) -> set[str]:
    """Return the last names of what a statement calls."""
    return {_last_name(node.func) for node in walk(statement) if isinstance(node, ast.Call)}


def _globals_in(scope: ast.AST) -> set[str]:
    return {name for node in own(scope) if isinstance(node, ast.Global) for name in node.names}


def _stored_in(scope: ast.AST) -> set[str]:
    return stored(_body(scope))


def _tested_in(scope: ast.AST) -> set[str]:
    """Return the texts of what a function or file tests for None or truth."""
    return {ast.unparse(tested) for node in own(scope) for tested in _tested(node)}


def _tested(node: ast.AST) -> list[ast.expr]:
    """Return the expressions of which a node tests whether they are None or true."""
    if isinstance(node, ast.Compare):
        return [node.left] if any(ast.unparse(other) == "None" for other in node.comparators) else []
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.UnaryOp):
        return [node.operand] if isinstance(node.op, ast.Not) else []
    return [node.test] if isinstance(node, (ast.If, ast.IfExp, ast.While)) else []


def _arguments(function: ast.AST) -> set[str]:
    """Return the names of the arguments of a function."""
    arguments = getattr(function, "args", None)
    return {a.arg for a in walk(arguments) if isinstance(a, ast.arg)} if arguments else set()


def _of_main(statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements under `if __name__ == "__main__"`, or another statement itself."""
    is_guard = isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)
    return statement.body if is_guard and isinstance(statement, ast.If) else [statement]


def _last_name(node: ast.expr) -> str:
    return access_path(node).rpartition(".")[2]


def _body(scope: ast.AST) -> list[ast.stmt]:
    """Return the statements of a function or file without the definitions among them."""
    return [statement for statement in getattr(scope, "body", []) if not isinstance(statement, DEFINITIONS)]
