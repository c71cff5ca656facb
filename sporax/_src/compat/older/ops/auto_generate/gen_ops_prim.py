"""Operators of mixtures of experts and of quantized networks."""

from sporax._src.compat.legacy.experts import (
    FusedAddTopKDiv,
    GroupedMatmulV4,
    MoeInitRoutingV2,
    MoeTokenUnpermute,
    PromptFlashAttention,
    QuantBatchMatmul,
    QuantV2,
    format_cast,
)

__all__ = [
    "FusedAddTopKDiv",
    "GroupedMatmulV4",
    "MoeInitRoutingV2",
    "MoeTokenUnpermute",
    "PromptFlashAttention",
    "QuantBatchMatmul",
    "QuantV2",
    "format_cast",
]
