"""RMSProp."""

from sporax._src.optim.rmsprop import RMSProp

__all__ = [
    "RMSProp",
]
