"""The transformer (Vaswani et al., 2017)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import initializer
from sporax._src.core.tensor import Tensor
from sporax._src.nn.activation import GELU, ReLU
from sporax._src.nn.attention import MultiheadAttention, uniform_dense
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import bad_input, label, of_type
from sporax._src.nn.containers import CellList
from sporax._src.nn.dropout import Dropout
from sporax._src.nn.layer_norm import LayerNorm
from sporax._src.ops.math.arithmetic import add
from sporax._src.ops.nn.activation import gelu, relu

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip


def _activation(cell: Cell, activation: Any) -> Callable[[Tensor], Tensor]:
    if isinstance(activation, str):
        if activation not in ("relu", "gelu"):
            raise ValueError(f"{label(cell)}: activation must be 'relu' or 'gelu', got '{activation}'.")
        return relu if activation == "relu" else gelu
    if isinstance(activation, (ReLU, GELU)) or activation is relu or activation is gelu:
        return activation
    raise ValueError(
        f"{label(cell)}: activation must be 'relu', 'gelu', ops.relu, ops.gelu, nn.ReLU() or nn.GELU(), "
        f"got {activation}."
    )


class _Layer(Cell):
    """The common part of encoder and decoder layers: the feed-forward block, and the arguments of the constructor."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        activation: str | Cell | Callable[[Tensor], Tensor],
        layer_norm_eps: float,
        batch_first: bool,
        norm_first: bool,
        dtype: mstype.TypeLike,
    ) -> None:
        super().__init__()
        self.activation1, function = activation, _activation(self, activation)
        self.d_model, self.nhead, self.dim_feedforward, self.dropout_num = d_model, nhead, dim_feedforward, dropout
        self.layernorm_eps, self.batch_first, self.norm_first, self.dtype = (
            layer_norm_eps,
            batch_first,
            norm_first,
            dtype,
        )
        self._blocks()
        self.activation = function

    def _blocks(self) -> None:
        raise NotImplementedError

    def _attention(self) -> MultiheadAttention:
        return MultiheadAttention(
            self.d_model, self.nhead, self.dropout_num, batch_first=self.batch_first, dtype=self.dtype
        )

    def _feed_forward(self, norms: int) -> None:
        """Make the feed-forward block, and a norm and a dropout for each block."""
        self.dense1 = uniform_dense(self.d_model, self.dim_feedforward, self.dtype)
        self.dropout = Dropout(p=self.dropout_num)
        self.dense2 = uniform_dense(self.dim_feedforward, self.d_model, self.dtype)
        for i in range(1, norms + 1):
            setattr(self, f"norm{i}", LayerNorm((self.d_model,), epsilon=self.layernorm_eps, dtype=self.dtype))
        for i in range(1, norms + 1):
            setattr(self, f"dropout{i}", Dropout(p=self.dropout_num))

    def _residual(self, x: Tensor, number: int, block: Callable[[Tensor], Tensor]) -> Tensor:
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return add(x, dropout(block(norm(x))))
        return norm(add(x, dropout(block(x))))

    def _dense_block(self, x: Tensor) -> Tensor:
        return self.dense2(self.dropout(self.activation(self.dense1(x))))

    def again(self) -> _Layer:
        """Return a new layer built with the same arguments."""
        return type(self)(
            self.d_model,
            self.nhead,
            self.dim_feedforward,
            self.dropout_num,
            self.activation1,
            self.layernorm_eps,
            self.batch_first,
            self.norm_first,
            dtype=self.dtype,
        )


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward block, each with a residual connection and a layer norm.

    Args:
        d_model: The size of a position.
        nhead: The number of heads.
        dim_feedforward: The size of the hidden layer.
        dropout: The probability of dropout.
        activation: `"relu"`, `"gelu"`, `ops.relu`, `ops.gelu`, `nn.ReLU()` or `nn.GELU()`.
        layer_norm_eps: The number that the layer norms add to the variance.
        batch_first: Whether the input is (N, L, d_model) rather than (L, N, d_model).
        norm_first: Whether the layer norms come before the blocks.
        dtype: The dtype of the Parameters.

    Inputs:
        - **src** (Tensor) - Shape (L, N, d_model).
        - **src_mask**, **src_key_padding_mask** (Tensor) - The masks of `MultiheadAttention`.

    Outputs:
        A Tensor of the shape of src.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Cell | Callable[[Tensor], Tensor] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype
        )

    def _blocks(self) -> None:
        self.self_attn = self._attention()
        self._feed_forward(2)

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, src_key_padding_mask, False, src_mask)[0]

        return self._residual(self._residual(src, 1, attend), 2, self._dense_block)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention over the memory and a feed-forward block, each with a residual and a layer norm.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation: As for `TransformerEncoderLayer`.
        layer_norm_eps, batch_first, norm_first, dtype: As for `TransformerEncoderLayer`.

    Inputs:
        - **tgt** (Tensor) - Shape (L, N, d_model).
        - **memory** (Tensor) - The result of the encoder, shape (S, N, d_model).
        - **tgt_mask**, **memory_mask**, **tgt_key_padding_mask**, **memory_key_padding_mask** (Tensor) - The masks.

    Outputs:
        A Tensor of the shape of tgt.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Cell | Callable[[Tensor], Tensor] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype
        )

    def _blocks(self) -> None:
        self.self_attn = self._attention()
        self.multihead_attn = self._attention()
        self._feed_forward(3)

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, tgt_key_padding_mask, False, tgt_mask)[0]

        def recall(x: Tensor) -> Tensor:
            return self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask)[0]

        return self._residual(self._residual(self._residual(tgt, 1, attend), 2, recall), 3, self._dense_block)


