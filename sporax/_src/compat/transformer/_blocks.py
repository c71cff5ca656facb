"""The layers of a transformer's encoder and decoder."""

from __future__ import annotations

from typing import Any

from sporax import Tensor, float16, float32, nn
from sporax._src.compat.transformer._attention import FeedForward, MultiHeadAttention
from sporax._src.compat.transformer.layers import _LayerNorm
from sporax._src.compat.transformer.moe import _check_moe_config, default_moe_config
from sporax._src.compat.transformer.op_parallel_config import default_dpmp_config

_SHARED = (
    "attention_dropout_rate",
    "hidden_dropout_rate",
    "post_layernorm_residual",
    "layernorm_compute_type",
    "softmax_compute_type",
    "param_init_type",
    "hidden_act",
    "use_past",
    "moe_config",
)
"""Arguments that a transformer hands on to its stacks, and these to their layers."""


def shared(options: dict[str, Any]) -> dict[str, Any]:
    """Choose those arguments among the local names of a constructor."""
    return {name: options[name] for name in _SHARED}


class _Layer(nn.Cell):
    """What layers of encoder and decoder share: attention and a feed-forward part, each with a norm and a sum."""

    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        seq_length: int,
        options: dict[str, Any],
        memory_length: int | None = None,
    ) -> None:
        super().__init__()
        _check_moe_config(options["moe_config"])
        self.post_layernorm_residual = options["post_layernorm_residual"]
        self.layernorm1 = self._norm(hidden_size, options)
        self.layernorm2 = self._norm(hidden_size, options)
        self.attention = self._attention(seq_length, seq_length, hidden_size, num_heads, options)
        if memory_length is not None:
            self.cross_attention = self._attention(seq_length, memory_length, hidden_size, num_heads, options)
            self.cross_attention_layernorm = self._norm(hidden_size, options)
        self.output = FeedForward(
            hidden_size,
            ffn_hidden_size,
            options["hidden_dropout_rate"],
            options["hidden_act"],
            param_init_type=options["param_init_type"],
        )

    @staticmethod
    def _norm(hidden_size: int, options: dict[str, Any]) -> nn.Cell:
        return _LayerNorm((hidden_size,)).to_float(options["layernorm_compute_type"])

    @staticmethod
    def _attention(queries: int, keys: int, hidden_size: int, num_heads: int, options: dict[str, Any]) -> nn.Cell:
        names = ("hidden_dropout_rate", "attention_dropout_rate", "softmax_compute_type", "param_init_type", "use_past")
        return MultiHeadAttention(None, queries, keys, hidden_size, num_heads, **{n: options[n] for n in names})

    def _sum(self, before: Any, normed: Any, result: Any) -> Tensor:
        return (normed if self.post_layernorm_residual else before) + result

    def _fed_forward(self, x: Tensor) -> Tensor:
        normed = self.layernorm2(x).astype(float16)
        return self._sum(x, normed, self.output(normed))


class TransformerEncoderLayer(_Layer):
    """One layer of a `TransformerEncoder`.

    Args:
        batch_size: Accepted.
        hidden_size, ffn_hidden_size, num_heads, seq_length: Sizes.
        post_layernorm_residual: Whether the sums take what the norms gave; the last norm then comes last.
        others: See `MultiHeadAttention` and `FeedForward`.

    Inputs:
        - **x**: (B, S, H) or (B · S, H). **input_mask**: (B, S, S) or None.

    Outputs:
        The result in the shape of x, and the keys and values of the layer.
    """

    def __init__(
        self,
        batch_size: int | None,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        seq_length: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        layernorm_compute_type: object = float32,
        softmax_compute_type: object = float32,
        param_init_type: object = float32,
        hidden_act: object = "gelu",
        use_past: bool = False,
        moe_config: object = default_moe_config,
        parallel_config: object = default_dpmp_config,
    ) -> None:
        super().__init__(hidden_size, ffn_hidden_size, num_heads, seq_length, shared(locals()))

    def construct(
        self, x: Tensor, input_mask: Any = None, init_reset: Any = True, batch_valid_length: Any = None
    ) -> tuple[Tensor, Any]:
        flat = x.reshape(-1, x.shape[-1])
        normed = (flat if self.post_layernorm_residual else self.layernorm1(flat)).astype(float16)
        attended, present = self.attention(normed, normed, normed, input_mask)
        out = self._fed_forward(self._sum(flat, normed, attended))
        return (self.layernorm1(out) if self.post_layernorm_residual else out).reshape(x.shape), present


class TransformerDecoderLayer(_Layer):
    """One layer of a `TransformerDecoder`.

    Args:
        hidden_size, ffn_hidden_size, num_heads: Sizes.
        batch_size: Accepted.
        src_seq_length, tgt_seq_length: The lengths of the encoder's output and of the decoder's input.
        others: See `TransformerEncoderLayer`.

    Inputs:
        - **hidden_stats**: (B, T, H) or (B · T, H). **decoder_mask**: (B, T, T) or None.
        - **encoder_output**: (B, S, H), or None for a layer without it. **memory_mask**: (B, T, S) or None.

    Outputs:
        The result in the shape of `hidden_stats`, and keys and values: the layer's, then those of the encoder's output.
    """

    def __init__(
        self,
        hidden_size: int,
        ffn_hidden_size: int,
        num_heads: int,
        batch_size: int | None,
        src_seq_length: int,
        tgt_seq_length: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        use_past: bool = False,
        layernorm_compute_type: object = float32,
        softmax_compute_type: object = float32,
        param_init_type: object = float32,
        hidden_act: object = "gelu",
        moe_config: object = default_moe_config,
        parallel_config: object = default_dpmp_config,
    ) -> None:
        super().__init__(hidden_size, ffn_hidden_size, num_heads, tgt_seq_length, shared(locals()), src_seq_length)

    def construct(
        self,
        hidden_stats: Tensor,
        decoder_mask: Any,
        encoder_output: Any = None,
        memory_mask: Any = None,
        init_reset: Any = True,
        batch_valid_length: Any = None,
    ) -> tuple[Tensor, Any]:
        flat = hidden_stats.reshape(-1, hidden_stats.shape[-1])
        normed = self.layernorm1(flat).astype(float16)
        attended, present = self.attention(normed, normed, normed, decoder_mask)
        x = self._sum(flat, normed, attended)
        if encoder_output is not None:
            normed = self.cross_attention_layernorm(x).astype(float16)
            seen = encoder_output.astype(float16)
            attended, crossed = self.cross_attention(normed, seen, seen, memory_mask)
            x, present = self._sum(x, normed, attended), present + crossed
        return self._fed_forward(x).reshape(hidden_stats.shape), present
