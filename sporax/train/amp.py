"""Mixed precision."""

from sporax._src.train.amp import OutputTo16 as _OutputTo16
from sporax._src.train.amp import OutputTo32 as _OutputTo32
from sporax._src.train.amp import (
    auto_mixed_precision,
    build_train_network,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)

__all__ = [
    "_OutputTo16",
    "_OutputTo32",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]
