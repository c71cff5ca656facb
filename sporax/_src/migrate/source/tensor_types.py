"""Names that stand for types of Tensors: `T = torch.cuda.FloatTensor if cuda else torch.FloatTensor`, and `T(2, 3)`."""

from __future__ import annotations

import ast

from sporax._src.migrate.source.import_statements import ImportStatements
from sporax._src.migrate.source.scopes import Binding
from sporax._src.migrate.torch_map.names import canonical
from sporax._src.migrate.torch_map.rows import TENSOR, table

_DTYPE, _TYPE = "dtype", f"type:{TENSOR}"


class TensorTypes(ImportStatements):
    """Calls of what is a dtype here."""

    def bind_types(self, node: ast.Assign) -> None:
        """Bind the names of a file that stand for types of Tensors."""
        values = [node.value.body, node.value.orelse] if isinstance(node.value, ast.IfExp) else [node.value]
        kinds = {_type_of_tensors(self.scopes.path(value)) for value in values}
        for target in node.targets if all(kinds) else ():
            if isinstance(target, ast.Name):
                self.scopes.bind(target.id, Binding(kind=_either_type(kinds)))

    def visit_IfExp(self, node: ast.IfExp) -> str:
        kind = super().visit_IfExp(node)
        return kind or _either_type({self.kind_of(node.body), self.kind_of(node.orelse)})

    def made_of_type(self, node: ast.Call, kind: str) -> str:
        """Convert a call of a value that is a type of Tensors, which is a dtype here; return "" for any other."""
        if kind not in (_DTYPE, _TYPE) or not isinstance(node.func, (ast.Name, ast.Attribute)):
            return ""
        end = self.source.end(node.func)
        bracket = self.source.data.index(b"(", end) + 1
        dtype = self.imports.name("mindspore.float32") if kind == _TYPE else self.taken(node.func)
        self.edits.take(self.source.start(node), bracket)
        given = ", " if node.args else ""
        self.edits.add(self.source.start(node), bracket, f"{self.imports.name('_new_tensor')}({dtype}{given}")
        return TENSOR


def _type_of_tensors(path: str) -> str:
    """Return the kind of a name of torch that is a type of Tensors: `torch.FloatTensor` is a dtype here; "" of any other."""
    if canonical(path) == TENSOR:
        return _TYPE
    is_type = path.endswith("Tensor") and any(row.result == _DTYPE for row in table().get(canonical(path), ()))
    return _DTYPE if is_type else ""


def _either_type(kinds: set[str]) -> str:
    """Return the kind of what is of one of these kinds, if each is a type of Tensors."""
    return "" if not kinds <= {_DTYPE, _TYPE} else _TYPE if _TYPE in kinds else _DTYPE
