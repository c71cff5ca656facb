"""TimeDistributed."""

from sporax._src.nn.combined import TimeDistributed

__all__ = ["TimeDistributed"]
