"""Mixed precision and loss scale."""

from sporax._src.train.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, all_finite, auto_mixed_precision, build_train_network

__all__ = [
    "DynamicLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
]
