"""mindspore.utils."""

from sporax._src.api.tensor.exchange import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
