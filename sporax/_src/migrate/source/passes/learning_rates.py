"""Learning rates in `param_groups`: in MindSpore they are Parameters. A program sets their value, and reads a number.

group["lr"] = 0.1                ->  _set_learning_rate(group, 0.1)
rates.append(group["lr"])        ->  rates.append(float(group["lr"]))
"""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.nodes import every, walk

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


class LearningRates(Pass):
    """Rewrites assignments to `group["lr"]`, and reads of it.

    Args:
        context: The shared state of the passes.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._is_number = {id(part) for node in every(self.source.tree) for part in _converted(node)}

    def leave_Subscript(self, node: ast.Subscript) -> None:
        """Read the value: a Parameter that is kept changes with the learning rate."""
        if isinstance(node.ctx, ast.Load) and id(node) not in self._is_number and self._group(node) is not None:
            self.rewriter.wrap(node, "float(", ")")

    def leave_Assign(self, node: ast.Assign) -> None:
        """Change the Parameter that is the learning rate."""
        group = self._group(node.targets[0]) if len(node.targets) == 1 else None
        if group is not None:
            self._set(node, group, self.rewriter.text(node.value))

    def leave_AugAssign(self, node: ast.AugAssign) -> None:
        """Convert an assignment with an operator in the same way."""
        group = self._group(node.target)
        if group is not None and type(node.op) in _OPERATORS:
            value = self.rewriter.text(node.value)
            value = value if isinstance(node.value, (ast.Name, ast.Constant, ast.Call)) else f"({value})"
            self._set(node, group, f"{self.rewriter.text(node.target)} {_OPERATORS[type(node.op)]} {value}")

    def _group(self, target: ast.expr) -> ast.expr | None:
        """Return the group of `param_groups` whose learning rate a target is, None if it is nothing of that kind."""
        if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
            return None
        group = target.value
        if target.slice.value != "lr" or not (_is_groups(group.value) if isinstance(group, ast.Subscript) else True):
            return None
        if isinstance(group, ast.Name) and group.id not in names_of_groups(self.source.tree):
            return None
        return group if isinstance(group, (ast.Name, ast.Subscript)) else None

    def _set(self, statement: ast.stmt, group: ast.expr, value: str) -> None:
        call = f"{self.imports.name('_set_learning_rate')}({self.rewriter.text(group)}, {value})"
        self.rewriter.replace(statement, call)


def _converted(node: ast.AST) -> list[ast.expr]:
    """Return the expressions that a node makes numbers, or whose attributes it reads."""
    if isinstance(node, ast.Attribute):
        return [node.value]
    return node.args if isinstance(node, ast.Call) and ast.unparse(node.func) == "float" else []


def names_of_groups(tree: ast.AST) -> set[str]:
    """Return the names of a file that stand for the groups of an optimizer: targets of loops over `param_groups`."""
    loops = every(tree, ast.For, ast.comprehension)
    targets = [n.target for n in loops if any(_is_groups(part) for part in walk(n.iter))]
    return {n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)}


def _is_groups(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "param_groups"
