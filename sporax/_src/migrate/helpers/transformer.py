"""The layers of a Transformer, with torch's Parameters."""

import copy
import math

import mindspore
from mindspore import mint, nn, ops

from sporax._src.migrate.helpers.attention import _MultiheadAttention
from sporax._src.migrate.helpers.norms import _LayerNorm


def _causal_mask(size, dtype=None):
    """Return what is added to scores so that nothing looks ahead."""
    ahead = ops.arange(size) > ops.arange(size).unsqueeze(1)
    zeros = ops.zeros((size, size), dtype or mindspore.float32)
    return ops.where(ahead, ops.full_like(zeros, -math.inf), zeros)


class _TransformerLayer(nn.Cell):
    """What the layers of encoder and decoder share."""

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        dtype=None,
    ):
        super().__init__()
        attention = {"dropout": dropout, "bias": bias, "batch_first": batch_first, "dtype": dtype}
        self.self_attn = _MultiheadAttention(d_model, nhead, **attention)
        if self.crosses:
            self.multihead_attn = _MultiheadAttention(d_model, nhead, **attention)
        self.linear1 = mint.nn.Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = nn.Dropout(p=dropout)
        self.linear2 = mint.nn.Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        for i in range(1, 4 if self.crosses else 3):
            setattr(self, f"norm{i}", _LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype))
            setattr(self, f"dropout{i}", nn.Dropout(p=dropout))
        named = {"relu": ops.relu, "gelu": ops.gelu}
        self.activation = named[activation] if isinstance(activation, str) else activation

    crosses = False

    def added(self, x, norm, block):
        """Return the sum of x and what a block makes of it, with the norm before the block or after the sum."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def attended(self, attention, dropout, x, memory, mask, padding):
        """Return what x finds in the memory."""
        return dropout(attention(x, memory, memory, padding, False, mask)[0])

    def fed(self, dropout, x):
        """Return x after the two linear maps."""
        return dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class _TransformerEncoderLayer(_TransformerLayer):
    """Attention and two linear maps."""

    def construct(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        x = self.added(
            src,
            self.norm1,
            lambda y: self.attended(self.self_attn, self.dropout1, y, y, src_mask, src_key_padding_mask),
        )
        return self.added(x, self.norm2, lambda y: self.fed(self.dropout2, y))


class _TransformerDecoderLayer(_TransformerLayer):
    """Attention to itself and to a memory, and two linear maps."""

    crosses = True

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=False,
        memory_is_causal=False,
    ):
        x = self.added(
            tgt,
            self.norm1,
            lambda y: self.attended(self.self_attn, self.dropout1, y, y, tgt_mask, tgt_key_padding_mask),
        )
        x = self.added(
            x,
            self.norm2,
            lambda y: self.attended(
                self.multihead_attn, self.dropout2, y, memory, memory_mask, memory_key_padding_mask
            ),
        )
        return self.added(x, self.norm3, lambda y: self.fed(self.dropout3, y))


class _TransformerEncoder(nn.Cell):
    """Layers of an encoder, one after the other."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = nn.CellList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def construct(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class _TransformerDecoder(nn.Cell):
    """Layers of a decoder, one after the other."""

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = nn.CellList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def construct(
        self,
        tgt,
        memory,
        tgt_mask=None,
        memory_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class _Transformer(nn.Cell):
    """An encoder and a decoder."""

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        custom_encoder=None,
        custom_decoder=None,
        layer_norm_eps=1e-5,
        batch_first=False,
        norm_first=False,
        bias=True,
        dtype=None,
    ):
        super().__init__()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        settings = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)

        def norm():
            return _LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)

        self.encoder = custom_encoder or _TransformerEncoder(
            _TransformerEncoderLayer(*settings, bias, dtype), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or _TransformerDecoder(
            _TransformerDecoderLayer(*settings, bias, dtype), num_decoder_layers, norm()
        )
        for parameter in self.get_parameters():
            if parameter.ndim > 1:
                initial = mindspore.common.initializer.XavierUniform()
                drawn = mindspore.common.initializer.initializer(initial, parameter.shape, parameter.dtype)
                parameter.set_data(drawn.init_data())

    generate_square_subsequent_mask = staticmethod(_causal_mask)

    def construct(
        self,
        src,
        tgt,
        src_mask=None,
        tgt_mask=None,
        memory_mask=None,
        src_key_padding_mask=None,
        tgt_key_padding_mask=None,
        memory_key_padding_mask=None,
        src_is_causal=None,
        tgt_is_causal=None,
        memory_is_causal=False,
    ):
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        paddings = tgt_key_padding_mask, memory_key_padding_mask
        return self.decoder(tgt, memory, tgt_mask, memory_mask, *paddings)
