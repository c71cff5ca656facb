"""One file of torch as one of MindSpore: each name, attribute and call by its row of the map; all else as it stands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from sporax._src.migrate import calls, keywords
from sporax._src.migrate.dataflow import own
from sporax._src.migrate.gradients import AUTOGRAD, SIMPLE, Gradients
from sporax._src.migrate.helpers import definitions
from sporax._src.migrate.imports import Imports
from sporax._src.migrate.program import Program, module_name
from sporax._src.migrate.rows import MODULE, TENSOR, Row, table
from sporax._src.migrate.scopes import Binding, Class, asks_for, is_of_torch, own_methods, owner_of, trains
from sporax._src.migrate.source import Source
from sporax._src.migrate.torch_names import canonical, namespaces, public_names
from sporax._src.migrate.views import Views, is_name, is_write
from sporax._src.migrate.walk import NDARRAY, element_of
from sporax._src.migrate.writer import Converted, Writer

ANYTHING = "object"  # rows of methods that Tensors and Modules both have, for objects of which no kind is known

DEVICE = "torch.device"


def convert(
    text: str,
    path: str = "<source>",
    target: str = "mint",
    program: Program | None = None,
    helpers_from: str = "",
) -> Converted:
    """Return a file's text with MindSpore in the place of torch.

    Args:
        text: The file.
        path: Its name, for messages.
        target: "mint" (`mindspore.mint`, called as torch is) or "classic" (`nn` and `ops`).
        program: What the other files say of this one.
        helpers_from: The module that the file takes the helpers from; "": they are written into the file.

    Raises:
        SyntaxError: If the file is not Python.
    """
    source = Source(text, path)
    program = program or Program()
    if not any(is_of_torch(name) or name in program.modules for name in _imported(source.tree, program)):
        return Converted(text)
    return _Converter(source, target, program, helpers_from).run()


def _imported(tree: ast.AST, program: Program) -> Iterator[str]:
    """Give the names of the modules that a file imports, and of what it imports from them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (alias.name for alias in node.names)
            yield from _starred(node, program).values()


def _starred(node: ast.ImportFrom, program: Program) -> Mapping[str, str]:
    """Return what an import of all names of a module of the program gives of torch."""
    module = (node.module or "").rpartition(".")[2]
    return program.starred.get(module, {}) if node.names[0].name == "*" else {}


def _import_of(name: str, path: str) -> str:
    """Return the import that binds a name to what a dotted name of torch stands for."""
    module, _, last = path.rpartition(".")
    return f"from {module} import {last} as {name}" if module else f"import {path}"


