"""Below `mindspore.ops.operations.nn_ops`."""

from sporax._src.compat.legacy.experts import PromptFlashAttention

__all__ = ["PromptFlashAttention"]
