"""Mixed precision and loss scale."""

from sporax._src.train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from sporax._src.train.loss_scale import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from sporax._src.train.scaler import DynamicLossScaler, LossScaler, StaticLossScaler, all_finite, init_status

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
    "init_status",
]
