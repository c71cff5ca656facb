"""The import statements of a file: the names that they bind, and the replacement of torch's imports."""

from __future__ import annotations

import ast
import re
from pathlib import PurePath

from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.helper_modules import files, import_lines
from sporax._src.migrate.source.left_imports import FALLBACK, localized
from sporax._src.migrate.source.nodes import parse, walk
from sporax._src.migrate.source.passes.names import Names
from sporax._src.migrate.source.program import module_name
from sporax._src.migrate.source.scopes import Binding, Class, is_of_torch
from sporax._src.migrate.torch_map.names import canonical, is_namespace, public_names
from sporax._src.migrate.torch_map.rows import MODULE


class ImportStatements(Pass):
    """Replaces the imports of torch by those of MindSpore.

    Args:
        context: The shared state of the passes.
        names: Converts names of torch.
    """

    def __init__(self, context: Context, names: Names) -> None:
        super().__init__(context)
        self._reference = names.reference
        self._starred: dict[str, str] = {}  # names of torch that come by `import *` from another file
        self._exports: dict[int, list[str]] = {}  # lines that define exported names, by the import that had them
        self._aliases: list[ast.Assign] = []  # assignments that give modules of torch other names
        self._removed: list[ast.Import | ast.ImportFrom] = []  # imports of torch

    def write(self) -> None:
        """Write the used new imports in place of torch's first import, and remove unused imports."""
        for alias in self._aliases if not self.context.diagnostics.leaves_torch else ():
            self.take_out(alias)
        defined = [line for lines in self._exports.values() for line in lines]
        used = set(re.findall(r"\w+", "\n".join([self.source.edited(self.edits), *defined])))
        self._import_helpers([name for name in self.imports.helpers if name in used])
        block = self.imports.text(used)
        body = self.source.tree.body
        top = [node for node in self._removed if node in body]
        read = (
            self._read_names() if self.context.diagnostics.leaves_torch else set()
        )  # what is left to do may still read torch
        read -= set(re.findall(r"\w+(?=,|$)", block, re.MULTILINE))
        block = "\n".join(
            [*(_import_of(name, self._starred[name]) for name in sorted(read & self._starred.keys())), block]
        )
        for node in self._removed:
            start, end = self.source.start(node), self.source.end(node)
            lines = [self._remaining_import(node, read), block if top and node is top[0] else ""]
            lines += self._exports.get(id(node), [])
            if text := f"\n{self.source.indentation(start)}".join(line for line in lines if line).rstrip("\n"):
                self.edits.add(start, end, text)
            else:
                self.take_out(node)
        if block and not top:
            at = self._after_imports(body[0])
            self.edits.add(at, at, f"{block}\n")

    def localize(self) -> None:
        """Import names of torch only where converted code still needs them, so that the file imports without torch."""
        result, options = self.context.diagnostics.result, self.context.options
        exported = self.context.program.imported.get(module_name(PurePath(self.source.path)), ())
        (helper,) = import_lines([FALLBACK], options.helpers)
        done = localized(result.text, self._is_replaced, exported, helper)
        result.text, result.lines = done.text, [result.lines[number - 1] for number in done.numbers]
        if done.has_fallback:
            result.helpers = [*result.helpers, FALLBACK]
            result.files = files(result.helpers, options.target)

    def take_out(self, statement: ast.stmt) -> None:
        """Remove a statement, and its line if nothing else is on it."""
        start, end = self.source.start(statement), self.source.end(statement)
        line, after = self.source.lines(statement)
        rest = self.source.data[end:after].strip()
        is_whole = statement in self.source.tree.body and line == start and (not rest or rest.startswith(b"#"))
        self.edits.add(start, after if is_whole else end, "" if is_whole else "pass")

    def _read_names(self) -> set[str]:
        """Return the names that the converted text has outside of comments and strings."""
        tree = parse(self.source.edited(self.edits))
        return {node.id for node in walk(tree) if isinstance(node, ast.Name)}

    def _remaining_import(self, node: ast.Import | ast.ImportFrom, read: set[str]) -> str:
        """Return the import of those names that are still read, and of those that are not torch's."""
        is_of_torch = isinstance(node, ast.ImportFrom)
        names = [
            a
            for a in node.names
            if (a.asname or a.name.split(".")[0]) in read
            or (read and a.name == "*")
            or not (is_of_torch or self._is_replaced(a.name))
        ]
        if len(names) == len(node.names):
            return self.source.text(node)
        before = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
        return f"{before}import {', '.join(map(ast.unparse, names))}" if names else ""

    def _import_helpers(self, names: list[str]) -> None:
        """Import helpers from their modules."""
        self.context.diagnostics.result.helpers = names
        self.context.diagnostics.result.files = files(names, self.context.options.target)
        self.imports.lines |= dict.fromkeys(import_lines(names, self.context.options.helpers))

    def _after_imports(self, first: ast.stmt) -> int:
        """Return the end of the lines of imports (and of the docstring) of which the first is given."""
        end, _ = self.source.lines(first)
        for statement in self.source.tree.body[self.source.tree.body.index(first) :]:
            is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not is_docstring and not isinstance(statement, (ast.Import, ast.ImportFrom)):
                break
            _, end = self.source.lines(statement)
        return end

    def visit_Import(self, node: ast.Import) -> str:
        self.bind(node)
        if any(self._is_replaced(alias.name) for alias in node.names):
            self._removed.append(node)
        return ""

    def visit_Assign(self, node: ast.Assign) -> str | None:
        """Let names stand for modules of torch as an import does (`F = torch.nn.functional`)."""
        pairs = [pair for target in node.targets for pair in _pairs(target, node.value)]
        paths = [canonical(self.scopes.path(value)) for _, value in pairs]
        names = [target.id for target, _ in pairs if isinstance(target, ast.Name)]
        if len(names) < len(pairs) or not all(map(is_namespace, paths)):
            return None
        for name, path in zip(names, paths, strict=True):
            self.scopes.bind(name, Binding(path))
        exported = self.context.program.imported.get(module_name(PurePath(self.source.path)), ())
        if shared := [(name, path) for name, path in zip(names, paths, strict=True) if name in exported]:
            name, path = shared[0]
            self.context.refuse(
                node, f"other files read {name} from here; write `import {path} as {name}` in each of them"
            )
            return ""
        self._aliases.append(node)
        return ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> str:
        self.bind(node)
        if self._is_replaced(node.module or "") and not node.level:
            self._pass_on(node)
            self._removed.append(node)
        return ""

    def _pass_on(self, node: ast.ImportFrom) -> None:
        """Define the names of an import that other files import from this file."""
        exported = self.context.program.imported.get(module_name(PurePath(self.source.path)), ())
        for alias in node.names if not (self.position.functions or self.position.classes) else ():
            name = alias.asname or alias.name
            if name in exported:
                before = len(self.context.diagnostics.result.todo)
                self._reference(alias, f"{node.module}.{alias.name}")
                assignment = f"{name} = {self.rewriter.take(alias)}"
                is_left = len(self.context.diagnostics.result.todo) > before
                line = f"from {node.module} import {ast.unparse(alias)}" if is_left else assignment
                self._exports.setdefault(id(node), []).append(line)

    def bind(self, node: ast.Import | ast.ImportFrom) -> None:
        """Bind the names that a statement imports."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                path = alias.name if alias.asname else name
                self.scopes.bind(name, Binding("" if self._is_own(path) else path))
            return
        module = node.module or ""
        self._starred |= self.context.program.star_imports(node)
        for name, path in self.context.program.star_imports(node).items():
            self.scopes.bind(name, Binding(path))
        for alias in node.names:
            if node.level or not self._is_replaced(module):
                path = "" if node.level or self._is_own(module) else f"{module}.{alias.name}"
                self._bind_imported(alias, path, "" if module else "module")
            elif alias.name == "*":
                for name in public_names(module):
                    self.scopes.bind(name, Binding(f"{module}.{name}"))
            else:
                self.scopes.bind(alias.asname or alias.name, Binding(f"{module}.{alias.name}"))

    def _is_own(self, module: str) -> bool:
        return module.split(".")[0] in self.context.program.packages

    def _is_replaced(self, module: str) -> bool:
        return is_of_torch(module) and not self._is_own(module)

    def _bind_imported(self, alias: ast.alias, path: str, kind: str) -> None:
        """Bind what comes from another file of the program."""
        name = alias.asname or alias.name
        if alias.name in self.context.program.modules:
            self.scopes.classes[name] = Class(name, [MODULE])
            self.scopes.bind(name, Binding(kind=f"type:class:{name}"))
        else:
            self.scopes.bind(name, Binding(path, kind))


def _import_of(name: str, path: str) -> str:
    """Return the import that binds a name to the object of a dotted name of torch."""
    module, _, last = path.rpartition(".")
    return f"from {module} import {last} as {name}" if module else f"import {path}"


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return the targets of an assignment, each with what is assigned to it."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [*zip(target.elts, value.elts, strict=True)]
    return [(target, value)]
