"""sporax's own passes over a function's syntax tree, before and after AutoGraph's.

Before: statements that AutoGraph does not support are replaced by supported ones. After: code that may use a traced
value or make a change that another path must not see (comparisons, strings, items, attributes) becomes a call of an
operator.
"""

from __future__ import annotations

import ast
import copy
import re
from typing import Any


def _call(operator: str, *parts: ast.expr) -> ast.expr:
    """Return the call `ag__.operator(...)`."""
    return ast.Call(ast.Attribute(ast.Name("ag__", ast.Load()), operator, ast.Load()), list(parts), [])


def _parsed(code: str) -> ast.stmt:
    return ast.parse(code).body[0]


def known_conditions(source: str) -> dict[int, bool]:
    """Return the lines that end in the comment `@jit.cond: True` or `False`, each with that value."""
    matches = {n: _CONDITION.search(line) for n, line in enumerate(source.splitlines(), 1)}
    return {n: match[1] == "True" for n, match in matches.items() if match}


_CONDITION = re.compile(r"#\s*@jit\.cond:\s*(True|False)\s*$")


class Before(ast.NodeTransformer):
    """Simplifies statements: `assert`, `match`, `try`, private names, functions that may end without `return`.

    Args:
        owner: The class whose body contains the function, for names such as `self.__x`.
        known: The lines of `if` statements whose condition a comment states.
    """

    def __init__(self, owner: str | None, known: dict[int, bool] | None = None) -> None:
        self._owner = owner and owner.lstrip("_")
        self._known = known or {}
        self._matches = 0

    def visit(self, node: ast.AST) -> Any:
        """Visit a node; its replacement has the node's location in the source."""
        new = super().visit(node)
        for part in new if isinstance(new, list) else [new]:
            if part is not node and isinstance(part, (ast.stmt, ast.expr)):
                ast.fix_missing_locations(ast.copy_location(part, node))
        return new

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        """`assert test, text` is `if not test: raise AssertionError(text)`."""
        self.generic_visit(node)
        error = ast.Call(ast.Name("AssertionError", ast.Load()), [node.msg] if node.msg else [], [])
        return ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Raise(error, None)], [])

    def visit_If(self, node: ast.If) -> ast.stmt:
        """`if test:  # @jit.cond: True` is `if True:`."""
        self.generic_visit(node)
        if node.lineno in self._known:
            node.test = ast.copy_location(ast.Constant(self._known[node.lineno]), node.test)
        return node

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        """Handlers must catch errors while the graph is built, and only the program's own errors."""
        self.generic_visit(node)
        if node.handlers:
            body = _parsed("with ag__.handled():\n    pass")
            assert isinstance(body, ast.With)
            body.body = node.body
            node.body = [ast.fix_missing_locations(ast.copy_location(body, node))]
        for handler in node.handlers:
            first = _parsed("ag__.not_ours()")
            handler.body = [ast.fix_missing_locations(ast.copy_location(first, handler)), *handler.body]
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`self.__x` in class `C` is `self._C__x`."""
        self.generic_visit(node)
        if node.attr.startswith("__") and not node.attr.endswith("__") and self._owner:
            node.attr = f"_{self._owner}{node.attr}"
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """A function that returns a value on some paths returns None on the others."""
        self.generic_visit(node)
        if _returns_value(node.body) and not _ends(node.body):
            last = ast.Return(ast.Constant(None))
            node.body.append(ast.fix_missing_locations(ast.copy_location(last, node.body[-1])))
        return node

    def visit_Yield(self, node: ast.AST) -> Any:
        """Generators are left as they are."""
        raise NotImplementedError("generators")

    visit_YieldFrom = visit_Await = visit_Yield

    def visit_While(self, node: ast.While) -> ast.AST:
        """The condition becomes a function, in which `:=` would name a variable of the function."""
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test)):
            raise NotImplementedError(":= in the condition of a loop")
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.expr) -> ast.AST:
        """Operands become functions, in which `:=` would name a variable of the function."""
        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
            raise NotImplementedError(":= in an operand of a condition")
        return self.generic_visit(node)

    visit_IfExp = visit_BoolOp

    # --- match --------------------------------------------------------------------------------------------------------

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        """`match` on values and classes is a chain of `if`."""
        self.generic_visit(node)
        self._matches += 1
        subject = f"match_subject_{self._matches}"
        chain: list[ast.stmt] = []
        for case in reversed(node.cases):
            test, bound = _pattern(case.pattern, subject)
            body = [*bound, *case.body]
            if case.guard is not None:
                if bound:
                    raise NotImplementedError("a guard on a name that the pattern binds")
                test = ast.BoolOp(ast.And(), [test, case.guard])
            chain = [ast.If(test, body, chain)]
        return [ast.Assign([ast.Name(subject, ast.Store())], node.subject), *chain]


def _pattern(pattern: ast.pattern, subject: str) -> tuple[ast.expr, list[ast.stmt]]:
    """Return the condition of a pattern and its assignments."""
    name = ast.Name(subject, ast.Load())
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(name, [ast.Eq()], [pattern.value]), []
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(name, [ast.Is()], [ast.Constant(pattern.value)]), []
    if isinstance(pattern, ast.MatchOr):
        parts = [_pattern(p, subject) for p in pattern.patterns]
        if not any(bound for _, bound in parts):
            return ast.BoolOp(ast.Or(), [test for test, _ in parts]), []
    if isinstance(pattern, ast.MatchClass) and not pattern.patterns and not pattern.kwd_patterns:
        return ast.Call(ast.Name("isinstance", ast.Load()), [name, pattern.cls], []), []
    if isinstance(pattern, ast.MatchAs):
        test, bound = (ast.Constant(True), []) if pattern.pattern is None else _pattern(pattern.pattern, subject)
        if pattern.name:
            bound = [*bound, ast.Assign([ast.Name(pattern.name, ast.Store())], name)]
        return test, bound
    raise NotImplementedError("a pattern that destructures a value")


def _returns_value(body: list[ast.stmt]) -> bool:
    """Return whether a `return` with a value belongs to this body, not to a function in it."""
    for node in body:
        if isinstance(node, ast.Return):
            if node.value is not None:
                return True
        elif not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            blocks = [*(getattr(node, name, []) for name in ("body", "orelse", "finalbody"))]
            blocks += [h.body for h in getattr(node, "handlers", [])]
            if any(map(_returns_value, blocks)):
                return True
    return False


def _ends(body: list[ast.stmt]) -> bool:
    """Return whether the end of a body cannot be reached."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.With):
        return _ends(last.body)
    if isinstance(last, ast.Try):
        return _ends(last.finalbody) or (
            (_ends(last.body) or _ends(last.orelse)) and all(_ends(h.body) for h in last.handlers)
        )
    return isinstance(last, (ast.Return, ast.Raise))


