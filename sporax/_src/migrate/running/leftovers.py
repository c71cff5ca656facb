"""Code that the converter left: it raises an error with the converter's reason when it runs, and not before.

The converted text has a comment above each statement with code that is left. If names of torch are left in such a statement, they
become `Unconverted` objects, so that only their use is an error. Any other such statement raises the error itself.

The program may never need what an imported module defines. So a statement in the body of such a module does not raise, also if
it calls a function that does: the name that it defines becomes an `Unconverted` object, or the statement is skipped with a warning.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from sporax._src.migrate.running.stand_in import COMPANION, is_there, roots
from sporax._src.migrate.source.diagnostics import MARK
from sporax._src.migrate.torch_map.names import canonical, is_namespace

_CAUGHT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_SKIPPED = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)
_UNCONVERTED, _STAND_IN = "__sporax_unconverted__", "__sporax_torch__"
_IMPORTS = "; ".join(
    f"import sporax._src.migrate.running.{module} as {name}"
    for module, name in (("unconverted", _UNCONVERTED), ("stand_in", _STAND_IN))
)


def make_raise(tree: ast.Module, text: str, is_main: bool) -> ast.Module:
    """Return the tree of a converted text in which what is left raises errors.

    Args:
        tree: The tree; it is changed.
        text: The converted text, with the comments of the converter.
        is_main: Whether the module is the program itself, whose statements all have to run.
    """
    leftovers = _Leftovers(tree, _reasons(text), is_main)
    leftovers.generic_visit(tree)
    if not is_main:
        tree.body = [*map(_guarded, tree.body)]
    if leftovers.has_changed or not is_main:
        at = next((i for i, node in enumerate(tree.body) if not _comes_first(node)), len(tree.body))
        tree.body[at:at] = ast.parse(_IMPORTS).body
    return ast.fix_missing_locations(tree)


def _guarded(node: ast.stmt) -> ast.stmt:
    """Return a statement of an imported module that calls a function, so that code that is left does not end the import."""
    if isinstance(node, ast.If):
        node.body, node.orelse = [*map(_guarded, node.body)], [*map(_guarded, node.orelse)]
        return node
    calls = any(isinstance(part, ast.Call) for part in _header(node)) or getattr(node, "decorator_list", None)
    names = _defines(node)
    if not calls or (not names and not isinstance(node, ast.Expr)):
        return node
    text = ast.Call(ast.Name("str", ast.Load()), [ast.Name("_fault", ast.Load())], [])
    instead = [_assign(name, _call(_UNCONVERTED, "Unconverted", ast.Constant(name), text)) for name in names]
    skip = ast.Expr(_call(_UNCONVERTED, "skip", text))
    error = ast.Attribute(ast.Name(_UNCONVERTED, ast.Load()), "NotConverted", ast.Load())
    handler = ast.ExceptHandler(error, "_fault", [*instead] or [skip])
    return ast.copy_location(ast.Try([node], [handler], [], []), node)


def _defines(node: ast.stmt) -> list[str]:
    """Return the names that a definition or an assignment to names defines."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return names if len(names) == len(targets) else []


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _comes_first(node: ast.stmt) -> bool:
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _reasons(text: str) -> dict[int, list[str]]:
    """Return the reasons in the comments of the converter, by the number of the line below them."""
    reasons: dict[int, list[str]] = {}
    above: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(MARK):
            reason = line.lstrip().removeprefix(MARK)
            above += [reason] if COMPANION in roots() or not reason.startswith(f"{COMPANION}.") else []
        elif above:
            reasons[number] = above
            above = []
    return reasons


def _names_of_torch(tree: ast.Module) -> dict[str, str]:
    """Return the names that the imports of torch in a tree bind, with what they stand for."""
    names = {}
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in imports:
        for alias in node.names:
            path = alias.name if isinstance(node, ast.Import) else f"{node.module}.{alias.name}"
            if _is_of_torch(path) and not getattr(node, "level", 0):
                is_whole = isinstance(node, ast.Import) and not alias.asname
                name = alias.asname or alias.name
                names[name.partition(".")[0]] = path.partition(".")[0] if is_whole else path
    return names


def _is_of_torch(path: str) -> bool:
    return path.partition(".")[0] in roots()


