"""Several Tensors read as one row of elements."""

from sporax._src.api.contiguous import ContiguousTensorsHandle, combine_tensor_list_contiguous

__all__ = [
    "ContiguousTensorsHandle",
    "combine_tensor_list_contiguous",
]
