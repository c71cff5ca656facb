"""The collective operators, and the functions among processes, that MindSpore shows in its `ops` namespace.

Two of these functions, `gather` and `scatter`, have the name of another operator: only `ops.communication` shows them.
"""

from sporax._src.dist import communication
from sporax._src.dist.primitives import CLASSES, ReduceOp, all_gather_matmul, matmul_reduce_scatter

_FUNCTIONS = {name: getattr(communication, name) for name in communication.__all__ if name not in ("gather", "scatter")}

globals().update(CLASSES, **_FUNCTIONS)

__all__ = [*CLASSES, *_FUNCTIONS, "ReduceOp", "all_gather_matmul", "matmul_reduce_scatter"]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
