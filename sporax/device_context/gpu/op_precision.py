"""Settings of GPUs."""

from sporax._src.runtime.device_context import conv_allow_tf32, matmul_allow_tf32

__all__ = ["conv_allow_tf32", "matmul_allow_tf32"]
