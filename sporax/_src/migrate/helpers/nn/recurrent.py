"""Recurrent layers with torch's inputs: without a state, one sequence without a batch, packed sequences."""

import sporax as mindspore
from sporax import mint, nn, ops


class _PackedSequence:
    """Sequences of several lengths, step by step: first the first elements of all, then the second, and so on."""

    def __init__(self, data, batch_sizes, sorted_indices=None, unsorted_indices=None):
        self.data, self.batch_sizes = data, batch_sizes
        self.sorted_indices, self.unsorted_indices = sorted_indices, unsorted_indices

    def __iter__(self):
        return iter((self.data, self.batch_sizes, self.sorted_indices, self.unsorted_indices))

    def __getitem__(self, index):
        return tuple(self)[index]


def _lengths_of(batch_sizes):
    """Return the lengths of packed sequences, longest first."""
    sizes = [int(n) for n in batch_sizes.asnumpy()]
    return [sum(size > i for size in sizes) for i in range(sizes[0])]


def _pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack sequences that are padded to one length."""
    counts = lengths.asnumpy() if isinstance(lengths, mindspore.Tensor) else lengths
    lengths = [int(n) for n in counts]
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    if enforce_sorted and order != list(range(len(lengths))):
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True.")
    x = input.swapaxes(0, 1) if batch_first else input
    steps = [[i for i in order if lengths[i] > t] for t in range(max(lengths))]
    rows = [t * x.shape[1] + i for t, step in enumerate(steps) for i in step]
    data = x.reshape(-1, *x.shape[2:])[mindspore.Tensor(rows, mindspore.int64)]
    sizes = mindspore.Tensor([len(step) for step in steps], mindspore.int64)
    if enforce_sorted:
        return _PackedSequence(data, sizes)
    back = sorted(range(len(order)), key=lambda i: order[i])
    indices = [mindspore.Tensor(at, mindspore.int64) for at in (order, back)]
    return _PackedSequence(data, sizes, *indices)


def _padded(data, batch_sizes, padding_value=0.0, total_length=None):
    """Return packed data as steps x sequences, longest first, and the lengths."""
    lengths = _lengths_of(batch_sizes)
    steps, count = max(total_length or 0, lengths[0]), len(lengths)
    starts, at = [], 0
    for size in batch_sizes.asnumpy():
        starts.append(at)
        at += int(size)
    rows = [starts[t] + i if t < lengths[i] else at for t in range(steps) for i in range(count)]
    padding = ops.full((1, *data.shape[1:]), padding_value, dtype=data.dtype)
    x = ops.cat([data, padding])[mindspore.Tensor(rows, mindspore.int64)]
    return x.reshape(steps, count, *data.shape[1:]), lengths


def _pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Return packed sequences padded to one length, and their lengths."""
    x, lengths = _padded(sequence.data, sequence.batch_sizes, padding_value, total_length)
    lengths = mindspore.Tensor(lengths, mindspore.int64)
    if sequence.unsorted_indices is not None:
        x, lengths = x[:, sequence.unsorted_indices], lengths[sequence.unsorted_indices]
    return (x.swapaxes(0, 1) if batch_first else x), lengths


