"""NumPy arrays that share memory with a Tensor in torch.

A converted Tensor is a copy, so a write into one is refused if the other is read after it.
"""

from __future__ import annotations

import ast

from sporax._src.migrate.source.aliases import Aliases, start_of
from sporax._src.migrate.source.context import Context, Pass
from sporax._src.migrate.source.dataflow import own

_FUNCTIONS = frozenset(("torch.from_numpy", "torch.as_tensor", "torch.asarray", "numpy.asarray"))
_SAME = frozenset("detach cpu contiguous data".split())


class NumpyMemory(Pass):
    """Refuses writes into memory that a Tensor and a NumPy array share in torch.

    Args:
        context: The shared state of the passes.
        aliases: Finds whether the other one is read after the write.
    """

    def __init__(self, context: Context, aliases: Aliases) -> None:
        super().__init__(context)
        self._aliases = aliases

    def check(self, written: ast.expr) -> None:
        """Refuse the visited statement, which writes into a Tensor or array, if one of its memory is read after it."""
        if not isinstance(written, ast.Name):
            return
        here = start_of(self.position.statement)
        for node in own(self.position.scope):
            if not isinstance(node, ast.Assign) or start_of(node) >= here or not isinstance(node.targets[0], ast.Name):
                continue
            pair = {node.targets[0].id, self._shared(node.value)}
            other = next(iter(pair - {written.id}), "")
            if written.id in pair and other and self._aliases.is_read_after(other):
                self.context.refuse(
                    written,
                    f"{written.id} and {other} share their memory in torch, here each has its own: "
                    f"make {other} again after the write, as in `{ast.unparse(node)}`",
                )
                return

    def _shared(self, value: ast.expr) -> str:
        """Return the name of the array or Tensor with which a new Tensor or array shares its memory in torch."""
        if not isinstance(value, ast.Call):
            return ""
        if self.scopes.path(value.func) in _FUNCTIONS and value.args:
            return value.args[0].id if isinstance(value.args[0], ast.Name) else ""
        if not isinstance(value.func, ast.Attribute) or value.func.attr != "numpy":
            return ""
        owner = value.func.value
        while isinstance(owner, (ast.Call, ast.Attribute)):  # x.detach().cpu().numpy()
            method = owner.func if isinstance(owner, ast.Call) else owner
            if not isinstance(method, ast.Attribute) or method.attr not in _SAME:
                return ""
            owner = method.value
        return owner.id if isinstance(owner, ast.Name) else ""
