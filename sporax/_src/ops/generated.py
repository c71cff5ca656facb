"""Operators as the classes that MindSpore keeps below `ops.auto_generate`, where code for its newest releases finds them."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.ops.activation import silu
from sporax._src.ops.arithmetic import add, mul, sub
from sporax._src.ops.attention import flash_attention_score
from sporax._src.ops.conversion import cast
from sporax._src.ops.gathering import narrow
from sporax._src.ops.joining_splits import split
from sporax._src.ops.primitive import primitive
from sporax._src.ops.reduction import sum
from sporax._src.ops.sorting import topk


@primitive(
    "FlashAttentionScore(head_num, keep_prob=1.0, scale_value=1.0, pre_tokens=2147483647, next_tokens=2147483647, "
    "inner_precise=0, input_layout='BSH', sparse_mode=0)"
)
def _flash(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    real_shift: Any = None,
    drop_mask: Any = None,
    padding_mask: Any = None,
    attn_mask: Any = None,
    prefix: Any = None,
    actual_seq_qlen: Any = None,
    actual_seq_kvlen: Any = None,
    *,
    scale_value: float,
    **fixed: Any,
) -> tuple[Tensor, ...]:
    """Return (softmax_max, softmax_sum, softmax_out, attention_out), see `flash_attention_score`.

    The first three, which MindSpore keeps for its backward, have no elements.
    """
    masks = (real_shift, drop_mask, padding_mask, attn_mask, prefix)
    lengths = {"actual_seq_qlen": actual_seq_qlen, "actual_seq_kvlen": actual_seq_kvlen}
    head_num = fixed.pop("head_num")
    out = flash_attention_score(query, key, value, head_num, *masks, **lengths, scalar_value=scale_value, **fixed)
    empty = wrap(jnp.zeros((0,), jnp.float32))
    return empty, empty, empty, out


@primitive("AddExt()")
def _add(input: Any, other: Any, alpha: Any = 1) -> Tensor:
    """Return input + alpha · other."""
    return add(input, other if alpha == 1 else mul(other, alpha))


@primitive("SubExt()")
def _sub(input: Any, other: Any, alpha: Any = 1) -> Tensor:
    """Return input - alpha · other."""
    return sub(input, other if alpha == 1 else mul(other, alpha))


@primitive("SumExt()")
def _sum(input: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """Return the sum of the elements along axes."""
    return sum(input, dim, keepdim, dtype=dtype)


@primitive("SplitWithSize()")
def _split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the parts of given lengths along an axis."""
    return split(input, list(split_size), dim)


@primitive("TopkExt()")
def _topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """Return the k largest elements along an axis, and their places."""
    values, places = topk(input, k, dim, largest, sorted)
    return values, cast(places, mstype.int64)


@primitive("SliceExt()")
def _slice(input: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    """Return the elements from `start` to `end` along an axis, every `step`-th."""
    length = input.shape[dim]
    start, end = (min(max(i + length if i < 0 else i, 0), length) for i in (start, end))
    part = narrow(input, dim, start, max(end - start, 0))
    if step == 1:
        return part
    picked = [slice(None)] * input.ndim
    picked[dim] = slice(None, None, step)
    return part[tuple(picked)]


@primitive("SiLU()")
def _silu(input: Tensor) -> Tensor:
    """Return input · sigmoid(input)."""
    return silu(input)
