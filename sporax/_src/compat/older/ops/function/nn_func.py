"""Below `mindspore.ops.function.nn_func`."""

from sporax._src.compat.legacy.attention import multi_head_attention_forward

__all__ = ["multi_head_attention_forward"]
