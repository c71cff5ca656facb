"""Tensors with gradients that an optimizer changes: in MindSpore they are Parameters."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import access_path, makes_leaf, method_call
from sporax._src.migrate.source.nodes import every, walk
from sporax._src.migrate.source.passes.training_loops import OPTIMIZER, PARAMETER
from sporax._src.migrate.source.scopes import Binding, is_of_torch
from sporax._src.migrate.torch_map.names import canonical
from sporax._src.migrate.torch_map.rows import TENSOR, table

_COLLECTIONS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.BinOp, ast.ListComp)
_ADDING = ("append", "extend", "insert", "add_param_group")


class GivenTensors(Pass):
    """Makes Parameters of the Tensors that the file gives to an optimizer, where it asks for their gradients."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._given: set[str] | None = None

    def leave_Assign(self, node: ast.Assign) -> None:
        """Convert `w = torch.ones(2, requires_grad=True)`, and `w.requires_grad = True`."""
        target = node.targets[0]
        if len(node.targets) == 1 and makes_leaf(node) and self._is_given(target):
            self._wrap(node.value)
            self._bind(target)
        elif isinstance(target, ast.Attribute) and target.attr == "requires_grad" and ast.unparse(node.value) == "True":
            self._replace(node, target.value)

    def leave_Expr(self, node: ast.Expr) -> None:
        """Convert `w.requires_grad_()`."""
        call = method_call(node.value, "requires_grad_")
        if call is not None and (not call.args or ast.unparse(call.args[0]) == "True"):
            self._replace(node, call.owner)

    def _is_given(self, target: ast.expr) -> bool:
        if self._given is None:
            self._given = self._names()
        is_of_module = isinstance(target, ast.Attribute) and self.scopes.is_module(self.context.kind_of(target.value))
        return access_path(target) in self._given and not is_of_module

    def _wrap(self, value: ast.expr) -> None:
        """Make a Parameter of a Tensor where it is made."""
        self.rewriter.replace(value, f"{self.imports.name('mindspore.Parameter')}({self.rewriter.text(value)})")

    def _replace(self, statement: ast.stmt, tensor: ast.expr) -> None:
        """Put a Parameter in the place of a Tensor that is made already and given to an optimizer."""
        if not self._is_given(tensor) or self.context.kind_of(tensor) != TENSOR:
            return
        name = access_path(tensor)
        self.rewriter.replace(statement, f"{name} = {self.imports.name('mindspore.Parameter')}({name})")
        self._bind(tensor)

    def _bind(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.scopes.bind(target.id, Binding(kind=PARAMETER))

    def _names(self) -> set[str]:
        """Return the names and attributes that the file puts into the arguments of optimizers, directly or by way of lists."""
        names: set[str] = set()
        for call in every(self.source.tree, ast.Call):
            if self._makes_optimizer(call) and (call.args or call.keywords):
                names |= _paths([*call.args[:1], *(k.value for k in call.keywords if k.arg == "params")])
        while len(names) != len(names := names | self._put_into(names)):
            pass
        return names

    def _put_into(self, names: set[str]) -> set[str]:
        """Return the names in the values of collections of these names."""
        found: set[str] = set()
        for node in every(self.source.tree, ast.Assign, ast.AugAssign, ast.Call):
            if isinstance(node, (ast.Assign, ast.AugAssign)) and isinstance(node.value, _COLLECTIONS):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= _paths([node.value]) if names & {access_path(target) for target in targets} else set()
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDING:
                found |= _paths(node.args) if access_path(node.func.value) in names else set()
        return found

    def _makes_optimizer(self, call: ast.Call) -> bool:
        path = self.scopes.path(call.func)
        rows = table().get(canonical(path), ()) if is_of_torch(path) else ()
        return any(OPTIMIZER in self.scopes.bases(row.result) for row in rows)


def _paths(values: list[ast.expr]) -> set[str]:
    """Return the names and attributes in some expressions."""
    return {access_path(node) for value in values for node in walk(value)} - {""}
