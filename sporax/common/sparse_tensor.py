"""Sparse Tensors, under the path `common.sparse_tensor`."""

from sporax._src.core.sparse import COOTensor, CSRTensor, RowTensor, SparseTensor

__all__ = ["COOTensor", "CSRTensor", "RowTensor", "SparseTensor"]
