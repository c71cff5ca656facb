"""Linear maps, convolutions and embeddings in the forms that MindSpore lacks."""

import math

import sporax as mindspore
from sporax import mint, nn, ops


def _sides(padding):
    """Return a padding for each side from one for each dimension."""
    return padding if isinstance(padding, int) else tuple(n for n in padding for _ in range(2))


def _each(value, n):
    """Return a setting as a tuple with one item for each of n dimensions."""
    value = (value,) if isinstance(value, int) else tuple(value)
    return value * n if len(value) == 1 else value


def _bilinear(input1, input2, weight, bias=None):
    """Return x1' W x2 + b for each matrix W of the weight."""
    outputs, rows, columns = weight.shape
    half = ops.matmul(input1, weight.transpose(1, 0, 2).reshape(rows, outputs * columns))
    result = (half.reshape(*input1.shape[:-1], outputs, columns) * input2.unsqueeze(-2)).sum(-1)
    return result if bias is None else result + bias


def _conv_transpose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Return the transposed convolution: a convolution of the input, with zeros between its elements, by the flipped weight."""
    n = weight.ndim - 2
    stride, padding, output_padding, dilation = (_each(v, n) for v in (stride, padding, output_padding, dilation))
    single = input.ndim == n + 1
    x = input.unsqueeze(0) if single else input
    for axis, step in enumerate(stride, 2):
        if step > 1:
            length = x.shape[axis]
            zeros = ops.zeros_like(x).unsqueeze(axis + 1)
            x = ops.cat([x.unsqueeze(axis + 1)] + [zeros] * (step - 1), axis + 1)
            x = x.reshape(*x.shape[:axis], length * step, *x.shape[axis + 2 :])
            x = ops.split(x, [length * step - step + 1, step - 1], axis)[0]
    around = []
    for k, p, more, d in zip(weight.shape[2:], padding, output_padding, dilation, strict=True):
        around = [d * (k - 1) - p, d * (k - 1) - p + more, *around]
    cut = [max(-n, 0) for n in around]
    x = ops.pad(x, [max(n, 0) for n in around])
    for i in range(n):
        axis, first, last = x.ndim - 1 - i, cut[2 * i], cut[2 * i + 1]
        if first or last:
            x = ops.split(x, [first, x.shape[axis] - first - last, last], axis)[1]
    inputs, outputs, *size = weight.shape
    w = weight.reshape(groups, inputs // groups, outputs, *size).swapaxes(1, 2)
    w = ops.flip(w.reshape(groups * outputs, inputs // groups, *size), tuple(range(2, n + 2)))
    convolution = {1: ops.conv1d, 2: ops.conv2d, 3: ops.conv3d}[n]
    result = convolution(x, w, bias, dilation=dilation if n > 1 else dilation[0], groups=groups)
    return result.squeeze(0) if single else result


class _ConvTranspose(nn.Cell):
    """The base of the transposed convolutions, with torch's Parameters."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        dtype=None,
    ):
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f"a transposed convolution pads with zeros, not by padding_mode={padding_mode!r}")
        self.in_channels, self.out_channels, self.kernel_size = (
            in_channels,
            out_channels,
            _each(kernel_size, self.dimensions),
        )
        self.stride, self.padding, self.output_padding, self.dilation = (
            _each(setting, self.dimensions) for setting in (stride, padding, output_padding, dilation)
        )
        self.groups = groups
        shape = (in_channels, out_channels // groups, *self.kernel_size)
        bound = 1 / math.sqrt(math.prod(shape[1:]))
        dtype = dtype or mindspore.float32
        initial = mindspore.common.initializer.Uniform(bound)
        create = mindspore.common.initializer.initializer
        self.weight = mindspore.Parameter(create(initial, shape, dtype), name="weight")
        self.bias = mindspore.Parameter(create(initial, (out_channels,), dtype), name="bias") if bias else None

    def construct(self, input):
        return _conv_transpose(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self.output_padding,
            self.groups,
            self.dilation,
        )


class _ConvTranspose1d(_ConvTranspose):
    """A transposed convolution over one dimension."""

    dimensions = 1


class _ConvTranspose2d(_ConvTranspose):
    """A transposed convolution over two dimensions."""

    dimensions = 2


class _ConvTranspose3d(_ConvTranspose):
    """A transposed convolution over three dimensions."""

    dimensions = 3


def _one_hot(input, num_classes=-1):
    """Return the one-hot code of class indices; num_classes=-1 takes the largest index plus one."""
    count = int(input.max()) + 1 if num_classes == -1 else num_classes
    return (input.unsqueeze(-1) == ops.arange(count)).to(mindspore.int64)


def _embedding_of(embeddings, freeze=True, **settings):
    """Return an embedding with given rows."""
    layer = mint.nn.Embedding(*embeddings.shape, **settings, dtype=embeddings.dtype)
    layer.weight.set_data(embeddings)
    layer.weight.requires_grad = not freeze
    return layer


def _padded_embedding_of(embeddings, freeze=True, padding_idx=None):
    """Return an embedding with given rows, one of which may get no gradient."""
    layer = _PaddedEmbedding(*embeddings.shape, padding_idx, dtype=embeddings.dtype)
    layer.embedding_table.set_data(embeddings)
    layer.embedding_table.requires_grad = not freeze
    return layer


def _embedding_bag(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2.0,
    mode="mean",
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """Return the sum, mean or maximum of the rows of each bag; a bag is a row of input, or begins at an offset."""
    if input.ndim == 2:
        count, width = input.shape
        bag = ops.arange(count).unsqueeze(1).broadcast_to((count, width)).reshape(-1)
    else:
        count = offsets.shape[0] - int(include_last_offset)
        bag = (ops.arange(input.shape[0]).unsqueeze(1) >= offsets[:count]).to(mindspore.int64).sum(1) - 1
    index = input.reshape(-1).to(mindspore.int64)
    if max_norm is not None:
        mint.nn.functional.embedding(index, weight, None, max_norm, norm_type)
    rows = ops.gather(weight, index, 0)
    counted = (bag == ops.arange(count).unsqueeze(1)) & (
        index != (-1 if padding_idx is None else padding_idx % weight.shape[0])
    )
    if mode == "max":
        low = ops.where(counted.unsqueeze(2), rows, ops.full_like(rows, -math.inf)).amax(1)
        return ops.where(counted.any(1).unsqueeze(1), low, ops.zeros_like(low))
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    counted = counted.to(rows.dtype)
    result = ops.matmul(counted, rows)
    return result / counted.sum(1).clamp(min=1).unsqueeze(1) if mode == "mean" else result


class _EmbeddingBag(nn.Cell):
    """A layer of sums, means or maxima of rows of a table."""

    def __init__(self, num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, dtype=None, **settings):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.settings = {"max_norm": max_norm, "norm_type": norm_type, **settings}
        initial = mindspore.common.initializer.Normal(1.0)
        shape = (num_embeddings, embedding_dim)
        data = mindspore.common.initializer.initializer(initial, shape, dtype or mindspore.float32)
        self.weight = mindspore.Parameter(data, name="weight")

    def construct(self, input, offsets=None, per_sample_weights=None):
        return _embedding_bag(input, self.weight, offsets, per_sample_weights=per_sample_weights, **self.settings)


def _channel_shuffle(input, groups):
    """Return the channels in the order that mixes the groups."""
    batch, channels, *size = input.shape
    return input.reshape(batch, groups, channels // groups, *size).swapaxes(1, 2).reshape(input.shape)


class _CircularPad(nn.Cell):
    """Padding of the last n dimensions with the elements of the other end."""

    def __init__(self, n, padding):
        super().__init__()
        self.padding = _each(padding, 2 * n)

    def construct(self, input):
        return mint.nn.functional.pad(input, self.padding, mode="circular")


class _PaddedEmbedding(nn.Embedding):
    """An embedding of which one row begins with zeros and gets no gradient."""

    def __init__(self, num_embeddings, embedding_dim, padding_idx, dtype=None):
        initial = mindspore.common.initializer.Normal(1.0)
        row = None if padding_idx is None else padding_idx % num_embeddings
        dtype = dtype or mindspore.float32
        super().__init__(num_embeddings, embedding_dim, embedding_table=initial, padding_idx=row, dtype=dtype)

    def construct(self, ids):
        rows = super().construct(ids)
        if self.padding_idx is None:
            return rows
        return ops.where((ids == self.padding_idx).unsqueeze(-1), ops.stop_gradient(rows), rows)