class After(ast.NodeTransformer):
    """Replaces comparisons, strings, items and attributes by calls of operators."""

    def __init__(self) -> None:
        self._assigned = 0

    def visit_Compare(self, node: ast.Compare) -> Any:
        """`a < b < c`, `a in b`."""
        self.generic_visit(node)
        if len(node.ops) == 1 and not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return node
        parts = [node.left]
        for op, operand in zip(node.ops, node.comparators, strict=True):
            parts += [ast.Constant(type(op).__name__), _thunk(operand)]
        return _call("compare", *parts)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        """An f-string."""
        parts: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                spec = ast.Constant("") if value.format_spec is None else self.visit(value.format_spec)
                shown = [self.visit(value.value), ast.Constant(max(value.conversion, 0)), spec]
                parts.append(ast.Tuple(shown, ast.Load()))
            else:
                parts.append(value)
        return _call("joined", *parts)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """`"..." % values`."""
        self.generic_visit(node)
        is_text = (
            isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        )
        return _call("percent", node.left, node.right) if is_text else node

    # --- items and attributes -----------------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """`target.name`."""
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or _is_generated(node):
            return node
        return _call("get_attr", node.value, ast.Constant(node.attr))

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """`target[index]`."""
        self.generic_visit(node)
        return _call("get_item", node.value, _index(node)) if isinstance(node.ctx, ast.Load) else node

    def visit_Assign(self, node: ast.Assign) -> Any:
        """`target[index] = value`, `target.name = value`, also among several targets."""
        self.generic_visit(node)
        if all(isinstance(t, ast.Name) for t in node.targets):
            return node
        if len(node.targets) == 1 and not isinstance(node.targets[0], (ast.Tuple, ast.List)):
            return _assignment(node.targets[0], node.value)
        after: list[ast.stmt] = []
        node.targets = [self._named(t, after) for t in node.targets]
        return [node, *after]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """`target.name: type = value`."""
        if isinstance(node.target, ast.Name) or node.value is None:
            return self.generic_visit(node)
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def _named(self, target: ast.expr, after: list[ast.stmt]) -> ast.expr:
        """Return a target in which names replace items and attributes; `after` assigns these."""
        if isinstance(target, (ast.Tuple, ast.List)):
            target.elts = [self._named(t, after) for t in target.elts]
        elif isinstance(target, ast.Starred):
            target.value = self._named(target.value, after)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            self._assigned += 1
            name = f"assigned_{self._assigned}__"
            after += _assignment(target, ast.Name(name, ast.Load()))
            return ast.Name(name, ast.Store())
        return target

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """`target += value`."""
        self.generic_visit(node)
        symbol, target, value = ast.Constant(type(node.op).__name__), node.target, _thunk(node.value)
        if isinstance(target, ast.Name):
            return ast.Assign([target], _call("augmented", _loaded(target), symbol, node.value))
        if isinstance(target, ast.Subscript):
            owner, indices = _path(target)
            return ast.Expr(_call("update_item", owner, indices, symbol, value))
        return ast.Expr(_call("update_attr", _loaded(target.value), ast.Constant(target.attr), symbol, value))

    def visit_Delete(self, node: ast.Delete) -> Any:
        """`del target[index]`, `del target.name`."""
        self.generic_visit(node)
        out: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                out.append(ast.Expr(_call("del_item", _loaded(target.value), _index(target))))
            elif isinstance(target, ast.Attribute):
                out.append(ast.Expr(_call("del_attr", _loaded(target.value), ast.Constant(target.attr))))
            else:
                out.append(ast.Delete([target]))
        return out


