"""Settings of Ascend devices."""

from sporax._src.runtime.device_context import (
    conv_allow_hf32,
    matmul_allow_hf32,
    op_precision_mode,
    precision_mode,
)

__all__ = ["conv_allow_hf32", "matmul_allow_hf32", "op_precision_mode", "precision_mode"]
