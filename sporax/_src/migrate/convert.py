"""One file of torch as one of MindSpore: each name, attribute and call by its row of the map; all else as it stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from sporax._src.migrate import calls
from sporax._src.migrate.dataflow import method_call
from sporax._src.migrate.gradients import AUTOGRAD, SIMPLE, Gradients
from sporax._src.migrate.helpers import definitions
from sporax._src.migrate.imports import Imports
from sporax._src.migrate.rows import MODULE, TENSOR, Row, table
from sporax._src.migrate.scopes import WHOLE, Binding, Class, is_of_torch, own_methods, owner_of, trains
from sporax._src.migrate.source import Source
from sporax._src.migrate.torch_names import canonical, namespaces, public_names
from sporax._src.migrate.training import BACKWARD, first_argument
from sporax._src.migrate.views import Views, is_name, is_write
from sporax._src.migrate.walk import NDARRAY
from sporax._src.migrate.writer import Converted, Writer

ANYTHING = "object"  # rows of methods that Tensors and Modules both have, for objects of which no kind is known


def convert(
    text: str, path: str = "<source>", target: str = "mint", modules: Collection[str] = frozenset()
) -> Converted:
    """Return a file's text with MindSpore in the place of torch.

    Args:
        text: The file.
        path: Its name, for messages.
        target: "mint" (`mindspore.mint`, called as torch is) or "classic" (`nn` and `ops`).
        modules: The names of other files' classes that are `torch.nn.Module`s (see `module_classes`).

    Raises:
        SyntaxError: If the file is not Python.
    """
    source = Source(text, path)
    if not any(is_of_torch(name) or name in modules for name in _imported(source.tree)):
        return Converted(text)
    return _Converter(source, target, modules).run()


def _imported(tree: ast.AST) -> Iterator[str]:
    """Give the names of the modules that a file imports, and of what it imports from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (alias.name for alias in node.names)


