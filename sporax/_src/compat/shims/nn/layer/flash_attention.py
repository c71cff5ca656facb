"""The layer of MindSpore 2.2 around fused attention; mindocr (`nlp/llm/qwen_model.py`) and mindone import it."""

from __future__ import annotations

import math
from typing import Any

from sporax import Tensor, float32, nn, uint8
from sporax._src.compat.operators import ops

__all__ = ["FlashAttention"]


class FlashAttention(nn.Cell):
    """Attention softmax(Q Kᵀ / √d + alibi) V without the scores in memory; its successor is `ops.flash_attention_score`.

    Args:
        head_dim: The size d of a head.
        head_num: The number of heads; MindSpore 2.2.0 has no such argument, and None takes it from the query.
        dropout_rate: The share of attention weights that is dropped in training; S must then be a multiple of 8.
        prev_block_num, next_block_num: How many keys before and behind a query it sees.
        tiling_stgy_name, dp, mp, high_precision, use_mqa: Accepted; they choose Ascend's kernels and their devices.
        have_attention_mask_batch: Whether the mask is one of each row of the batch.
        alibi: Whether `alibi_mask` is added to the scores.

    Inputs:
        - **query, key, value**: Tensors (B, heads, S, d).
        - **attn_mask**: (B, S, S) or (1, S, S), 1 where a query must not look; None for no mask.
        - **alibi_mask**: (B, heads, 1, S).

    Outputs:
        A Tensor (B, heads, S, d).
    """

    def __init__(
        self,
        head_dim: int,
        head_num: int | None = None,
        dropout_rate: float = 0.0,
        prev_block_num: int = 65536,
        next_block_num: int = 65536,
        tiling_stgy_name: str = "MindIR",
        dp: int = 1,
        mp: int = 1,
        high_precision: bool = False,
        have_attention_mask_batch: bool = True,
        alibi: bool = False,
        use_mqa: bool = False,
    ) -> None:
        super().__init__()
        self.head_dim, self.head_num, self.alibi = head_dim, head_num, alibi
        self.prev, self.next = prev_block_num, next_block_num
        self.dropout_rate = dropout_rate

    def construct(
        self, query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, alibi_mask: Any = None
    ) -> Any:
        batch, heads, length, _ = query.shape
        mask = None
        if attn_mask is not None:
            mask = attn_mask.reshape(-1, 1, length, key.shape[2]).astype(uint8)
            mask = ops.broadcast_to(mask, (batch, 1, length, key.shape[2]))
        shift = None
        if self.alibi and alibi_mask is not None:
            root = math.sqrt(self.head_dim)  # the operator adds before it scales
            shift = ops.broadcast_to(alibi_mask * root, (batch, heads, length, key.shape[2])).astype(query.dtype)
        keep_prob = 1.0 - self.dropout_rate if self.training else 1.0
        drop_mask = None
        if keep_prob < 1.0:
            shape = (batch, heads, length, key.shape[2])
            bits = ops.DropoutGenMask()(shape, Tensor(keep_prob, float32))
            drop_mask = bits[: math.prod(shape) // 8].reshape(*shape[:3], shape[3] // 8)
        return ops.flash_attention_score(
            query,
            key,
            value,
            heads,
            real_shift=shift,
            drop_mask=drop_mask,
            attn_mask=mask,
            keep_prob=keep_prob,
            scalar_value=1.0 / math.sqrt(self.head_dim),
            pre_tokens=self.prev,
            next_tokens=self.next,
            input_layout="BNSD",
        )