def _pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Return sequences padded to one length."""
    longest = max(s.shape[0] for s in sequences)
    rows = []
    for s in sequences:
        padding = ops.full((longest - s.shape[0], *s.shape[1:]), padding_value, dtype=s.dtype)
        parts = [s, padding] if padding_side == "right" else [padding, s]
        rows.append(ops.cat(parts) if padding.shape[0] else s)
    return ops.stack(rows, 0 if batch_first else 1)


def _pack_sequence(sequences, enforce_sorted=True):
    """Pack sequences."""
    return _pack_padded_sequence(_pad_sequence(sequences), [s.shape[0] for s in sequences], False, enforce_sorted)


def _unpad_sequence(padded_sequences, lengths, batch_first=False):
    """Return each sequence without its padding."""
    x = padded_sequences if batch_first else padded_sequences.swapaxes(0, 1)
    return [row[: int(n)] for row, n in zip(x, lengths.asnumpy(), strict=True)]


def _unpack_sequence(packed_sequences):
    """Return the packed sequences as a list."""
    return _unpad_sequence(*_pad_packed_sequence(packed_sequences))


def _each_part(function, state):
    """Apply a function to each part of a state."""
    if state is None:
        return None
    return tuple(function(part) for part in state) if isinstance(state, tuple) else function(state)


class _Recurrent(nn.Cell):
    """A recurrent layer of MindSpore with torch's inputs."""

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        dtype=None,
        **settings,
    ):
        dtype = dtype or mindspore.float32
        settings = {"has_bias": bias, "batch_first": batch_first, "dropout": float(dropout), "dtype": dtype, **settings}
        super().__init__(input_size, hidden_size, num_layers, bidirectional=bidirectional, **settings)
        self.input_size, self.bias, self.proj_size = input_size, bias, 0
        lists = (self.w_ih_list, self.w_hh_list, self.b_ih_list, self.b_hh_list)
        for parameters in zip(*lists[: 4 if bias else 2], strict=True):
            for parameter in parameters:
                self._params.pop(parameter.name, None)
                setattr(self, parameter.name, parameter)

    def construct(self, input, hx=None):
        hx = tuple(hx) if isinstance(hx, list) else hx
        if isinstance(input, _PackedSequence):
            return self.of_packed(input, hx)
        if input.ndim == 3:
            return super().construct(input, hx)
        axis = 0 if self.batch_first else 1
        output, state = super().construct(input.unsqueeze(axis), _each_part(lambda part: part.unsqueeze(1), hx))
        return output.squeeze(axis), _each_part(lambda part: part.squeeze(1), state)

    def of_packed(self, packed, hx):
        """Return the packed output and the state after each sequence."""
        x, lengths = _padded(packed.data, packed.batch_sizes)
        if packed.sorted_indices is not None:
            hx = _each_part(lambda part: part[:, packed.sorted_indices], hx)
        x = x.swapaxes(0, 1) if self.batch_first else x
        output, state = super().construct(x, hx, mindspore.Tensor(lengths, mindspore.int32))
        data = _pack_padded_sequence(output, lengths, self.batch_first).data
        if packed.unsorted_indices is not None:
            state = _each_part(lambda part: part[:, packed.unsorted_indices], state)
        return _PackedSequence(data, *packed[1:]), state

    def flatten_parameters(self):
        """Do nothing: MindSpore decides how Parameters lie in memory."""


class _LSTM(_Recurrent, nn.LSTM):
    """LSTM."""


class _GRU(_Recurrent, nn.GRU):
    """GRU."""


class _RNN(_Recurrent, nn.RNN):
    """A plain recurrent layer."""

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", *args, **kwargs):
        super().__init__(input_size, hidden_size, num_layers, *args, nonlinearity=nonlinearity, **kwargs)


class _RecurrentCell(nn.Cell):
    """One step of a recurrent layer of MindSpore, with torch's inputs."""

    def __init__(self, input_size, hidden_size, bias=True, dtype=None, **settings):
        super().__init__(input_size, hidden_size, bias, dtype=dtype or mindspore.float32, **settings)
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias

    def construct(self, input, hx=None):
        x = input.unsqueeze(0) if input.ndim == 1 else input
        if hx is None:
            hx = mint.zeros((x.shape[0], self.hidden_size), dtype=x.dtype)
            hx = (hx, hx) if isinstance(self, nn.LSTMCell) else hx
        elif input.ndim == 1:
            hx = _each_part(lambda part: part.unsqueeze(0), hx)
        state = super().construct(x, hx)
        return _each_part(lambda part: part.squeeze(0), state) if input.ndim == 1 else state


class _LSTMCell(_RecurrentCell, nn.LSTMCell):
    """One step of an LSTM."""


class _GRUCell(_RecurrentCell, nn.GRUCell):
    """One step of a GRU."""


class _RNNCell(_RecurrentCell, nn.RNNCell):
    """One step of a plain recurrent layer."""

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", dtype=None):
        super().__init__(input_size, hidden_size, bias, dtype, nonlinearity=nonlinearity)
