"""Mixed precision."""

from sporax._src.train.amp import auto_mixed_precision, build_train_network

__all__ = [
    "auto_mixed_precision",
    "build_train_network",
]
