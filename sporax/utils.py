"""mindspore.utils."""

from sporax._src.api.dispatch_mode import MsDispatchMode
from sporax._src.api.tensor.exchange import from_dlpack, to_dlpack

__all__ = ["MsDispatchMode", "from_dlpack", "to_dlpack"]
