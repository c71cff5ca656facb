"""What programs import from `mindspore.boost`."""

from sporax._src.compat.older.boost.grad_accumulation import GradientAccumulation

__all__ = ["GradientAccumulation"]
