"""The classes and functions of a file: what they derive from, what their parameters are, and what Cells call their methods."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.dataflow import probable_tensors
from sporax._src.migrate.source.import_statements import ImportStatements
from sporax._src.migrate.source.program import Program
from sporax._src.migrate.source.scopes import Binding, Class
from sporax._src.migrate.source.source_text import Source
from sporax._src.migrate.torch_map.names import canonical
from sporax._src.migrate.torch_map.rows import MODULE, TENSOR, table

SEQUENTIAL = "torch.nn.Sequential"


class Definitions(ImportStatements):
    """A walk that knows the classes of a file, and the kinds of the parameters of its functions.

    Args:
        source: The file.
        program: What the other files say of this one.
        helpers_from: The module that the file takes the helpers from; "": they are written into the file.
    """

    def __init__(self, source: Source, program: Program, helpers_from: str, target: str) -> None:
        super().__init__(source, program, helpers_from, target)
        self.annotates = False  # whether a name is that of a type
        self.derives = False  # whether a name is that of a class to derive from

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        self._visit_decorators(node)
        self.derive_from([*node.bases, *[k.value for k in node.keywords]])
        info = Class(node.name, [self._class_kind(base) for base in node.bases])
        self.scopes.classes[node.name] = info
        self.scopes.bind(node.name, Binding(kind=f"type:class:{node.name}"))
        self.classes.append(info)
        with self.scope():
            self.visit_block(node.body)
        self.classes.pop()
        return ""

    def derive_from(self, bases: list[ast.expr]) -> None:
        """Name the classes that another is derived from."""
        self.derives = True
        for base in bases:
            self.visit(base)
        self.derives = False

    def _class_kind(self, base: ast.expr) -> str:
        path = self.scopes.path(base)
        if path.rpartition(".")[2] in self.modules:
            return MODULE
        if path:
            return canonical(path)
        kind = self.kind_of(base)
        return kind.removeprefix("type:") if kind.startswith("type:") else ""

    def visit_Assign(self, node: ast.Assign) -> str:
        super().visit_Assign(node)
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or SEQUENTIAL not in self.kinds_of(target.value):
            return ""
        if len(node.targets) == 1 and self.scopes.is_module(self.kind_of(node.value)):
            self._add_module(node, target)
        return ""

    def _add_module(self, node: ast.Assign, target: ast.Attribute) -> None:
        """Add a layer to a sequence: torch runs what becomes an attribute as one more of its layers."""
        data, equals = self.source.data, self.source.data.index(b"=", self.source.end(target))
        value = equals + 1 + len(data[equals + 1 :]) - len(data[equals + 1 :].lstrip(b" "))
        add = f'{self.imports.name("_add_module")}({self.taken(target.value)}, "{target.attr}", '
        self.edits.add(self.source.start(node), value, add)
        self.edits.add(self.source.end(node), self.source.end(node), ")")

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
        is_mixed = owner is not None and node.name == "forward" and owner.name in self.program.mixins
        if is_mixed or (owner is not None and self.scopes.is_module(f"class:{owner.name}")):
            self._method_of_module(node)
        tensors = probable_tensors(args)
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

    def visit_annotation(self, node: ast.expr) -> None:
        """Name the type that an object of torch's is of here: a Tensor has its dtype when it runs, a layer is a Cell."""
        self.annotates = True
        self.visit(node)
        self.annotates = False
