"""Settings of GPUs."""

from sporax._src.runtime.device_context import conv_dgrad_algo, conv_fprop_algo, conv_wgrad_algo

__all__ = ["conv_dgrad_algo", "conv_fprop_algo", "conv_wgrad_algo"]
