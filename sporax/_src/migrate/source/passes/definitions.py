"""The classes and functions of a file: base classes, parameters, and the names of methods in Cells."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Pass, Role
from sporax._src.migrate.source.dataflow import probable_tensors
from sporax._src.migrate.source.scopes import EACH, Binding, Class, is_of_torch
from sporax._src.migrate.torch_map.names import canonical
from sporax._src.migrate.torch_map.rows import MODULE, TENSOR, table

SEQUENTIAL = "torch.nn.Sequential"


class Definitions(Pass):
    """Knows the classes of a file, and the kinds of the parameters of its functions."""

    def visit_ClassDef(self, node: ast.ClassDef) -> str:
        self._visit_decorators(node)
        with self.context.reading(Role.BASE_CLASS):
            for base in [*node.bases, *[k.value for k in node.keywords]]:
                self.context.visit(base)
        own = frozenset(f.name for f in node.body if isinstance(f, ast.FunctionDef) and _takes_no_mode(f))
        info = Class(node.name, [self._class_kind(base) for base in node.bases], own=own)
        self.scopes.classes[node.name] = info
        self.scopes.bind(node.name, Binding(kind=f"type:class:{node.name}"))
        self.position.classes.append(info)
        with self.scopes.nested():
            self.context.visit_block(node.body)
        self.position.classes.pop()
        return ""

    def _class_kind(self, base: ast.expr) -> str:
        path = self.scopes.path(base)
        is_of_map = is_of_torch(path) and canonical(path) in table()
        if path.rpartition(".")[2] in self.context.program.modules and not is_of_map:
            return MODULE
        if path:
            return canonical(path)
        kind = self.context.kind_of(base)
        return kind.removeprefix("type:") if kind.startswith("type:") else ""

    def leave_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or SEQUENTIAL not in self.context.kinds_of(target.value):
            return
        if len(node.targets) == 1 and self.scopes.is_module(self.context.kind_of(node.value)):
            self._add_module(node, target)

    def _add_module(self, node: ast.Assign, target: ast.Attribute) -> None:
        """Add a layer to a sequence, because torch runs an attribute of a sequence as one more layer."""
        data, equals = self.source.data, self.source.data.index(b"=", self.source.end(target))
        value = equals + 1 + len(data[equals + 1 :]) - len(data[equals + 1 :].lstrip(b" "))
        add = f'{self.imports.name("_add_module")}({self.rewriter.take(target.value)}, "{target.attr}", '
        self.edits.add(self.source.start(node), value, add)
        self.edits.add(self.source.end(node), self.source.end(node), ")")

    def _visit_decorators(self, node: ast.ClassDef | ast.FunctionDef) -> None:
        """Remove the decorators that return their argument."""
        for decorator in node.decorator_list:
            path = self.scopes.path(decorator.func if isinstance(decorator, ast.Call) else decorator)
            row = next(iter(table().get(canonical(path), ())), None)
            if row is None or not row.parameters or row.target != row.parameters[0].name:
                self.context.visit(decorator)
                continue
            self.context.count(decorator, row)
            line, end = self.source.lines(decorator)
            self.edits.add(line, end, "")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> str:
        self._visit_decorators(node)
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *[a for a in (args.vararg, args.kwarg) if a]]
        for value in sorted([d for d in [*args.defaults, *args.kw_defaults] if d], key=self.source.start):
            self.context.visit(value)
        with self.context.reading(Role.ANNOTATION):
            for annotation in [a.annotation for a in every if a.annotation] + ([node.returns] if node.returns else []):
                self.context.visit(annotation)
        owner = self.position.classes[-1] if self.position.classes and not self.position.functions else None
        is_mixed = owner is not None and node.name == "forward" and owner.name in self.context.program.mixins
        if is_mixed or (owner is not None and self.scopes.is_module(f"class:{owner.name}")):
            self._method_of_module(node)
        tensors = probable_tensors(args)
        is_static = any(ast.unparse(decorator) == "staticmethod" for decorator in node.decorator_list)
        with self.scopes.nested(), self.position.inside(node):
            for i, argument in enumerate(every):
                kind = self.scopes.annotated(argument.annotation)
                if owner is not None and i == 0 and not is_static:
                    kind = f"class:{owner.name}"
                elif owner is not None and node.name == "forward" and argument in tensors:
                    kind = TENSOR
                elif argument in (args.vararg, args.kwarg):  # the annotation is that of each value
                    kind = f"{EACH}{kind}]" if kind and argument is args.vararg else ""
                self.scopes.bind(argument.arg, Binding(kind=kind))
            self.context.visit_block(node.body)
        self.scopes.bind(node.name, Binding())
        return ""

    visit_AsyncFunctionDef = visit_FunctionDef

    def _method_of_module(self, node: ast.FunctionDef) -> None:
        """Call the methods of a Cell as MindSpore does."""
        new = {"forward": "construct", "extra_repr": "extend_repr", "train": "set_train"}.get(node.name)
        if new and node.name not in self.position.classes[-1].own:
            start = self.source.data.index(node.name.encode(), self.source.keyword(node) + len("def "))
            self.edits.add(start, start + len(node.name), new)


def _takes_no_mode(function: ast.FunctionDef) -> bool:
    """Return whether a method is called `train` but needs more than the mode, so that it is no Module's `train(mode)`."""
    given = [*function.args.posonlyargs, *function.args.args][1:]
    return function.name == "train" and len(given) - len(function.args.defaults) > 1