def _header(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without the statements in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            yield child
            yield from _header(child)


def _call(module: str, function: str, *arguments: ast.expr | str) -> ast.Call:
    name = ast.Attribute(ast.Name(module, ast.Load()), function, ast.Load())
    return ast.Call(name, [ast.Constant(one) if isinstance(one, str) else one for one in arguments], [])


class _Leftovers(ast.NodeTransformer):
    def __init__(self, tree: ast.Module, reasons: dict[int, list[str]], is_main: bool) -> None:
        self._names, self._reasons, self._is_main = _names_of_torch(tree), reasons, is_main
        self._here: list[str] = []  # the reasons of the visited statement
        self._in_function = self._in_guarded_import = False
        self.has_changed = False

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt] | None:
        """Visit a node; a statement may become several."""
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        first = min([node.lineno, *(part.lineno for part in getattr(node, "decorator_list", ()))])
        outside, self._here = self._here, self._reasons.get(first, [])
        try:
            result = self._left(node) if self._here else super().visit(node)
        finally:
            self._here = outside
        for new in result if isinstance(result, list) else [result]:
            if new is not None and new is not node:
                self.has_changed = True
                ast.copy_location(new, node)
        return result

    def _left(self, node: ast.stmt) -> ast.AST | list[ast.stmt] | None:
        """Return what becomes of a statement with code that is left."""
        reason = "; ".join(self._here)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return super().visit(node)
        decorators = [part for one in getattr(node, "decorator_list", ()) for part in ast.walk(one)]
        others = "; ".join(self._not_named(node))
        is_definition = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        is_lost = any(map(self._path, decorators)) or (isinstance(node, ast.ClassDef) and bool(others))
        runs = self._in_function or self._is_main
        if (names := _defines(node)) and (is_lost if is_definition else not runs):
            return [_assign(name, _call(_UNCONVERTED, "Unconverted", name, reason)) for name in names]
        if not runs and isinstance(node, _SKIPPED):
            return ast.Expr(_call(_UNCONVERTED, "skip", reason))
        result = super().visit(node)
        refusal: list[ast.stmt] = [ast.Expr(_call(_UNCONVERTED, "refuse", others))] if others else []
        if isinstance(result, (ast.FunctionDef, ast.AsyncFunctionDef)):
            result.body[:0] = refusal
            return result
        return [*refusal, result] if refusal and isinstance(result, ast.stmt) else result

    def _not_named(self, node: ast.stmt) -> list[str]:
        """Return the reasons that are about something else than a name of torch that is left in the statement."""
        paths = {path for part in _header(node) if (path := self._path(part))}
        starts = tuple(f"{name}{end}" for path in paths for name in (path, canonical(path)) for end in (":", " "))
        return [reason for reason in self._here if not reason.startswith(starts)]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Visit a function."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Visit a function."""
        return self._function(node)

    def _function(self, node: ast.AST) -> ast.AST:
        """Visit the body of a function, whose statements raise when it runs."""
        outside, self._in_function = self._in_function, True
        guarded, self._in_guarded_import = self._in_guarded_import, False
        try:
            return self.generic_visit(node)
        finally:
            self._in_function, self._in_guarded_import = outside, guarded

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """Visit a statement that may handle an import that fails."""
        caught = {
            part.id for one in node.handlers if one.type for part in ast.walk(one.type) if isinstance(part, ast.Name)
        }
        outside = self._in_guarded_import
        self._in_guarded_import = bool(caught & _CAUGHT) or any(one.type is None for one in node.handlers)
        node.body = self._block(node.body)
        self._in_guarded_import = outside
        for handler in node.handlers:
            self.visit(handler)
        node.orelse, node.finalbody = self._block(node.orelse), self._block(node.finalbody)
        return node

    def _block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        holder = ast.Module(block, [])
        self.generic_visit(holder)
        return holder.body

    def visit_Import(self, node: ast.Import) -> list[ast.stmt] | ast.Import:
        """Bind the names of torch to stand-ins, without an entry in `sys.modules`."""
        ours = [alias for alias in node.names if _is_of_torch(alias.name)]
        others = [alias for alias in node.names if alias not in ours]
        if not ours:
            return node
        if self._in_guarded_import and (fault := self._import_error([alias.name for alias in ours])):
            return [fault]
        tops = [alias.name.partition(".")[0] for alias in ours]
        bound = [(one.asname or top, one.name if one.asname else top) for one, top in zip(ours, tops, strict=True)]
        return [*([ast.Import(others)] if others else []), *(self._bind(name, path) for name, path in bound)]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt] | ast.ImportFrom:
        """Bind the names that are imported from torch to what they stand for."""
        if node.level or not _is_of_torch(node.module or ""):
            return node
        bound = [
            (alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names if alias.name != "*"
        ]
        if self._in_guarded_import and (fault := self._import_error([path for _, path in bound])):
            return [fault]
        return [self._bind(name, path) for name, path in bound] or [ast.Pass()]

    def _import_error(self, paths: list[str]) -> ast.Raise | None:
        """Return the error of an import that the program handles, if a name of torch has no counterpart."""
        missing = [path for path in paths if not is_there(path)]
        text = f"cannot import {', '.join(missing)}: sporax has no counterpart of it"
        error = ast.Call(ast.Name("ImportError", ast.Load()), [ast.Constant(text)], [])
        return ast.Raise(error, None) if missing else None

    def _bind(self, name: str, path: str) -> ast.stmt:
        if is_there(path):
            value = _call(_STAND_IN, "named", path)
        else:
            reasons = [reason for reason in self._here if reason.startswith(path)]
            value = _call(_UNCONVERTED, "Unconverted", path, (reasons or [f"{path} has no counterpart"])[0])
        return _assign(name, value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace a dotted name of torch that is left."""
        return (isinstance(node.ctx, ast.Load) and self._named(node)) or self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace a name that is imported from torch and left."""
        return (isinstance(node.ctx, ast.Load) and self._named(node)) or node

    def _named(self, node: ast.expr) -> ast.AST | None:
        path = self._path(node)
        if not self._here or not path or path in roots() or is_namespace(path):
            return None
        self.has_changed = True
        reasons = [reason for reason in self._here if reason.startswith(path)]
        new = _call(_UNCONVERTED, "Unconverted", path, (reasons or self._here)[0])
        return ast.copy_location(new, node)

    def _path(self, node: ast.AST) -> str:
        """Return the dotted name of torch that an expression is, "" for other expressions."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id, "")
        owner = self._path(node.value) if isinstance(node, ast.Attribute) else ""
        return f"{owner}.{node.attr}" if owner and isinstance(node, ast.Attribute) else ""
