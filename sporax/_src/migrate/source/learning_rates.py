"""Learning rates that a program sets in `param_groups`: they are Parameters here, whose value changes."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.import_statements import ImportStatements

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


class LearningRates(ImportStatements):
    """Rewrites what is assigned to `group["lr"]`."""

    def visit_Assign(self, node: ast.Assign) -> str:
        """Convert an assignment; of a learning rate, as a change of its Parameter."""
        super().visit_Assign(node)
        group = self._group(node.targets[0]) if len(node.targets) == 1 else None
        if group is not None:
            self._set(node, group, self.written(node.value))
        return ""

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        """Convert an assignment with an operator in the same way."""
        super().visit_AugAssign(node)
        group = self._group(node.target)
        if group is not None and type(node.op) in _OPERATORS:
            value = self.written(node.value)
            value = value if isinstance(node.value, (ast.Name, ast.Constant, ast.Call)) else f"({value})"
            self._set(node, group, f"{self.written(node.target)} {_OPERATORS[type(node.op)]} {value}")
        return ""

    def _group(self, target: ast.expr) -> ast.expr | None:
        """Return the group of `param_groups` whose learning rate a target is, None if it is nothing of that kind."""
        if not isinstance(target, ast.Subscript) or not isinstance(target.slice, ast.Constant):
            return None
        group = target.value
        if target.slice.value != "lr" or not (_is_groups(group.value) if isinstance(group, ast.Subscript) else True):
            return None
        if isinstance(group, ast.Name) and group.id not in self._names_of_groups():
            return None
        return group if isinstance(group, (ast.Name, ast.Subscript)) else None

    def _names_of_groups(self) -> set[str]:
        loops = [n for n in ast.walk(self.source.tree) if isinstance(n, (ast.For, ast.comprehension))]
        targets = [n.target for n in loops if any(_is_groups(part) for part in ast.walk(n.iter))]
        return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}

    def _set(self, statement: ast.stmt, group: ast.expr, value: str) -> None:
        start, end = self.source.start(statement), self.source.end(statement)
        text = f"{self.imports.name('_set_learning_rate')}({self.written(group)}, {value})"
        self.edits.take(start, end)
        self.edits.add(start, end, text)


def _is_groups(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "param_groups"
