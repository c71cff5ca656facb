"""Layers over sparse matrices: dense form, product with a dense matrix."""

from __future__ import annotations

from sporax._src.core.sparse import COOTensor
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.ops.sparse.primitives import sparse_tensor_dense_matmul, sparse_to_dense
from sporax._src.ops.sparse.sparse import of_kind

__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]  # fmt: skip


class SparseToDense(Cell):
    """Makes a COOTensor dense.

    Raises:
        TypeError: If the input is no COOTensor.

    Examples:
        >>> import sporax as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([2.0]), (1, 2))
        >>> ms.nn.SparseToDense()(x).asnumpy()
        array([[0., 2.]], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, sparse_tensor: COOTensor) -> Tensor:
        x = of_kind("nn.SparseToDense", "sparse_tensor", sparse_tensor, COOTensor)
        return sparse_to_dense(x.indices, x.values, x.shape)


class SparseTensorDenseMatmul(Cell):
    """Multiplies a sparse matrix, given by indices, values and shape, with a dense one.

    Args:
        adjoint_st: Whether to transpose and conjugate the sparse matrix first.
        adjoint_dt: Whether to transpose and conjugate the dense matrix first.

    Raises:
        TypeError: If an argument is no bool.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.SparseTensorDenseMatmul()
        >>> net(ms.Tensor([[0, 1]]), ms.Tensor([2.0]), (1, 2), ms.Tensor([[1.0], [3.0]])).asnumpy()
        array([[6.]], dtype=float32)
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        for name, flag in (("adjoint_st", adjoint_st), ("adjoint_dt", adjoint_dt)):
            if not isinstance(flag, bool):
                raise TypeError(f"nn.SparseTensorDenseMatmul: {name} must be a bool, got {flag!r}.")
        self.adj_st, self.adj_dt = adjoint_st, adjoint_dt

    def construct(self, indices: Tensor, values: Tensor, sparse_shape: tuple[int, ...], dense: Tensor) -> Tensor:
        return sparse_tensor_dense_matmul(indices, values, sparse_shape, dense, self.adj_st, self.adj_dt)