class TransformerEncoder(Cell):
    """A stack of encoder layers.

    Args:
        encoder_layer: A `TransformerEncoderLayer`; the layers are built with its arguments and start with equal values.
        num_layers: The number of layers.
        norm: A layer norm after the last one.
    """

    def __init__(self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        first = of_type(self, "encoder_layer", encoder_layer, TransformerEncoderLayer).again()
        self.layers = CellList([copy.deepcopy(first) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """A stack of decoder layers.

    Args:
        decoder_layer: A `TransformerDecoderLayer`; the layers are built with its arguments and start with equal values.
        num_layers: The number of layers.
        norm: A layer norm after the last one.
    """

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        first = of_type(self, "decoder_layer", decoder_layer, TransformerDecoderLayer).again()
        self.layers = CellList([copy.deepcopy(first) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder.

    Args:
        d_model, nhead: The size of a position, and the number of heads.
        num_encoder_layers, num_decoder_layers: The numbers of layers.
        dim_feedforward, dropout, activation: As for `TransformerEncoderLayer`.
        custom_encoder, custom_decoder: Cells that replace the stacks.
        layer_norm_eps, batch_first, norm_first, dtype: As for `TransformerEncoderLayer`.

    Inputs:
        - **src** (Tensor) - Shape (S, N, d_model).
        - **tgt** (Tensor) - Shape (L, N, d_model).
        - **src_mask**, **tgt_mask**, **memory_mask** (Tensor) - Masks of pairs of positions.
        - **src_key_padding_mask**, **tgt_key_padding_mask**, **memory_key_padding_mask** (Tensor) - Masks of positions.

    Outputs:
        A Tensor of the shape of tgt.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Cell | Callable[[Tensor], Tensor] = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)

        def norm() -> LayerNorm:
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        if custom_encoder is None:
            custom_encoder = TransformerEncoder(
                TransformerEncoderLayer(*options, dtype=dtype), num_encoder_layers, norm()
            )
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(
                TransformerDecoderLayer(*options, dtype=dtype), num_decoder_layers, norm()
            )
        self.encoder, self.decoder = custom_encoder, custom_decoder
        for param in self.get_parameters():
            if len(param.shape) > 1:
                param.set_data(initializer("xavier_uniform", param.shape, param.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        axis = 0 if self.batch_first else 1
        if len(src.shape) == 3 and src.shape[axis] != tgt.shape[axis]:
            raise bad_input(self, "src and tgt must have the same batch size.", src=src, tgt=tgt)
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise bad_input(self, f"the last axes of src and tgt must be d_model={self.d_model}.", src=src, tgt=tgt)
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )
