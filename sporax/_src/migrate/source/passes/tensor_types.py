"""Names of types of Tensors: `T = torch.cuda.FloatTensor if cuda else torch.FloatTensor`, and `T(2, 3)`."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.context import Pass
from sporax._src.migrate.source.scopes import Binding
from sporax._src.migrate.torch_map.names import canonical
from sporax._src.migrate.torch_map.rows import TENSOR, table

_DTYPE, _TYPE = "dtype", f"type:{TENSOR}"


class TensorTypes(Pass):
    """Converts calls of types of Tensors, which are dtypes in MindSpore."""

    def bind(self, node: ast.Assign) -> None:
        """Bind the names of a file that stand for types of Tensors."""
        values = [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
        kinds = {_type_of_tensors(self.scopes.path(value)) for value in values}
        for target in node.targets if all(kinds) else ():
            if isinstance(target, ast.Name):
                self.scopes.bind(target.id, Binding(kind=either_type(kinds)))

    def leave_Call(self, node: ast.Call) -> None:
        """Convert the function of `map(torch.LongTensor, lists)`, which makes Tensors, and the types of `isinstance`."""
        name = node.func.id if isinstance(node.func, ast.Name) and node.args else ""
        if name == "map":
            self._convert_map(node)
        elif name == "isinstance" and len(node.args) == 2:
            self._convert_isinstance(node, node.args[1])

    def _convert_isinstance(self, node: ast.Call, given: ast.expr) -> None:
        """Convert `isinstance(x, torch.FloatTensor)`; a Tensor is of a type of `torch.cuda` on a GPU only."""
        types = given.elts if isinstance(given, ast.Tuple) else [given]
        paths = {self.scopes.path(kind) for kind in types}
        if _DTYPE not in {*map(_type_of_tensors, paths), *map(self.context.kind_of, types)}:
            return
        self.rewriter.replace(node.func, self.imports.name("_is_instance"))
        on_gpu = {path for path in paths if path.startswith("torch.cuda.")}
        if {path.replace("torch.cuda.", "torch.") for path in on_gpu} <= paths:
            return
        if on_gpu < paths:
            self.context.refuse(node, "types of torch and of torch.cuda are mixed; compare the dtype of the Tensor")
        else:
            device = f"{self.imports.name('mindspore.get_context')}('device_target')"
            self.rewriter.wrap(node, "(", f" and {device} == 'GPU')")

    def _convert_map(self, node: ast.Call) -> None:
        kind = _type_of_tensors(self.scopes.path(node.args[0])) or self.context.kind_of(node.args[0])
        if kind in (_DTYPE, _TYPE):
            dtype = self.imports.name("mindspore.float32") if kind == _TYPE else self.rewriter.text(node.args[0])
            self.rewriter.replace(node.args[0], f"lambda *data: {self.imports.name('_new_tensor')}({dtype}, *data)")

    def instantiate(self, node: ast.Call, kind: str) -> str:
        """Convert a call of a value of a kind, if it is a type of Tensors; "" for any other kind."""
        if kind not in (_DTYPE, _TYPE) or not isinstance(node.func, (ast.Name, ast.Attribute)):
            return ""
        bracket = self.source.data.index(b"(", self.source.end(node.func)) + 1
        dtype = self.imports.name("mindspore.float32") if kind == _TYPE else self.rewriter.take(node.func)
        self.edits.take(self.source.start(node), bracket)
        comma = ", " if node.args else ""
        self.edits.add(self.source.start(node), bracket, f"{self.imports.name('_new_tensor')}({dtype}{comma}")
        return TENSOR


def _type_of_tensors(path: str) -> str:
    """Return the kind of a name of torch that is a type of Tensors, such as `torch.FloatTensor`; "" of any other."""
    if canonical(path) == TENSOR:
        return _TYPE
    is_type = path.endswith("Tensor") and any(row.result == _DTYPE for row in table().get(canonical(path), ()))
    return _DTYPE if is_type else ""


def either_type(kinds: set[str]) -> str:
    """Return the kind of a value of one of these kinds, if each is a type of Tensors; else ""."""
    return "" if not kinds <= {_DTYPE, _TYPE} else _TYPE if _TYPE in kinds else _DTYPE