def module_classes(trees: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names of the classes in some files that are derived from `torch.nn.Module`, over any number of files."""
    bases = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    layers = {name.rpartition(".")[2] for name in table() if name.startswith("torch.nn.") and name.count(".") == 2}
    found = {"Module", *(name for name in layers if name[:1].isupper() and name != "Parameter")}
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return frozenset(found & bases.keys())


class _Converter(Writer):
    def __init__(self, source: Source, target: str, modules: Collection[str]) -> None:
        super().__init__(source)
        self.modules = modules
        self.target = target
        self.imports = Imports(source.tree)
        self.removed: list[ast.stmt] = []  # imports of torch
        self.own_methods = own_methods(source.tree)
        self.asks_kind = False  # whether a name of a class is asked of, not called
        self.gradients = Gradients(self)
        self.views = Views(self)
        self.how = calls.Rendering(source, self.taken, self.imports.name, target)

    # --- the whole file -----------------------------------------------------------------------------------------------

    def run(self) -> Converted:
        self.visit(self.source.tree)
        self.write_marks()
        used = set(re.findall(r"\w+", self.source.edited(self.edits)))
        self._write_imports(used)
        self.result.text = self.source.edited(self.edits)
        ast.parse(self.result.text)  # what is written is Python, or nothing is
        return self.result

    def end_block(self, block: list[ast.stmt]) -> None:
        """Rewrite the gradients that are taken in a block."""
        self.gradients.block(block)

    def _write_imports(self, used: set[str]) -> None:
        """Put the new imports, as far as they are used, in the place of torch's first, and take the others out."""
        helpers, names = definitions([name for name in self.imports.helpers if name in used], self.imports)
        block = self.imports.text(used | names)
        body = self.source.tree.body
        top = [node for node in self.removed if node in body]
        for node in self.removed:
            start, end = self.source.start(node), self.source.end(node)
            if self.left:  # what is left to do still reads torch
                if top and node is top[0]:
                    self.edits.add(end, end, f"\n{block}".rstrip("\n"))
            elif top and node is top[0]:
                self.edits.add(start, end, block.rstrip("\n"))
            elif node not in body:
                self.edits.add(start, end, "pass")
            else:
                line, after = self.source.lines(node)
                if line == start and not self.source.data[end:after].strip():
                    self.edits.add(start, after, "")
                else:
                    self.edits.add(start, end, "pass")
        if block and not top:
            at = self._after_imports(body[0])
            self.edits.add(at, at, f"{block}\n")
        if helpers:
            at = self._after_imports(top[0] if top else body[0])
            self.edits.add(at, at, f"\n\n{helpers}\n\n")

    def _after_imports(self, first: ast.stmt) -> int:
        """Return the end of the lines of imports (and of the docstring) of which the first is given."""
        end, _ = self.source.lines(first)
        for statement in self.source.tree.body[self.source.tree.body.index(first) :]:
            is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not is_docstring and not isinstance(statement, (ast.Import, ast.ImportFrom)):
                break
            _, end = self.source.lines(statement)
        return end

    # --- imports ------------------------------------------------------------------------------------------------------

    def visit_Import(self, node: ast.Import) -> str:
        ours = [alias for alias in node.names if is_of_torch(alias.name)]
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            self.scopes.bind(name, Binding(alias.name if alias.asname else name))
        if ours and len(ours) == len(node.names):
            self.removed.append(node)
        elif ours:
            others = ", ".join(ast.unparse(alias) for alias in node.names if alias not in ours)
            self.edits.add(self.source.start(node), self.source.end(node), f"import {others}")
        return ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> str:
        module = node.module or ""
        if not is_of_torch(module) or node.level:
            for alias in node.names:
                self._bind_imported(alias, "" if node.level else f"{module}.{alias.name}")
            return ""
        for alias in node.names:
            if alias.name == "*":
                for name in public_names(module):
                    self.scopes.bind(name, Binding(f"{module}.{name}"))
            else:
                self.scopes.bind(alias.asname or alias.name, Binding(f"{module}.{alias.name}"))
        self.removed.append(node)
        return ""

    def _bind_imported(self, alias: ast.alias, path: str) -> None:
        """Bind what comes from another file of the program."""
        name = alias.asname or alias.name
        if alias.name in self.modules:
            self.scopes.classes[name] = Class(name, [MODULE])
            self.scopes.bind(name, Binding(kind=f"type:class:{name}"))
        else:
            self.scopes.bind(name, Binding(path))

    # --- definitions --------------------------------------------------------------------------------------------------

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        for decorator in node.decorator_list:
            self.visit(decorator)
        for base in [*node.bases, *[k.value for k in node.keywords]]:
            self.visit(base)
        info = Class(node.name, [self._class_kind(base) for base in node.bases])
        self.scopes.classes[node.name] = info
        self.scopes.bind(node.name, Binding(kind=f"type:class:{node.name}"))
        self.classes.append(info)
        with self.scope():
            self.visit_block(node.body)
        self.classes.pop()
        return ""

    def _class_kind(self, base: ast.expr) -> str:
        path = self.scopes.path(base)
        if path.rpartition(".")[2] in self.modules:
            return MODULE
        if path:
            return canonical(path)
        kind = self.kind_of(base)
        return kind.removeprefix("type:") if kind.startswith("type:") else ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        for decorator in node.decorator_list:
            self.visit(decorator)
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *[a for a in (args.vararg, args.kwarg) if a]]
        for value in sorted([d for d in [*args.defaults, *args.kw_defaults] if d], key=self.source.start):
            self.visit(value)
        for annotation in [a.annotation for a in every if a.annotation] + ([node.returns] if node.returns else []):
            self.visit(annotation)
        owner = self.classes[-1] if self.classes and not self.functions else None
        if owner is not None and self.scopes.is_module(f"class:{owner.name}"):
            self._method_of_module(node)
        with self.scope():
            for i, argument in enumerate(every):
                kind = self.scopes.annotated(argument.annotation)
                if owner is not None and i == 0:
                    kind = f"class:{owner.name}"
                elif not kind and owner is not None and node.name == "forward":
                    kind = "" if argument in args.kwonlyargs else TENSOR
                self.scopes.bind(argument.arg, Binding(kind=kind))
            self.functions.append(node.name)
            self.scope_nodes.append(node)
            self.visit_block(node.body)
            self.scope_nodes.pop()
            self.functions.pop()
        self.scopes.bind(node.name, Binding())
        return ""

    visit_AsyncFunctionDef = visit_FunctionDef

    def _method_of_module(self, node: ast.FunctionDef) -> None:
        """Call the methods of a Cell as MindSpore does."""
        new = {"forward": "construct", "extra_repr": "extend_repr", "train": "set_train"}.get(node.name)
        if new:
            at = self.source.data.index(node.name.encode(), self.source.keyword(node) + len("def "))
            self.edits.add(at, at + len(node.name), new)

    # --- names --------------------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> str:
        binding = self.scopes.find(node.id)
        if binding.path and is_of_torch(binding.path):
            return self.reference(node, binding.path)
        return binding.kind

    def visit_Attribute(self, node: ast.Attribute) -> str:
        path = self.scopes.path(node)
        if path:
            return self.reference(node, path) if is_of_torch(path) else ""
        kind = self.visit(node.value)
        if not isinstance(node.ctx, ast.Load):
            self._store(node, kind)
            return self.scopes.attribute(kind, node.attr)
        for base in self.scopes.bases(kind) or owner_of(node.attr):
            for row in table().get(f"{base}.{node.attr}", ()):
                if row.parameters is None:
                    return self._attribute(node, row)
        return self.scopes.attribute(kind, node.attr)

    def _store(self, node: ast.Attribute, kind: str) -> None:
        """Write into the attribute by the name that it has here."""
        for row in table().get(f"{kind}.{node.attr}", ()):
            name = calls.dotted(row.expression(self.target)).removeprefix("self.")
            if row.parameters is None and name != node.attr and name.isidentifier():
                end = self.source.end(node)
                self.edits.add(end - len(node.attr.encode()), end, name)

    def _attribute(self, node: ast.Attribute, row: Row) -> str:
        if not row.target:
            self.refuse(node, f"{row.name}: {row.missing}")
            return row.result
        self.note(node, row)
        expression = row.expression(self.target)
        if calls.dotted(expression) != f"self.{node.attr}":
            call = ast.Call(node, [], [])
            text = calls.rewritten(calls.Bound(row, {}, [], [], False), call, expression, self.how)
            self.edits.add(self.source.start(node), self.source.end(node), text)
        return row.result

    def reference(self, node: ast.expr, path: str) -> str:
        """Convert a name of torch that is not called."""
        rows = table().get(canonical(path))
        if not rows:
            if canonical(path) not in namespaces():
                self._refuse_unknown(node, canonical(path))
            return ""
        row = next((row for row in rows if row.target), rows[0])
        if not row.target:
            self.refuse(node, f"{row.name}: {row.missing}")
            return ""
        self.note(node, row)
        expression = row.expression(self.target)
        expressions = [(r, r.expression(self.target)) for r in rows if r.target]
        same = [e for r, e in expressions if isinstance(e, ast.Call) and calls.is_same_call(e, r)]
        if row.parameters is None:
            text = calls.rewritten(calls.Bound(row, {}, [], [], False), ast.Call(node, [], []), expression, self.how)
        elif self.asks_kind and not calls.class_made(expression):
            self.refuse(node, f"{row.name} is a function here, no class; ask for something else")
            return ""
        elif self.asks_kind:
            text = self.imports.name(calls.class_made(expression))
        elif same:
            fullest = max(same, key=lambda call: len(call.args) + len(call.keywords))
            text = self.imports.name(calls.dotted(fullest.func))
        else:
            text = calls.function_of(row, expression, self.how)
        self.edits.add(self.source.start(node), self.source.end(node), text)
        return row.result if row.parameters is None else f"type:{row.result}"

    def _refuse_unknown(self, node: ast.expr, name: str) -> None:
        self.refuse(node, f"{name} has no counterpart here; write what it does with mindspore.mint or ops")

    # --- calls --------------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> str:
        path = self.scopes.path(node.func)
        method = node.func if isinstance(node.func, ast.Attribute) and not path else None
        receiver = self.visit(method.value) if method else ""
        arguments = sorted([*node.args, *[k.value for k in node.keywords]], key=self.source.start)
        asks_kind = isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "issubclass")
        for argument in arguments:
            self.asks_kind = asks_kind and argument is not node.args[0]
            self.visit(argument.value if isinstance(argument, ast.Starred) else argument)
        self.asks_kind = False
        if path == AUTOGRAD and isinstance(self.statements[-1], SIMPLE):
            return "tuple"  # converted with its block
        if path == BACKWARD and method_call(node, "backward") and first_argument(node) is not None:
            return "None"  # converted with its block
        if path and is_of_torch(path):
            return self._convert(node, table().get(canonical(path)), canonical(path))
        if path.startswith("numpy."):
            return NDARRAY
        if method is None:
            kind = self.visit(node.func) if not path else ""
            return self._instance(node, kind)
        if not receiver and method.attr in self.own_methods and owner_of(method.attr) and is_name(method.value):
            return self._either(node, method, owner_of(method.attr)[0])
        bases = self.scopes.bases(receiver) or self._owner_of(method.attr)
        if not receiver and not bases and (method.attr not in self.own_methods or _asks_itself(method.attr)):
            bases = [ANYTHING]
        for base in bases:
            rows = table().get(f"{base}.{method.attr}")
            if rows and all(row.parameters is None for row in rows):
                self._attribute(method, rows[0])
                return ""
            if rows and base == TENSOR and is_write(method.attr):
                return self._write(node, rows, f"{base}.{method.attr}")
            if rows:
                kind = self._convert(node, rows, f"{base}.{method.attr}")
                return "" if kind == ANYTHING else kind
        if method.attr == "forward" and self.scopes.is_module(receiver):
            end = self.source.end(method)
            self.edits.add(end - len("forward"), end, "construct")
            return TENSOR
        kind = self.scopes.attribute(receiver, method.attr)
        return TENSOR if self.scopes.is_module(kind) else receiver if receiver == NDARRAY else ""

    def _either(self, node: ast.Call, method: ast.Attribute, owner: str) -> str:
        """Convert a call of a method that a class of the program has too: whose it is, is asked when it runs."""
        name = f"{owner}.{method.attr}"
        own, receiver = self.written(node), self.written(method.value)
        self._convert(node, table()[name], name)
        converted = self.taken(node)
        kind = self.imports.name("nn.Cell" if owner == MODULE else "mindspore.Tensor")
        text = converted if converted == own else f"{converted} if isinstance({receiver}, {kind}) else {own}"
        statement = self.statements[-1]
        is_whole = converted == own or (isinstance(statement, ast.Expr) and statement.value is node)
        self.edits.add(self.source.start(node), self.source.end(node), text if is_whole else f"({text})")
        return ""

    def _write(self, node: ast.Call, rows: list[Row], name: str) -> str:
        """Convert a call that writes into a Tensor."""
        before, behind = self.views.called(node)
        kind = self._convert(node, rows, name)
        if before:
            self.edits.add(self.source.start(node), self.source.start(node), before)
        if behind:
            self.edits.add(self.source.end(node), self.source.end(node), behind)
        return kind

    def _assign(self, target: ast.expr, kind: str, value: ast.expr | None) -> None:
        super()._assign(target, kind, value)
        self.views.assigned(target, value)
        self.views.stored(target)

    def iterated(self, node: ast.For) -> None:
        """Note what a loop over a Tensor gives."""
        self.views.iterated(node.target, node.iter)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> str:
        """Let `~` turn the bits of whole numbers, where MindSpore asks whether they are 0."""
        kind = super().visit_UnaryOp(node)
        if isinstance(node.op, ast.Invert) and TENSOR in self.scopes.bases(kind) and not _is_truth(node.operand):
            start, end = self.source.start(node), self.source.end(node)
            text = self.taken(node.operand)
            self.edits.add(start, end, f"{self.imports.name('mint.bitwise_not')}({text})")
        return kind

    def visit_AugAssign(self, node: ast.AugAssign) -> str:
        super().visit_AugAssign(node)
        self.views.augmented(node)
        return ""

    def _owner_of(self, method: str) -> list[str]:
        """Return the kind that has a method of this name, unless a class of the file's own has one."""
        return [] if method in self.own_methods else owner_of(method)

    def _instance(self, node: ast.Call, kind: str) -> str:
        """Return the kind of what a call of a class or of a module gives."""
        if kind.startswith("type:"):
            made = kind.removeprefix("type:")
            if self.scopes.is_module(made):
                self._set_training(node)
            return made
        if self.scopes.is_module(kind):
            return TENSOR
        if isinstance(node.func, ast.Name) and node.func.id in ("int", "len", "round"):
            return "int"
        if isinstance(node.func, ast.Name) and node.func.id == "super" and self.classes:
            return self.classes[-1].bases[0] if self.classes[-1].bases else ""
        return (
            node.func.id
            if isinstance(node.func, ast.Name) and node.func.id in ("float", "str", "list", "tuple", "dict", "bool")
            else ""
        )

    def _set_training(self, node: ast.Call) -> None:
        """Let a new Cell train, as a new Module does; what belongs to another Cell follows that one."""
        if not any(self.scopes.is_module(f"class:{c.name}") for c in self.classes):
            self.edits.add(self.source.end(node), self.source.end(node), ".set_train()")

    def _convert(self, node: ast.Call, rows: list[Row] | None, name: str) -> str:
        if not rows:
            self._refuse_unknown(node, name)
            return ""
        for row in calls.candidates(rows, node):
            if row.parameters is None:
                continue
            bound = calls.bind(row, node, self.kinds_of)
            if bound is None:
                continue
            self._float(node, bound)
            try:
                edits = calls.edits_of(bound, node, self.how)
            except calls.Refusal as refusal:
                self.refuse(node, str(refusal))
                return row.result
            self.note(node, row)
            for edit in edits:
                if edit.start < edit.end:
                    self.edits.take(edit.start, edit.end)
            for edit in edits:
                self.edits.add(*edit)
            if "out" in bound.given and ast.unparse(bound.given["out"]) != "None" and "out" not in row.target:
                self._assign_out(node, bound.given["out"])
            elif row.result != name or not self.scopes.is_module(row.result):
                return row.result
            elif trains(row.result):
                self._set_training(node)
            return row.result
        self.refuse(node, f"{name} is called in a way that the map does not know: {ast.unparse(node)[:80]}")
        return ""

    def _float(self, node: ast.Call, bound: calls.Bound) -> None:
        """Make floats of the arguments that are known to hold whole numbers, where MindSpore takes floats alone."""
        for name in bound.row.floats:
            value = (
                node.func.value if name == "self" and isinstance(node.func, ast.Attribute) else bound.given.get(name)
            )
            if value is not None and WHOLE in self.kinds_of(value):
                start, end = self.source.start(value), self.source.end(value)
                is_atom = isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
                text = self.taken(value)
                self.edits.add(start, end, f"{text if is_atom else f'({text})'}.float()")

    def _assign_out(self, node: ast.Call, out: ast.expr) -> None:
        """Assign to `out` what the call returns."""
        target = self.source.text(out).strip("()") if isinstance(out, (ast.Tuple, ast.List)) else self.source.text(out)
        statement = self.statements[-1]
        at = self.source.start(node)
        if isinstance(statement, (ast.Assign, ast.Expr)) and statement.value is node:
            self.edits.add(at, at, f"{target} = ")
        elif isinstance(out, ast.Name):
            self.edits.add(at, at, f"({target} := ")
            self.edits.add(self.source.end(node), self.source.end(node), ")")
        else:
            self.refuse(node, f"out={target} within an expression; assign the result in a statement of its own")


_TRUTH = re.compile(
    r"is(nan|inf|finite|close|in|real|neginf|posinf)|logical_\w+|eq|ne|lt|le|gt|ge|less|greater|bool|all|any"
)


def _asks_itself(method: str) -> bool:
    """Tell whether a helper stands for a method of anything: it asks what the object is when it runs."""
    return any(row.target.startswith("_") for row in table().get(f"{ANYTHING}.{method}", ()))


def _is_truth(node: ast.expr) -> bool:
    """Tell whether an expression is seen to be of truth values: a comparison, or several that are joined."""
    if isinstance(node, ast.BinOp):
        return _is_truth(node.left) or _is_truth(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _TRUTH.fullmatch(node.func.attr) is not None
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and _is_truth(node.operand))
