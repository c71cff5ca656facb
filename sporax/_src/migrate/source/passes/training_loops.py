"""The trained Tensors and networks of a program, its optimizers, and their steps."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Sequence

from sporax._src.migrate.source.context import Pass
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
    """Answers questions about the training in the function that is visited."""

    def leaves(self) -> list[str]:
        """Return the names of the Tensors with gradients: those of the function, and those of the file."""
        here = self.position.scope
        bound = {n.id for n in own(here) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= (
            {n.arg for n in ast.walk(here.args) if isinstance(n, ast.arg)}
            if isinstance(here, ast.FunctionDef)
            else set()
        )
        outer = [name for name in leaves(self.source.tree) if name not in bound]
        return [name for name in dict.fromkeys([*leaves(here), *outer]) if self._is_leaf(name)]

    def _is_leaf(self, name: str) -> bool:
        """Return whether a name whose `requires_grad` is set is one of a Tensor, not of a Module or Parameter."""
        kind = self.scopes.find(name).kind
        called = (n.func for n in ast.walk(self.source.tree) if isinstance(n, ast.Call))
        is_called = any(isinstance(function, ast.Name) and function.id == name for function in called)
        return not (is_called or kind == PARAMETER or self.scopes.is_module(kind))

    def optimizers(self, line: int) -> list[str]:
        """Return the optimizers of this function, or else of the file, that exist at this line."""
        scopes = dict.fromkeys([self.position.scope, *self.position.scopes[::-1]])
        for nodes in [*map(own, scopes), ast.walk(self.source.tree)]:
            names: dict[str, None] = {}
            for node in nodes:
                for name in ("step", "zero_grad"):
                    call = method_call(node, name)
                    if call is not None and self.is_optimizer(call.owner):
                        names[ast.unparse(call.owner)] = None
            here = [n for n in names if self.is_assigned_before(n, line) and not self.may_be_absent(n)]
            if here:
                return here
        return []

    def is_assigned_before(self, name: str, line: int) -> bool:
        """Return whether a name is assigned before a line; arguments of a function are."""
        if name.startswith("self."):
            return any("self" in names for names in map(_arguments, self.position.functions))
        functions = [node for node in self.position.scopes if isinstance(node, ast.FunctionDef)]
        args = {a.arg for function in functions for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        return name in args or any(n.lineno < line for n in self._assignments.get(name, ()))

    @functools.cached_property
    def _assignments(self) -> dict[str, list[ast.Assign]]:
        """The assignments of the file, by their first target."""
        found: dict[str, list[ast.Assign]] = {}
        for node in self.source.nodes(ast.Assign):
            found.setdefault(ast.unparse(node.targets[0]), []).append(node)
        return found

    def may_be_absent(self, name: str) -> bool:
        """Return whether there may be no optimizer of a name: it is tested for None, or made under a condition."""
        nodes = [node for scope in self.position.scopes for node in own(scope)]
        if any(ast.unparse(tested) == name for node in nodes for tested in _tested(node)):
            return True
        owner = next((scope for scope in self.position.scopes[::-1] if name in stored(_body(scope))), None)
        if owner is not None and not isinstance(owner, ast.Module):
            return read_first(_body(owner), name)
        top = [s for statement in _body(self.source.tree) for s in _of_main(statement)]
        return name in stored(top) and not assigned_for_sure(top, name)

    def sources(self, statements: Sequence[ast.stmt]) -> list[str]:
        """Return the objects outside of statements of which these may use Parameters: what they call and whose methods."""
        inner, names = stored(statements), dict[str, None]()
        functions = {n.name for n in ast.walk(self.source.tree) if isinstance(n, ast.FunctionDef)}
        for node in (n for statement in statements for n in inside(statement)):
            values = [node] if isinstance(node, ast.expr) and self.context.kind_of(node) == PARAMETER else []
            if isinstance(node, ast.Call) and (self.calls_program(node) or self.calls_unknown(node)):
                values = [self._caller(node), *(node.args if _last_name(node.func) in functions else ())]
            paths = [access_path(v.value if isinstance(v, ast.Subscript) else v) for v in values]
            names |= dict.fromkeys(path for path in paths if path and path.partition(".")[0] not in inner)
        return list(names)

    def _caller(self, call: ast.Call) -> ast.expr:
        """Return what is called; for a method that all Modules have, the object."""
        is_of_modules = isinstance(call.func, ast.Attribute) and f"{MODULE}.{call.func.attr}" in table()
        return call.func.value if isinstance(call.func, ast.Attribute) and is_of_modules else call.func

    def inputs(self, statements: Sequence[ast.stmt], line: int) -> list[str]:
        """Return the names of the data of statements: names that may be Tensors and are bound before a line.

        They are arguments of the function that is differentiated: MindSpore may take the values of an earlier call for
        Tensors that a function finds in the scope around it.
        """
        nodes = [n for s in statements for n in ast.walk(s)]
        called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
        others = {name for n in nodes for name in written_into(n)}  # MindSpore forbids that of an argument
        others |= {
            n.value.id
            for n in nodes
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and not is_method_of_values(n.attr)
        }
        others |= {n.id for n in nodes if isinstance(n, ast.Name) and (id(n) in called or not self.may_be_data(n))}
        names = dict.fromkeys(n.id for n in nodes if isinstance(n, ast.Name) and n.id in self.bound(line) - others)
        return [name for name in names if read_first(statements, name)]

    def bound(self, line: int) -> set[str]:
        """Return the names that the function binds before a line, its arguments among them."""
        here = self.position.scope
        args = here.args if isinstance(here, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
        bound = {a.arg for a in ast.walk(args) if isinstance(a, ast.arg)} if args else set()
        stores = [n for n in own(here) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return bound | {n.id for n in stores if n.lineno < line}

    def may_be_data(self, node: ast.Name | ast.Attribute) -> bool:
        """Return whether a name or an attribute may stand for a Tensor, or for some."""
        kind = self.context.kind_of(node) or (self.scopes.find(node.id).kind if isinstance(node, ast.Name) else "")
        return kind in ("", TENSOR, "tuple", "list", "dict", "numpy.ndarray") or kind.startswith("torch.return_types.")

    def outer(self, names: list[str]) -> str:
        """Return the line that declares names of the visited scope (`nonlocal` or `global`); "" if there are none."""
        here = self.position.scope
        declared = {name for n in own(here) if isinstance(n, ast.Global) for name in n.names}
        is_global = isinstance(here, ast.Module) or bool(declared & {*names})
        return f"{'global' if is_global else 'nonlocal'} {', '.join(names)}" if names else ""

    def is_buffered(self) -> bool:
        """Return whether gradients are read as attributes: in this function, or in one without a gradient."""
        if self._is_read_elsewhere or any(self.is_gradient(n) for n in ast.walk(self.position.scope)):
            return True
        return self._changes_in_steps

    @functools.cached_property
    def _changes_in_steps(self) -> bool:
        """Whether the file freezes Parameters or has functions that run at each step."""
        return freezes(self.source.tree) or has_step_hooks(self.source.tree)

    @functools.cached_property
    def _is_read_elsewhere(self) -> bool:
        """Whether a function without a gradient reads gradients as attributes."""
        others = [f for f in self.source.nodes(ast.FunctionDef) if not any(method_calls(f, "backward"))]
        return any(self.is_gradient(n) for f in others for n in ast.walk(f))

    def starts_anew(self, block: Sequence[ast.stmt]) -> bool:
        """Return whether a step uses the gradients of one `backward`, because they are reset or computed once."""
        calls = self.source.nodes(ast.Call)
        if any(method_call(n, "zero_grad") for n in calls):
            return True
        loops = [*self.source.nodes(ast.For), *self.source.nodes(ast.While)]
        repeats = bool(self.position.functions) or any(block[0] is n for loop in loops for n in ast.walk(loop))
        return not repeats and sum(method_call(n, "backward") is not None for n in calls) == 1

    def looks_at(self, statement: ast.stmt) -> bool:
        """Return whether a statement reads or writes a gradient that is stored as an attribute, or calls a function that does."""
        return any(self.is_gradient(node) for part in (statement, *self._called(statement)) for node in ast.walk(part))

    def _called(self, statement: ast.stmt) -> list[ast.FunctionDef]:
        """Return the functions of the file, without a gradient of their own, that a statement may call by their names."""
        names = {_last_name(n.func) for n in ast.walk(statement) if isinstance(n, ast.Call)}
        functions = [n for n in ast.walk(self.source.tree) if isinstance(n, ast.FunctionDef) and n.name in names]
        return [f for f in functions if not any(method_call(n, "backward") for n in ast.walk(f))]

    def is_gradient(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Attribute) or node.attr != "grad":
            return False
        return not ast.unparse(node.value).endswith(("autograd", "torch", "func"))

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
        names = {_last_name(n.func) for n in ast.walk(statement) if isinstance(n, ast.Call)}
        named = [name for name in names if "requires_grad" in name and name != "requires_grad_"]
        owners = [owner for node in (statement, *self._called(statement)) for owner, _ in settings(node)]
        has_result = isinstance(statement, ast.Assign) and bool(assigned([statement]))
        return not has_result and bool(named or any(access_path(owner) not in self.leaves() for owner in owners))

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
        calls = [method_call(node, name) for node in own(self.position.scope) for name in ("step", "backward")]
        owners = [
            (c.call.func.attr, c.owner) for c in calls if c is not None and isinstance(c.call.func, ast.Attribute)
        ]
        is_trained = any(name == "backward" for name, _ in owners)
        has_other = any(name == "step" and self.is_optimizer(owner) for name, owner in owners)
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
        networks = set()
        for node in self._assignments.get(optimizer, ()):
            if isinstance(node.value, ast.Call):
                for call in method_calls(node.value, "parameters"):
                    networks.add(ast.unparse(call.owner))
        return networks

    def zeroes(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Expr) and method_call(statement.value, "zero_grad") is not None

    def makes_optimizer(self, statement: ast.stmt) -> bool:
        """Return whether a statement assigns an optimizer or a scheduler of learning rates."""
        if not isinstance(statement, ast.Assign):
            return False
        bases = self.scopes.bases(self.context.kind_of(statement.value))
        return OPTIMIZER in bases or SCHEDULER in bases

    def runs(self, node: ast.AST, active: set[str], flows: bool = False) -> bool:
        """Return whether code depends on the differentiated value: it calls a network or reads its result.

        If `flows` is set, calls of unknown methods may be calls of networks, and Parameters count as well.
        """
        for inner in ast.walk(node):
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
    return {a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg)} if arguments else set()


def _of_main(statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements under `if __name__ == "__main__"`, or another statement itself."""
    is_guard = isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)
    return statement.body if is_guard and isinstance(statement, ast.If) else [statement]


def _last_name(node: ast.expr) -> str:
    return access_path(node).rpartition(".")[2]


def _body(scope: ast.AST) -> list[ast.stmt]:
    """Return the statements of a function or file without the definitions among them."""
    return [statement for statement in getattr(scope, "body", []) if not isinstance(statement, DEFINITIONS)]
