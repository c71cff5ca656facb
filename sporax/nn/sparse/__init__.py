"""Layers over sparse matrices, under the path `nn.sparse`."""

from sporax._src.nn.sparse import SparseTensorDenseMatmul, SparseToDense

__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]
