"""The transformer of MindSpore 1.x, with its arguments and the names of its Parameters.

What it is without: `use_past`, layers of several experts, and sparse attention. Its products are computed in float16,
as there, unless `compute_dtype` says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sporax import Tensor, float32, nn
from sporax._src.compat.transformer._attention import (
    AttentionMask,
    FeedForward,
    MultiHeadAttention,
    VocabEmbedding,
)
from sporax._src.compat.transformer._blocks import (
    TransformerDecoderLayer,
    TransformerEncoderLayer,
    shared,
)
from sporax._src.compat.transformer._settings import (
    EmbeddingOpParallelConfig,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    default_embedding_parallel_config,
    default_transformer_config,
    default_transformer_recompute_config,
)
from sporax._src.compat.transformer.moe import default_moe_config
from sporax._src.compat.transformer.op_parallel_config import _check_config

__all__ = [
    "AttentionMask",
    "EmbeddingOpParallelConfig",
    "FeedForward",
    "MultiHeadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
    "VocabEmbedding",
    "_get_lambda_func",
    "default_embedding_parallel_config",
    "default_transformer_config",
    "default_transformer_recompute_config",
]


def _get_lambda_func(total_layer: int | None = None) -> Callable[..., None]:
    """Return what prepares layer `layer_id` of a stack: it is computed again for its gradients if its settings say so."""

    def prepare(network: nn.Cell, layer_id: int, offset: int, parallel_config: object, layers: int) -> None:
        again = getattr(parallel_config, "recompute", False)
        if again if isinstance(again, bool) else again.recompute:
            network.recompute()

    return prepare


class _Stack(nn.Cell):
    """Layers one after the other; each adds its keys and values to a tuple."""

    def __init__(
        self, layers: Sequence[nn.Cell], lambda_func: Callable[..., None] | None, offset: int, parallel_config: Any
    ) -> None:
        super().__init__()
        _check_config(parallel_config)
        self.num_layers = len(layers)
        self.blocks = nn.CellList(list(layers))
        for i, block in enumerate(layers):
            prepare = lambda_func or _get_lambda_func()
            prepare(block, layer_id=i, layers=len(layers), offset=offset, parallel_config=parallel_config)


class TransformerEncoder(_Stack):
    """A stack of `TransformerEncoderLayer`; `nn.TransformerEncoder` is its successor.

    Args:
        batch_size: Accepted.
        num_layers: How many layers.
        lambda_func: A function `(block, layer_id, layers, offset, parallel_config)` that prepares each layer.
        offset: Handed to it.
        others: See `TransformerEncoderLayer`.

    Inputs:
        - **hidden_states**: (B, S, H) or (B · S, H). **attention_mask**: (B, S, S) or None.

    Outputs:
        The result, and the keys and values of each layer.
    """

    def __init__(
        self,
        batch_size: int | None,
        num_layers: int,
        hidden_size: int,
        ffn_hidden_size: int,
        seq_length: int,
        num_heads: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        hidden_act: object = "gelu",
        post_layernorm_residual: bool = False,
        layernorm_compute_type: object = float32,
        softmax_compute_type: object = float32,
        param_init_type: object = float32,
        lambda_func: Callable[..., None] | None = None,
        offset: int = 0,
        use_past: bool = False,
        moe_config: object = default_moe_config,
        parallel_config: object = default_transformer_config,
    ) -> None:
        sizes, options = (batch_size, hidden_size, ffn_hidden_size, num_heads, seq_length), shared(locals())
        layers = [TransformerEncoderLayer(*sizes, **options) for _ in range(num_layers)]
        super().__init__(layers, lambda_func, offset, parallel_config)

    def construct(
        self, hidden_states: Tensor, attention_mask: Any, init_reset: Any = True, batch_valid_length: Any = None
    ) -> tuple[Tensor, Any]:
        presents = ()
        for block in self.blocks:
            hidden_states, present = block(hidden_states, attention_mask)
            presents = (*presents, present)
        return hidden_states, presents


class TransformerDecoder(_Stack):
    """A stack of `TransformerDecoderLayer`; `nn.TransformerDecoder` is its successor.

    Args:
        num_layers: How many layers.
        others: See `TransformerEncoder` and `TransformerDecoderLayer`.

    Outputs:
        The result, and the keys and values of each layer.
    """

    def __init__(
        self,
        num_layers: int,
        batch_size: int | None,
        hidden_size: int,
        ffn_hidden_size: int,
        src_seq_length: int,
        tgt_seq_length: int,
        num_heads: int,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        post_layernorm_residual: bool = False,
        layernorm_compute_type: object = float32,
        softmax_compute_type: object = float32,
        param_init_type: object = float32,
        hidden_act: object = "gelu",
        lambda_func: Callable[..., None] | None = None,
        use_past: bool = False,
        offset: int = 0,
        moe_config: object = default_moe_config,
        parallel_config: object = default_transformer_config,
    ) -> None:
        sizes = (hidden_size, ffn_hidden_size, num_heads, batch_size, src_seq_length, tgt_seq_length)
        options = shared(locals())
        layers = [TransformerDecoderLayer(*sizes, **options) for _ in range(num_layers)]
        super().__init__(layers, lambda_func, offset, parallel_config)

    def construct(
        self,
        hidden_states: Tensor,
        attention_mask: Any,
        encoder_output: Any = None,
        memory_mask: Any = None,
        init_reset: Any = True,
        batch_valid_length: Any = None,
    ) -> tuple[Tensor, Any]:
        presents = ()
        for block in self.blocks:
            hidden_states, present = block(hidden_states, attention_mask, encoder_output, memory_mask)
            presents = (*presents, present)
        return hidden_states, presents


class Transformer(nn.Cell):
    """An encoder and a decoder; `nn.Transformer` is its successor.

    Args:
        encoder_layers, decoder_layers: How many layers; 0 leaves the stack out.
        others: See `TransformerEncoder` and `TransformerDecoder`.

    Outputs:
        The result of the last stack, the keys and values of the encoder (None without one) and of the decoder.

    Raises:
        ValueError: If there is a decoder without an encoder.
    """

    def __init__(
        self,
        hidden_size: int,
        batch_size: int | None,
        ffn_hidden_size: int,
        src_seq_length: int,
        tgt_seq_length: int,
        encoder_layers: int = 3,
        decoder_layers: int = 3,
        num_heads: int = 2,
        attention_dropout_rate: float = 0.1,
        hidden_dropout_rate: float = 0.1,
        hidden_act: object = "gelu",
        post_layernorm_residual: bool = False,
        layernorm_compute_type: object = float32,
        softmax_compute_type: object = float32,
        param_init_type: object = float32,
        lambda_func: Callable[..., None] | None = None,
        use_past: bool = False,
        moe_config: object = default_moe_config,
        parallel_config: object = default_transformer_config,
    ) -> None:
        options = {**shared(locals()), "lambda_func": lambda_func, "parallel_config": parallel_config}
        super().__init__()
        if encoder_layers <= 0 < decoder_layers:
            raise ValueError(f"Transformer: a decoder of {decoder_layers} layers needs an encoder.")
        sizes = {"batch_size": batch_size, "hidden_size": hidden_size, "ffn_hidden_size": ffn_hidden_size}
        self.encoder = self.decoder = None
        if encoder_layers > 0:
            self.encoder = TransformerEncoder(
                num_layers=encoder_layers, seq_length=src_seq_length, num_heads=num_heads, **sizes, **options
            )
        if decoder_layers > 0:
            lengths = {"src_seq_length": src_seq_length, "tgt_seq_length": tgt_seq_length}
            self.decoder = TransformerDecoder(
                num_layers=decoder_layers, num_heads=num_heads, offset=encoder_layers, **lengths, **sizes, **options
            )

    def construct(
        self,
        encoder_inputs: Tensor,
        encoder_masks: Any,
        decoder_inputs: Any = None,
        decoder_masks: Any = None,
        memory_mask: Any = None,
        init_reset: Any = True,
        batch_valid_length: Any = None,
    ) -> tuple[Any, Any, Any]:
        output = encoded = present = decoded = None
        if self.encoder is not None:
            encoded, present = self.encoder(encoder_inputs, encoder_masks)
            output = encoded
        if self.decoder is not None:
            output, decoded = self.decoder(decoder_inputs, decoder_masks, encoded, memory_mask)
        return output, present, decoded
