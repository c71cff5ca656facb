"""The trained Tensors and networks of a program, its optimizers, and their steps."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from sporax._src.migrate.source.context import Pass
from sporax._src.migrate.source.dataflow import (
    is_read,
    leaves,
    method_call,
    method_calls,
    own,
    read_first,
    written_into,
)
from sporax._src.migrate.source.scopes import is_method_of_values
from sporax._src.migrate.torch_map.rows import TENSOR

PARAMETER = "torch.nn.Parameter"
OPTIMIZER = "torch.optim.Optimizer"
BACKWARD = "torch.autograd.backward"
SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"
CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_")
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
        return list(dict.fromkeys([*leaves(here), *outer]))

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
            here = [name for name in names if self.is_assigned_before(name, line)]
            if here:
                return here
        return []

    def is_assigned_before(self, name: str, line: int) -> bool:
        """Return whether a name is assigned before a line; arguments of a function are."""
        if name.startswith("self."):
            return True
        assignments = [
            n for n in ast.walk(self.source.tree) if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name
        ]
        functions = [node for node in self.position.scopes if isinstance(node, ast.FunctionDef)]
        args = {a.arg for function in functions for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        return name in args or any(n.lineno < line for n in assignments)

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
        functions = [n for n in ast.walk(self.source.tree) if isinstance(n, ast.FunctionDef)]
        others = [f for f in functions if not any(method_call(n, "backward") for n in ast.walk(f))]
        return any(self.is_gradient(n) for scope in [self.position.scope, *others] for n in ast.walk(scope))

    def starts_anew(self, block: Sequence[ast.stmt]) -> bool:
        """Return whether a step uses the gradients of one `backward`, because they are reset or computed once."""
        tree = self.source.tree
        if any(method_call(n, "zero_grad") for n in ast.walk(tree)):
            return True
        loops = [n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.While))]
        repeats = bool(self.position.functions) or any(block[0] is n for loop in loops for n in ast.walk(loop))
        return not repeats and sum(method_call(n, "backward") is not None for n in ast.walk(tree)) == 1

    def looks_at(self, statement: ast.stmt) -> bool:
        """Return whether a statement reads or writes a gradient that is stored as an attribute."""
        return any(self.is_gradient(node) for node in ast.walk(statement))

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
        if call is None:
            return []
        if len(call.args) == 1 and "scaler" in ast.unparse(call.owner).lower():
            return [ast.unparse(call.args[0])]
        return [ast.unparse(call.owner)] if self.is_optimizer(call.owner) else []

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
        for node in ast.walk(self.source.tree):
            if (
                isinstance(node, ast.Assign)
                and ast.unparse(node.targets[0]) == optimizer
                and isinstance(node.value, ast.Call)
            ):
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
