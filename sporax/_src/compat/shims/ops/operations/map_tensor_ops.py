"""The operator of `mindspore.ops.operations._map_tensor_ops` that a repository of the census imports."""

from __future__ import annotations

from sporax._src.compat.no_kernel import without_kernel

MapTensorGet = without_kernel("MapTensorGet", "insert_default_value")
