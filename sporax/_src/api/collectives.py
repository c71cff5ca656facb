"""The collective operators that MindSpore shows in its `ops` namespace."""

from sporax._src.dist.primitives import CLASSES, ReduceOp, all_gather_matmul, matmul_reduce_scatter

globals().update(CLASSES)

__all__ = [*CLASSES, "ReduceOp", "all_gather_matmul", "matmul_reduce_scatter"]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]  (the stub lists them)
