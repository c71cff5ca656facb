"""Attention and the layers of a Transformer, with torch's Parameters."""

import copy
import enum
import math

import sporax as mindspore
from sporax import mint, nn, ops
from sporax._src.migrate.helpers.nn.norms import _LayerNorm


class _SDPBackend(enum.IntEnum):
    """Names for kernels of attention, which a program may compare; the compiler chooses the kernel."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


def _scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """Return softmax(q k' scale + mask) v; a query whose keys are all masked gets zeros."""
    if enable_gqa:
        key = ops.repeat_interleave(key, query.shape[-3] // key.shape[-3], -3)
        value = ops.repeat_interleave(value, query.shape[-3] // value.shape[-3], -3)
    dtype = query.dtype
    if dtype in (mindspore.float16, mindspore.bfloat16):
        query, key, value = (x.to(mindspore.float32) for x in (query, key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = ops.matmul(query * math.sqrt(scale), key.swapaxes(-2, -1) * math.sqrt(scale))
    if is_causal:
        rows, columns = ops.arange(query.shape[-2]), ops.arange(key.shape[-2])
        attn_mask = columns <= rows.unsqueeze(1)
    if attn_mask is not None and attn_mask.dtype == mindspore.bool_:
        scores = ops.where(attn_mask, scores, ops.full_like(scores, -math.inf))
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = ops.softmax(scores, -1)
    if attn_mask is not None:
        weights = ops.where((scores == -math.inf).all(-1, keep_dims=True), ops.zeros_like(weights), weights)
    weights = ops.dropout(weights, p=dropout_p) if dropout_p > 0 else weights
    return ops.matmul(weights, value).to(dtype)


def _causal_bias(rows, columns, corner="upper"):
    """Return a causal mask, True where attention is allowed; its diagonal meets the upper left or lower right corner."""
    shift = columns - rows if corner == "lower" else 0
    return ops.arange(columns) <= ops.arange(rows).unsqueeze(1) + shift


def _additive(mask, dtype):
    """Return a mask as numbers to add to the scores; True in a mask of booleans excludes a key."""
    if mask is None or mask.dtype != mindspore.bool_:
        return mask
    return ops.where(mask, ops.full(mask.shape, -math.inf, dtype=dtype), ops.zeros(mask.shape, dtype))


def _projected(query, key, value, weights, biases):
    """Return the projections of query, key and value."""
    biases = (None, None, None) if biases is None else ops.chunk(biases, 3)
    return [mint.nn.functional.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]


def _multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    """Return attention by several heads and its weights; operands have the axes length, batch, features."""
    single = query.ndim == 2
    if single:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    (target, batch, features), size = query.shape, query.shape[2] // num_heads
    separate = (q_proj_weight, k_proj_weight, v_proj_weight)
    weights = separate if use_separate_proj_weight else ops.chunk(in_proj_weight, 3)
    q, k, v = _projected(query, key, value, weights, in_proj_bias)
    attn_mask = _additive(attn_mask, q.dtype)
    key_padding_mask = _additive(key_padding_mask, q.dtype)
    more = 0
    if bias_k is not None and bias_v is not None:
        more += 1
        k, v = (ops.cat([x, b.broadcast_to((1, batch, features))]) for x, b in ((k, bias_k), (v, bias_v)))
    q, k, v = (x.reshape(x.shape[0], batch * num_heads, size).swapaxes(0, 1) for x in (q, k, v))
    k, v = k if static_k is None else static_k, v if static_v is None else static_v
    if add_zero_attn:
        more += 1
        k, v = (ops.cat([x, ops.zeros((batch * num_heads, 1, size), x.dtype)], 1) for x in (k, v))
    source = k.shape[1]
    mask = None
    if attn_mask is not None:
        mask = attn_mask.unsqueeze(0) if attn_mask.ndim == 2 else attn_mask
        mask = ops.pad(mask, (0, more)) if more else mask
    if key_padding_mask is not None:
        padding = ops.pad(key_padding_mask, (0, more)) if more else key_padding_mask
        padding = padding.reshape(batch, 1, 1, source).broadcast_to((batch, num_heads, 1, source))
        padding = padding.reshape(batch * num_heads, 1, source)
        mask = padding if mask is None else mask + padding
    dropout_p = dropout_p if training else 0.0
    shares = None
    if need_weights:
        scores = ops.matmul(q * math.sqrt(1 / size), k.swapaxes(1, 2))
        shares = ops.softmax(scores if mask is None else scores + mask, -1)
        shares = ops.dropout(shares, p=dropout_p) if dropout_p > 0 else shares
        result = ops.matmul(shares, v)
        shares = shares.reshape(batch, num_heads, target, source)
        shares = shares.mean(1) if average_attn_weights else shares
    else:
        result = _scaled_dot_product_attention(q, k, v, mask, dropout_p)
    result = result.swapaxes(0, 1).reshape(target, batch, features)
    result = mint.nn.functional.linear(result, out_proj_weight, out_proj_bias)
    if single:
        return result.squeeze(1), None if shares is None else shares.squeeze(0)
    return result, shares


class _MultiheadAttention(nn.Cell):
    """Attention by several heads."""

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        dtype=None,
    ):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        dtype = dtype or mindspore.float32
        initial, create = mindspore.common.initializer, mindspore.common.initializer.initializer

        def weight(name, *shape):
            bound = math.sqrt(6 / (shape[0] + shape[1]))
            return mindspore.Parameter(create(initial.Uniform(bound), shape, dtype), name=name)

        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if self._qkv_same_embed_dim:
            self.in_proj_weight = weight("in_proj_weight", 3 * embed_dim, embed_dim)
        else:
            self.q_proj_weight = weight("q_proj_weight", embed_dim, embed_dim)
            self.k_proj_weight = weight("k_proj_weight", embed_dim, self.kdim)
            self.v_proj_weight = weight("v_proj_weight", embed_dim, self.vdim)
        zeros = create("zeros", (3 * embed_dim,), dtype)
        self.in_proj_bias = mindspore.Parameter(zeros, name="in_proj_bias") if bias else None
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            normal = initial.Normal(math.sqrt(2 / (1 + embed_dim)))
            self.bias_k = mindspore.Parameter(create(normal, (1, 1, embed_dim), dtype), name="bias_k")
            self.bias_v = mindspore.Parameter(create(normal, (1, 1, embed_dim), dtype), name="bias_v")
        self.out_proj = mint.nn.Linear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        if bias:
            self.out_proj.bias.set_data(create("zeros", (embed_dim,), dtype).init_data())

    def construct(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        swapped = self.batch_first and query.ndim == 3
        if swapped:
            query, key, value = (x.swapaxes(0, 1) for x in (query, key, value))
        result, shares = _multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            self.training,
            key_padding_mask,
            need_weights,
            attn_mask,
            not self._qkv_same_embed_dim,
            self.q_proj_weight,
            self.k_proj_weight,
            self.v_proj_weight,
            average_attn_weights=average_attn_weights,
        )
        return result.swapaxes(0, 1) if swapped else result, shares


def _causal_mask(size, dtype=None):
    """Return the numbers to add to the scores so that no position attends to later ones."""
    ahead = ops.arange(size) > ops.arange(size).unsqueeze(1)
    zeros = ops.zeros((size, size), dtype or mindspore.float32)
    return ops.where(ahead, ops.full_like(zeros, -math.inf), zeros)


class _TransformerLayer(nn.Cell):
    """The base of the layers of encoder and decoder."""

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
        """Return the sum of x and a block of x, with the norm before the block or after the sum."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        """Return the attention of x to itself."""
        return self.dropout1(self.self_attn(x, x, x, key_padding_mask, False, attn_mask)[0])

    def _ff_block(self, x):
        """Return the feed-forward block of x."""
        last = self.dropout3 if self.crosses else self.dropout2
        return last(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class _TransformerEncoderLayer(_TransformerLayer):
    """A layer of an encoder: attention and a feed-forward block."""

    def construct(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        x = self.added(
            src, self.norm1, lambda y: self._sa_block(y, src_mask, src_key_padding_mask, is_causal=is_causal)
        )
        return self.added(x, self.norm2, self._ff_block)


class _TransformerDecoderLayer(_TransformerLayer):
    """A layer of a decoder: attention to itself, attention to a memory, and a feed-forward block."""

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
        x = self.added(tgt, self.norm1, lambda y: self._sa_block(y, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self.added(
            x,
            self.norm2,
            lambda y: self._mha_block(y, memory, memory_mask, memory_key_padding_mask, memory_is_causal),
        )
        return self.added(x, self.norm3, self._ff_block)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        """Return the attention of x to the memory."""
        return self.dropout2(self.multihead_attn(x, mem, mem, key_padding_mask, False, attn_mask)[0])


class _TransformerEncoder(nn.Cell):
    """An encoder: a sequence of layers."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = nn.CellList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def construct(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class _TransformerDecoder(nn.Cell):
    """A decoder: a sequence of layers."""

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
