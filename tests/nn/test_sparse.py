"""Layers over sparse matrices: the rows of the tables, products, errors."""

import numpy as np
from layer_tables import layers_of

import sporax as ms
from sporax import Tensor, nn

TestLayers = layers_of("sporax._src.nn.sparse")


X = ms.COOTensor(Tensor([[0, 1], [1, 0]], ms.int32), Tensor([2.0, 3.0]), (2, 3))


def test_a_sparse_matrix_made_dense(mode: int) -> None:
    assert nn.SparseToDense()(X).asnumpy().tolist() == [[0, 2, 0], [3, 0, 0]]


def test_products_with_a_dense_matrix(mode: int) -> None:
    dense = Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))
    given = (X.indices, X.values, X.shape)
    assert nn.SparseTensorDenseMatmul()(*given, dense).asnumpy().tolist() == [[4, 6], [0, 3]]
    assert nn.SparseTensorDenseMatmul(adjoint_dt=True)(*given, dense.T).asnumpy().tolist() == [[4, 6], [0, 3]]
    rows = Tensor([[1.0], [2.0]])
    assert nn.SparseTensorDenseMatmul(adjoint_st=True)(*given, rows).asnumpy().tolist() == [[6], [2], [0]]