def _thunk(value: ast.expr) -> ast.expr:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)


def _loaded(value: ast.expr) -> ast.expr:
    """Return a target expression as one in load context."""
    value = copy.copy(value)
    if isinstance(value, (ast.Attribute, ast.List, ast.Name, ast.Starred, ast.Subscript, ast.Tuple)):
        value.ctx = ast.Load()
    return value


def _index(node: ast.Subscript) -> ast.expr:
    """Return the index of a subscript as an expression."""

    def of(part: ast.expr) -> ast.expr:
        if isinstance(part, ast.Slice):
            bounds = [bound or ast.Constant(None) for bound in (part.lower, part.upper, part.step)]
            return ast.Call(ast.Name("slice", ast.Load()), bounds, [])
        return ast.Tuple([of(e) for e in part.elts], ast.Load()) if isinstance(part, ast.Tuple) else part

    return of(node.slice)


def _path(target: ast.Subscript) -> tuple[ast.expr, ast.expr]:
    """Return the base of `target[i][j]`, and the tuple (i, j)."""
    owner, indices = _loaded(target.value), [_index(target)]
    while isinstance(owner, ast.Call) and ast.unparse(owner.func) == "ag__.get_item":
        owner, index = owner.args
        indices.insert(0, index)
    return owner, ast.Tuple(indices, ast.Load())


def _is_generated(node: ast.expr) -> bool:
    """Return whether an attribute belongs to AutoGraph's own objects."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and (
        node.id == "ag__" or node.id.startswith(("fscope", "lscope", "function_context"))
    )


def _assignment(target: ast.expr, value: ast.expr) -> list[ast.stmt]:
    if isinstance(target, ast.Subscript):
        return [ast.Expr(_call("set_item", *_path(target), value))]
    assert isinstance(target, ast.Attribute)
    return [ast.Expr(_call("set_attr", _loaded(target.value), ast.Constant(target.attr), value))]