def module_classes(trees: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names of the classes in some files that are derived from `torch.nn.Module`, over any number of files."""
    layers = {name.rpartition(".")[2] for name in table() if name.startswith("torch.nn.") and name.count(".") == 2}
    layers = {"Module", *(name for name in layers if name[:1].isupper() and name != "Parameter")}
    read = [(tree, _foreign(tree)) for tree in trees]
    classes = [(node, foreign) for tree, foreign in read for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases: dict[str, set[str]] = {node.name: set() for node, _ in classes}
    for node, foreign in classes:
        for base in map(ast.unparse, node.bases):
            last = base.rpartition(".")[2]
            if base.partition(".")[0] not in foreign or last not in layers or last in bases:
                bases[node.name].add(last)
    found = set(layers)
    while more := {name for name, of in bases.items() if of & found} - found:
        found |= more
    return frozenset(found & bases.keys())


def _foreign(tree: ast.AST) -> set[str]:
    """Return the names that a file imports from packages other than torch and its own."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.asname or a.name.split(".")[0] for a in node.names if not is_of_torch(a.name)}
        elif isinstance(node, ast.ImportFrom) and not node.level and not is_of_torch(node.module or ""):
            found |= {a.asname or a.name for a in node.names}
    return found


class _Converter(Writer):
    def __init__(self, source: Source, target: str, program: Program, helpers_from: str) -> None:
        super().__init__(source)
        self.program = program
        self.modules = program.modules
        self.helpers_from = helpers_from
        self.starred: dict[str, str] = {}  # names of torch that come by `import *` from another file
        self.passed_on: dict[int, list[str]] = {}  # lines that define exported names, by the import that had them
        self.target = target
        self.imports = Imports(source.tree)
        self.removed: list[ast.Import | ast.ImportFrom] = []  # imports of torch
        self.own_methods = own_methods(source.tree)
        self.asks_kind = False  # whether a name of a class is asked of, not called
        self.annotates = False  # whether a name is that of a type
        self.derives = False  # whether a name is that of a class to derive from
        self.gradients = Gradients(self)
        self.views = Views(self)
        self.how = calls.Rendering(source, self.taken, self.imports.name, target)

    # --- the whole file -----------------------------------------------------------------------------------------------

    def run(self) -> Converted:
        for node in own(self.source.tree):  # functions read names that the file imports further down
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self._bind_imports(node)
        self.visit(self.source.tree)
        self.write_marks()
        defined = [line for lines in self.passed_on.values() for line in lines]
        self._write_imports(set(re.findall(r"\w+", "\n".join([self.source.edited(self.edits), *defined]))))
        self.result.text = self.source.edited(self.edits)
        ast.parse(self.result.text)  # what is written is Python, or nothing is
        return self.result

    def end_block(self, block: list[ast.stmt]) -> None:
        """Rewrite the gradients that are taken in a block."""
        self.gradients.block(block)

    def _write_imports(self, used: set[str]) -> None:
        """Put the new imports, as far as they are used, in the place of torch's first, and take out what is not read any more."""
        helpers, names = self._helpers([name for name in self.imports.helpers if name in used])
        block = self.imports.text(used | names)
        body = self.source.tree.body
        top = [node for node in self.removed if node in body]
        read = self._read_names() if self.left else set()  # what is left to do may still read torch
        read -= set(re.findall(r"\w+(?=,|$)", block, re.MULTILINE))
        block = "\n".join(
            [*(_import_of(name, self.starred[name]) for name in sorted(read & self.starred.keys())), block]
        )
        for node in self.removed:
            start, end = self.source.start(node), self.source.end(node)
            lines = [self._kept_import(node, read), block if top and node is top[0] else ""]
            lines += self.passed_on.get(id(node), [])
            if text := f"\n{self.source.indentation(start)}".join(line for line in lines if line).rstrip("\n"):
                self.edits.add(start, end, text)
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

    def _read_names(self) -> set[str]:
        """Return the names that the converted text has outside of comments and strings."""
        tree = ast.parse(self.source.edited(self.edits))
        return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def _kept_import(self, node: ast.Import | ast.ImportFrom, read: set[str]) -> str:
        """Return the import of those names of torch that are still read."""
        names = [a for a in node.names if (a.asname or a.name.split(".")[0]) in read or (read and a.name == "*")]
        if len(names) == len(node.names):
            return self.source.text(node)
        before = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
        return f"{before}import {', '.join(map(ast.unparse, names))}" if names else ""

    def _helpers(self, wanted: list[str]) -> tuple[str, set[str]]:
        """Return the definitions of helpers and the names they use; none, where the file imports them."""
        self.result.helpers = wanted
        if not self.helpers_from:
            return definitions(wanted, self.imports)
        if wanted:
            self.imports.lines[f"from {self.helpers_from} import {', '.join(sorted(wanted))}"] = None
        return "", set()

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
        self._bind_imports(node)
        ours = [alias for alias in node.names if self._is_replaced(alias.name)]
        if ours and len(ours) == len(node.names):
            self.removed.append(node)
        elif ours:
            others = ", ".join(ast.unparse(alias) for alias in node.names if alias not in ours)
            self.edits.add(self.source.start(node), self.source.end(node), f"import {others}")
        return ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> str:
        self._bind_imports(node)
        if self._is_replaced(node.module or "") and not node.level:
            self._pass_on(node)
            self.removed.append(node)
        return ""

    def _pass_on(self, node: ast.ImportFrom) -> None:
        """Define those names of an import that other files import from this one."""
        exported = self.program.imported.get(module_name(PurePath(self.source.path)), ())
        for alias in node.names if not (self.functions or self.classes) else ():
            name = alias.asname or alias.name
            if name in exported:
                self.reference(alias, f"{node.module}.{alias.name}")
                made = self.taken(alias)
                self.passed_on.setdefault(id(node), []).append(f"{name} = {made}" if made != name else "")

    def _bind_imports(self, node: ast.Import | ast.ImportFrom) -> None:
        """Bind the names that a statement imports."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                path = alias.name if alias.asname else name
                self.scopes.bind(name, Binding("" if self._is_own(path) else path))
            return
        module = node.module or ""
        self.starred |= _starred(node, self.program)
        for name, path in _starred(node, self.program).items():
            self.scopes.bind(name, Binding(path))
        for alias in node.names:
            if node.level or not self._is_replaced(module):
                self._bind_imported(alias, "" if node.level or self._is_own(module) else f"{module}.{alias.name}")
            elif alias.name == "*":
                for name in public_names(module):
                    self.scopes.bind(name, Binding(f"{module}.{name}"))
            else:
                self.scopes.bind(alias.asname or alias.name, Binding(f"{module}.{alias.name}"))

    def _is_own(self, module: str) -> bool:
        return module.split(".")[0] in self.program.packages

    def _is_replaced(self, module: str) -> bool:
        return is_of_torch(module) and not self._is_own(module)

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
        self._visit_decorators(node)
        self.derives = True
        for base in [*node.bases, *[k.value for k in node.keywords]]:
            self.visit(base)
        self.derives = False
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

    def _visit_decorators(self, node: ast.ClassDef | ast.FunctionDef) -> None:
        """Take those decorators out that return what they are given."""
        for decorator in node.decorator_list:
            path = self.scopes.path(decorator.func if isinstance(decorator, ast.Call) else decorator)
            row = next(iter(table().get(canonical(path), ())), None)
            if row is None or not row.parameters or row.target != row.parameters[0].name:
                self.visit(decorator)
                continue
            self.note(decorator, row)
            line, end = self.source.lines(decorator)
            self.edits.add(line, end, "")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        self._visit_decorators(node)
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *[a for a in (args.vararg, args.kwarg) if a]]
        for value in sorted([d for d in [*args.defaults, *args.kw_defaults] if d], key=self.source.start):
            self.visit(value)
        for annotation in [a.annotation for a in every if a.annotation] + ([node.returns] if node.returns else []):
            self.visit_annotation(annotation)
        owner = self.classes[-1] if self.classes and not self.functions else None
        if owner is not None and self.scopes.is_module(f"class:{owner.name}"):
            self._method_of_module(node)
        tensors = _probable_tensors(args)
        is_static = any(ast.unparse(decorator) == "staticmethod" for decorator in node.decorator_list)
        with self.scope():
            for i, argument in enumerate(every):
                kind = self.scopes.annotated(argument.annotation)
                if owner is not None and i == 0 and not is_static:
                    kind = f"class:{owner.name}"
                elif owner is not None and node.name == "forward" and argument in tensors:
                    kind = TENSOR
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
        if not kind and f"{DEVICE}.{node.attr}" in table() and ast.unparse(node.value).endswith(".device"):
            assert isinstance(node.value, ast.Attribute)
            kind = self._attribute(node.value, table()[f"{ANYTHING}.device"][0])
        if node.attr == "forward" and self._is_forward(kind):
            end = self.source.end(node)
            self.edits.add(end - len("forward"), end, "construct")
        if not isinstance(node.ctx, ast.Load):
            return self.scopes.attribute(kind, node.attr)
        for base in self.scopes.bases(kind) or owner_of(node.attr):
            for row in table().get(f"{base}.{node.attr}", ()):
                if row.parameters is None:
                    return self._attribute(node, row)
        return self.scopes.attribute(kind, node.attr)

    def _is_forward(self, kind: str) -> bool:
        """Tell whether `forward` of an object of a kind is a Module's: known, or a mixin's, or the file has no other."""
        mixed = not kind or kind.startswith("class:")
        return self.scopes.is_module(kind) or (mixed and "forward" not in self.own_methods)

    def _attribute(self, node: ast.Attribute, row: Row) -> str:
        if not row.target:
            self.refuse(node, f"{row.name}: {row.missing}")
            return row.result
        self.note(node, row)
        if row.target != f"self.{node.attr}":
            call = ast.Call(node, [], [])
            text = calls.rewritten(calls.Bound(row, {}, [], [], False), call, row.expression(self.target), self.how)
            self.edits.take(self.source.start(node), self.source.end(node))
            self.edits.add(self.source.start(node), self.source.end(node), text)
        return row.result

    def visit_annotation(self, node: ast.expr) -> None:
        """Name the type that an object of torch's is of here: a Tensor has its dtype when it runs, a layer is a Cell."""
        self.annotates = True
        self.visit(node)
        self.annotates = False

    def _type(self, rows: list[Row]) -> str:
        """Return the name of the type of what a class of torch makes; "" of what is no such class."""
        made = [row for row in rows if row.target and row.parameters is not None]
        bases = self.scopes.bases(made[0].result) if made else []
        for row in made:
            if name := calls.class_made(row.expression(self.target)):
                return name
        return "mindspore.Tensor" if TENSOR in bases else "nn.Cell" if MODULE in bases else ""

    def reference(self, node: ast.expr | ast.alias, path: str) -> str:
        """Convert a name of torch that is not called."""
        rows = table().get(canonical(path))
        if not rows:
            if canonical(path) in namespaces():
                self.refuse(node, f"{path} stands for all that is in it; write the names that are taken from it")
            else:
                self._refuse_unknown(node, canonical(path))
            return ""
        row = next((row for row in rows if row.target), rows[0])
        if not row.target:
            self.refuse(node, f"{row.name}: {row.missing}")
            return ""
        self.note(node, row)
        expression = row.expression(self.target)
        same = self._same_calls(rows)
        if self.annotates and (name := self._type(rows)):
            text = self.imports.name(name)
        elif row.parameters is None:
            text = calls.rewritten(calls.Bound(row, {}, [], [], False), ast.Call(node, [], []), expression, self.how)
        elif self.asks_kind and not calls.class_made(expression):
            self.refuse(node, f"{row.name} is a function here, no class; ask for something else")
            return ""
        elif self.asks_kind:
            text = self.imports.name(calls.class_made(expression))
        elif same:
            text = self.imports.name(self._of_class(calls.dotted(same.func), row))
        elif self.derives and calls.class_made(expression):
            text = self.imports.name(calls.class_made(expression))
        else:
            text = calls.function_of(row, expression, self.how)
        self.edits.add(self.source.start(node), self.source.end(node), text)
        return row.result if row.parameters is None else f"type:{row.result}"

    def _same_calls(self, rows: list[Row]) -> ast.Call | None:
        """Return the fullest of the right sides that take what the left takes, so that their names may stand for each other."""
        expressions = [(row, row.expression(self.target)) for row in rows if row.target]
        same = [e for row, e in expressions if isinstance(e, ast.Call) and calls.is_same_call(e, row)]
        return max(same, key=lambda call: len(call.args) + len(call.keywords), default=None)

    def _of_class(self, name: str, row: Row) -> str:
        """Return the name of a function, of a method (`self.item`) with its class."""
        owner, _, method = name.partition(".")
        return f"{self._type(table()[row.name.rpartition('.')[0]])}.{method}" if owner == "self" else name

    def _refuse_unknown(self, node: ast.AST, name: str) -> None:
        self.refuse(node, f"{name} has no counterpart here; write what it does with mindspore.mint or ops")

    # --- calls --------------------------------------------------------------------------------------------------------

    def visit_Dict(self, node: ast.Dict) -> str:
        return self._factory_keywords(node) or super().visit_Dict(node)

    def _factory_keywords(self, node: ast.expr) -> str:
        """Convert keyword arguments for torch's factories, and return their kind; "" of any other expression."""
        found = keywords.items(node, self.source)
        for item in found:
            if item.name not in keywords.PLACES:
                self.visit(item.value)
        for start, end in keywords.places(found, self.source):
            self.edits.add(start, end, "")
        return "dict" if found else ""

    def visit_Call(self, node: ast.Call) -> str:
        if kind := self._factory_keywords(node) or self._asked(node):
            return kind
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
        if path and is_of_torch(path):
            return self._convert(node, table().get(canonical(path)), canonical(path))
        if path.startswith("numpy."):
            return NDARRAY
        if method is None:
            kind = self.visit(node.func) if not path else ""
            return self._instance(node, kind)
        if method.attr == "__init__" and ast.unparse(method.value) == "super()" and receiver != MODULE:
            return self._initialize(node, table().get(receiver, []), receiver)
        if not receiver and method.attr in self.own_methods and owner_of(method.attr) and is_name(method.value):
            return self._either(node, method, owner_of(method.attr)[0])
        bases, owners = self.scopes.bases(receiver), self._owner_of(method.attr)
        if not bases or (
            receiver.startswith("class:") and owners == [MODULE]
        ):  # a mixin is part of what it is mixed with
            bases = [*bases, *owners]
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
                kind = self._convert(node, rows, f"{base}.{method.attr}", bool(receiver))
                return "" if kind == ANYTHING else kind
        if method.attr == "forward" and self._is_forward(receiver):
            end = self.source.end(method)
            self.edits.add(end - len("forward"), end, "construct")
            return TENSOR
        kind = self.scopes.attribute(receiver, method.attr)
        return TENSOR if self.scopes.is_module(kind) else receiver if receiver == NDARRAY else ""

    def visit_Compare(self, node: ast.Compare) -> str:
        """Answer `"name" in dir(torch)`."""
        within, name = node.comparators[0], node.left
        is_dir = isinstance(within, ast.Call) and ast.unparse(within.func) == "dir" and len(within.args) == 1
        path = self.scopes.path(within.args[0]) if is_dir and isinstance(node.ops[0], ast.In) else ""  # type: ignore[attr-defined]
        if not is_of_torch(path) or not isinstance(name, ast.Constant):
            return super().visit_Compare(node)
        self.edits.add(
            self.source.start(node), self.source.end(node), str(_is_known(canonical(f"{path}.{name.value}")))
        )
        return "bool"

    def _asked(self, node: ast.Call) -> str:
        """Answer `hasattr(torch, "name")` and `getattr(torch, "name", default)`; "" of any other call."""
        asked = asks_for(node)
        path = self.scopes.path(node.args[0]) if asked is not None else ""
        if not path or not is_of_torch(path):
            return ""
        name = canonical(f"{path}.{asked.args[1].value}")
        is_known = _is_known(name)
        start, end = self.source.start(node), self.source.end(node)
        if asked.func.id == "hasattr":
            self.edits.add(start, end, str(is_known))
            return "bool"
        if is_known or len(node.args) < 3:
            return self.reference(node, name) or ANYTHING
        kind = self.visit(node.args[2])
        self.edits.add(start, end, self.taken(node.args[2]))
        return kind or ANYTHING

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
        if isinstance(node.func, ast.Name) and node.func.id in ("next", "iter") and node.args:
            of = self.kind_of(node.args[0])
            return element_of(of) if node.func.id == "next" else of
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

    def _initialize(self, node: ast.Call, rows: list[Row], name: str) -> str:
        """Give a class of torch that another is derived from the arguments that its counterpart takes."""
        rows = [row for row in rows if row.target and row.parameters is not None]
        same = self._same_calls(rows)
        bases = [calls.class_made(row.expression(self.target)) for row in rows]
        base = calls.dotted(same.func) if same else next(iter(bases), "")
        rows = [row for row, of in zip(rows, bases, strict=True) if of and of == base]
        how = self.how
        self.how = how._replace(callee=lambda path: "super().__init__" if path == base else self.imports.name(path))
        spread = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
        if rows and not (same and spread):  # what passes all on to the same arguments is right as it is
            self._convert(node, rows, name)
        self.how = how
        return ""

    def _convert(self, node: ast.Call, rows: list[Row] | None, name: str, is_sure: bool = True) -> str:
        """Convert a call by the first row that takes it; one that none takes is another's, where only its name is torch's."""
        if not rows:
            self._refuse_unknown(node, name)
            return ""
        for row in calls.candidates(rows, node):
            if row.parameters is None:
                continue
            bound = calls.bind(row, node, self.kind_of)
            if bound is None:
                continue
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
        if is_sure:
            self.refuse(node, f"{name} is called in a way that the map does not know: {ast.unparse(node)[:80]}")
        return ""

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


def _is_known(name: str) -> bool:
    """Tell whether there is a counterpart of a name of torch, or of names below it."""
    return name in namespaces() or any(row.target for row in table().get(name, ()))


def _probable_tensors(args: ast.arguments) -> list[ast.arg]:
    """Return the parameters of a `forward` of which nothing says that they are anything else than Tensors."""
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
    return [
        argument
        for argument, default in zip(plain, defaults, strict=True)
        if argument.annotation is None and (default is None or ast.unparse(default) == "None")
    ]


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
