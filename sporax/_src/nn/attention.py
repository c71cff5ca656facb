"""Multi-head attention."""

from __future__ import annotations

import math
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import HeUniform, Uniform, XavierNormal, XavierUniform
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import bad_input, label, parameter
from sporax._src.nn.linear import Dense
from sporax._src.ops.array.shape import swapaxes
from sporax._src.ops.nn.attention import multi_head_attention, multi_head_attention_dropout

__all__ = ["MultiheadAttention"]  # fmt: skip


def uniform_dense(inputs: int, outputs: int, dtype: mstype.TypeLike, has_bias: bool = True) -> Dense:
    """Return a Dense layer whose weight and bias start as U(±1/√inputs)."""
    bound = Uniform(1 / math.sqrt(inputs))
    return Dense(inputs, outputs, HeUniform(math.sqrt(5)), bound, has_bias, dtype=dtype)


class MultiheadAttention(Cell):
    """Computes softmax(q kᵀ / √d) v for several heads, with q, k and v linear maps of query, key and value.

    Args:
        embed_dim: The size E of a query, and of the result.
        num_heads: The number of heads, which divides E.
        dropout: The probability of zeroing a weight in training.
        has_bias: Whether the linear maps have a bias.
        add_bias_kv: Whether one more key and value are learnt.
        add_zero_attn: Whether one more key and value of zeros is added.
        kdim, vdim: The sizes of a key and a value; E if None.
        batch_first: Whether the inputs are (N, L, E) rather than (L, N, E).
        dtype: The dtype of the Parameters.

    Inputs:
        - **query** (Tensor) - Shape (L, N, E), or (L, E) for a single sequence.
        - **key**, **value** (Tensor) - Shape (S, N, kdim) and (S, N, vdim).
        - **key_padding_mask** (Tensor) - Keys to ignore, (N, S): booleans, or numbers added to the scores.
        - **need_weights** (bool) - Whether to return the weights too.
        - **attn_mask** (Tensor) - The same mask for each pair of query and key, (L, S) or (N · num_heads, L, S).
        - **average_attn_weights** (bool) - Whether the weights are averaged over the heads.

    Outputs:
        A tuple: the result (L, N, E), and with `need_weights` the weights (N, L, S).

    Raises:
        ValueError: If `num_heads` does not divide `embed_dim`, a shape does not fit, or a mask has another dtype.
    """

    k_is_v = q_is_k = False  # MindSpore notes here whether inputs are one Tensor

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        if num_heads < 1 or embed_dim % num_heads:
            raise ValueError(f"{label(self)}: num_heads={num_heads} must divide embed_dim={embed_dim}.")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first = embed_dim, num_heads, dropout, batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        self.dtype = dtype = mstype.float32 if dtype is None else dtype
        self._projections(dtype)
        self.in_proj_bias = parameter("zeros", (3 * embed_dim,), dtype, "in_proj_bias") if has_bias else None
        self.out_proj = uniform_dense(embed_dim, embed_dim, dtype, has_bias)
        shape = (1, 1, embed_dim)
        self.bias_k = parameter(XavierNormal(), shape, dtype, "bias_k") if add_bias_kv else None
        self.bias_v = parameter(XavierNormal(), shape, dtype, "bias_v") if add_bias_kv else None

    def _projections(self, dtype: mstype.TypeLike) -> None:
        size = self.embed_dim
        self._qkv_same_embed_dim = self.kdim == size and self.vdim == size
        self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = self.in_proj_weight = None
        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(XavierUniform(), (3 * size, size), dtype, "in_proj_weight")
            return
        for name, columns in (("q", size), ("k", self.kdim), ("v", self.vdim)):
            setattr(
                self, f"{name}_proj_weight", parameter(XavierUniform(), (size, columns), dtype, f"{name}_proj_weight")
            )

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, ...]:
        for name, mask in (("key_padding_mask", key_padding_mask), ("attn_mask", attn_mask)):
            if mask is not None and not (mask.dtype.is_floating_point or mask.dtype in (mstype.bool_, mstype.uint8)):
                raise bad_input(
                    self, f"{name} must be of dtype bool or float, got {describe(mask)}.", query=query, key=key
                )
        if query.shape[-1] != self.embed_dim:
            raise bad_input(
                self, f"last axis of query must be embed_dim={self.embed_dim}, got {query.shape[-1]}.", query=query
            )
        swapped = self.batch_first and len(query.shape) == 3
        if swapped:
            query, key, value = self._sequence_first(query, key, value)
        out, weights = self._attend(query, key, value, key_padding_mask, attn_mask, average_attn_weights)
        out = swapaxes(out, 0, 1) if swapped else out
        return (out, weights) if need_weights else (out,)

    def _sequence_first(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q = swapaxes(query, 0, 1)
        k = q if key is query else swapaxes(key, 0, 1)
        return q, k, k if value is key else swapaxes(value, 0, 1)

    def _attend(
        self, query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None, average: bool
    ) -> Any:
        separate = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        inputs = (self.in_proj_weight,) if self._qkv_same_embed_dim else separate
        biases = () if self.in_proj_bias is None else (self.in_proj_bias,)
        more = () if self.bias_k is None else (self.bias_k, self.bias_v)
        out = self.out_proj
        output = (out.weight,) if out.bias is None else (out.weight, out.bias)
        arguments = (
            query,
            key,
            value,
            inputs,
            biases,
            more,
            output,
            padding,
            mask,
            self.num_heads,
            self.add_zero_attn,
            average,
        )
        if self.training and self.dropout:
            return multi_head_attention_dropout(*arguments, rate=self.dropout)  # pyright: ignore[reportCallIssue]  (the random key is drawn)
        return multi_head_attention(*arguments)
