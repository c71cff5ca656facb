"""Recurrent layers: RNN, LSTM and GRU, as whole layers and as single steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.initializer import Uniform, initializer
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import (
    bad_input,
    choice,
    dtype_input,
    flag,
    label,
    of_type,
    parameter,
    positive,
    tensor_input,
)
from sporax._src.nn.dropout import Dropout
from sporax._src.ops.array.joining import cat
from sporax._src.ops.nn import recurrent

__all__ = [
    "GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNCell",
]  # fmt: skip

_GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}
_FLOATS = (mstype.float16, mstype.float32, mstype.bfloat16, mstype.float64)


def _check_state(cell: Cell, x: Tensor, hx: Any, parts: int) -> tuple[Tensor, ...]:
    """Return the state as a tuple of Tensors: h, and for an LSTM also c."""
    if parts == 2:
        if not isinstance(hx, (tuple, list)) or len(hx) != 2:
            raise TypeError(f"{label(cell)}.construct: hx must be a tuple of two Tensors (h, c), got {describe(hx)}.")
    else:
        hx = (hx,)
    for part in hx:
        tensor_input(cell, x=x, hx=part)
        dtype_input(cell, _FLOATS, hx=part)
    return tuple(hx)


class _RNNBase(Cell):
    """The base of recurrent layers."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.hidden_size = positive(self, "hidden_size", hidden_size)
        self.input_size = positive(self, "input_size", input_size)
        self.num_layers = positive(self, "num_layers", num_layers)
        self.dropout = of_type(self, "dropout", dropout, float)
        if not 0 <= dropout < 1:
            raise ValueError(f"{label(self)}: dropout must be in [0, 1), got {dropout}.")
        self.has_bias = flag(self, "has_bias", has_bias)
        self.batch_first = flag(self, "batch_first", batch_first)
        self.bidirectional = flag(self, "bidirectional", bidirectional)
        self.is_lstm = mode == "LSTM"
        self._mode = mode
        self.dropout_op = Dropout(p=dropout)
        self._make(dtype)

    def _make(self, dtype: mstype.TypeLike) -> None:
        """Create the Parameters, drawn by layer and stored by kind: weight_ih_l0, weight_ih_l0_reverse, weight_ih_l1, ..."""
        rows, directions = _GATES[self._mode] * self.hidden_size, 1 + self.bidirectional
        bound = 1 / math.sqrt(self.hidden_size)
        kinds: dict[str, list[Parameter]] = {kind: [] for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}

        def draw(arr: np.ndarray) -> None:
            arr[...] = np.random.uniform(-bound, bound, arr.shape)

        for layer in range(self.num_layers):
            for suffix in ("", "_reverse")[:directions]:
                columns = self.hidden_size * directions if layer else self.input_size
                shapes = {"weight_ih": (rows, columns), "weight_hh": (rows, self.hidden_size)}
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if self.has_bias else {}
                for kind, shape in shapes.items():
                    kinds[kind].append(parameter(draw, shape, dtype, f"{kind}_l{layer}{suffix}"))
        self.w_ih_list, self.w_hh_list, self.b_ih_list, self.b_hh_list = map(ParameterTuple, kinds.values())

    reverse, reverse_sequence = holds("ReverseV2", [0]), holds("ReverseSequence", 0, 1)

    def _weights(self, start: int, stop: int) -> tuple[Tensor, ...]:
        """Return the weights with indices from `start` to `stop`, grouped by index."""
        lists = (self.w_ih_list, self.w_hh_list, self.b_ih_list, self.b_hh_list)[: 4 if self.has_bias else 2]
        return tuple(kind[at] for at in range(start, stop) for kind in lists)

    def construct(
        self, x: Tensor, hx: Tensor | tuple[Tensor, ...] | None = None, seq_length: Tensor | None = None
    ) -> tuple[Tensor, Any]:
        tensor_input(self, x=x)
        dtype_input(self, _FLOATS, x=x)
        state = () if hx is None else _check_state(self, x, hx, 2 if self.is_lstm else 1)
        if seq_length is not None:
            tensor_input(self, seq_length=seq_length)
            dtype_input(self, (mstype.int32, mstype.int64), seq_length=seq_length)
        between = self.training and self.dropout > 0 and self.num_layers > 1
        run = self._layer_by_layer if between else self._all
        out, *last = run(x, state, seq_length)
        return out, tuple(last) if self.is_lstm else last[0]

    def _all(self, x: Tensor, state: tuple[Tensor, ...], seq_length: Tensor | None) -> Any:
        directions = 1 + self.bidirectional
        weights = self._weights(0, self.num_layers * directions)
        return recurrent.layers(
            x, state, seq_length, weights, self._mode, self.num_layers, directions, self.batch_first
        )

    def _layer_by_layer(self, x: Tensor, state: tuple[Tensor, ...], seq_length: Tensor | None) -> Any:
        directions = 1 + self.bidirectional
        ends: list[Any] = []
        for layer in range(self.num_layers):
            start, stop = layer * directions, (layer + 1) * directions
            own, weights = tuple(s[start:stop] for s in state), self._weights(start, stop)
            x, *end = recurrent.layers(x, own, seq_length, weights, self._mode, 1, directions, self.batch_first)
            ends.append(end)
            x = self.dropout_op(x) if layer < self.num_layers - 1 else x
        return x, *(cat(parts) for parts in zip(*ends, strict=True))


class RNN(_RNNBase):
    """A stack of recurrent layers h' = tanh(W_ih x + b_ih + W_hh h + b_hh).

    Args:
        input_size, hidden_size: The sizes of x and h.
        num_layers: The number of layers.
        has_bias: Whether there are b_ih and b_hh.
        batch_first: Whether input and output are (N, T, *) rather than (T, N, *).
        dropout: The probability of dropout between the layers, in [0, 1).
        bidirectional: Whether time also runs backwards.
        dtype: The dtype of the Parameters.
        nonlinearity: `"tanh"` or `"relu"`.

    Inputs:
        - **x** (Tensor) - Shape (T, N, input_size).
        - **hx** (Tensor) - The state at first, (num_layers · directions, N, hidden_size); None: zeros.
        - **seq_length** (Tensor) - The length of each sequence, (N,); None: T.

    Outputs:
        A tuple: the outputs (T, N, directions · hidden_size), and the state at last, of the shape of hx.

    Raises:
        TypeError: If an argument has another type.
        ValueError: If a value is out of range, or a shape does not fit.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
        *,
        nonlinearity: str = "tanh",
    ) -> None:
        mode = f"RNN_{choice('RNN', 'nonlinearity', nonlinearity, ('tanh', 'relu')).upper()}"
        super().__init__(
            mode, input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )


class GRU(_RNNBase):
    """A stack of gated recurrent layers (Cho et al., 2014).

    r = σ(W_ir x + b_ir + W_hr h + b_hr), z = σ(W_iz x + b_iz + W_hz h + b_hz),
    n = tanh(W_in x + b_in + r · (W_hn h + b_hn)), h' = (1 - z) · n + z · h.

    Args:
        input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype: As for `RNN`.

    Inputs:
        - **x**, **hx**, **seq_length** - As for `RNN`.

    Outputs:
        As for `RNN`.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )


class LSTM(_RNNBase):
    """A stack of long short-term memory layers (Hochreiter and Schmidhuber, 1997).

    i, f, o = σ(W_i x + b_i + W_h h + b_h), g = tanh(...), c' = f · c + i · g, h' = o · tanh(c').

    Args:
        input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype: As for `RNN`.

    Inputs:
        - **x**, **seq_length** - As for `RNN`.
        - **hx** (tuple) - h and c at first; None: zeros.

    Outputs:
        A tuple: the outputs, and the tuple of h and c at last.

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> out, (h, c) = ms.nn.LSTM(3, 4)(ms.Tensor(np.ones((5, 2, 3), np.float32)))
        >>> out.shape, h.shape
        ((5, 2, 4), (1, 2, 4))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        has_bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__(
            "LSTM", input_size, hidden_size, num_layers, has_bias, batch_first, dropout, bidirectional, dtype
        )


def _standard_normal(arr: np.ndarray) -> None:
    """Draw a single step's Parameters as MindSpore does before it resets them, so that later NumPy draws agree."""
    arr[...] = np.random.randn(*arr.shape)


class RNNCellBase(Cell):
    """The base of single steps."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool,
        num_chunks: int,
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__()
        self.has_bias = flag(self, "has_bias", has_bias)
        self.hidden_size = positive(self, "hidden_size", hidden_size)
        self.input_size = positive(self, "input_size", input_size)
        rows = num_chunks * hidden_size
        self.weight_ih = parameter(_standard_normal, (rows, input_size), dtype)
        self.weight_hh = parameter(_standard_normal, (rows, hidden_size), dtype)
        self.bias_ih = parameter(_standard_normal, (rows,), dtype) if has_bias else None
        self.bias_hh = parameter(_standard_normal, (rows,), dtype) if has_bias else None
        self.reset_parameters(dtype)

    def reset_parameters(self, dtype: mstype.TypeLike = mstype.float32) -> None:
        """Draw the Parameters from U(-1/√hidden_size, 1/√hidden_size)."""
        for weight in self.get_parameters():
            weight.set_data(initializer(Uniform(1 / math.sqrt(self.hidden_size)), weight.shape, dtype))

    def _step(self, x: Tensor, hx: Tensor | tuple[Tensor, ...], mode: str) -> Any:
        tensor_input(self, x=x)
        dtype_input(self, _FLOATS, x=x)
        if x.shape[-1:] != (self.input_size,):
            raise bad_input(
                self, f"last axis of x must be input_size={self.input_size}, got {list(x.shape[-1:])}.", x=x
            )
        state = _check_state(self, x, hx, 2 if mode == "LSTM" else 1)
        weights = (self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return recurrent.cell(x, state, weights if self.has_bias else weights[:2], mode)


class RNNCell(RNNCellBase):
    """One step of `RNN`.

    Args:
        input_size, hidden_size: The sizes of x and h.
        has_bias: Whether there are b_ih and b_hh.
        nonlinearity: `"tanh"` or `"relu"`.
        dtype: The dtype of the Parameters.

    Inputs:
        - **x** (Tensor) - Shape (N, input_size).
        - **hx** (Tensor) - Shape (N, hidden_size).

    Outputs:
        A Tensor of shape (N, hidden_size).
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        has_bias: bool = True,
        nonlinearity: str = "tanh",
        dtype: mstype.TypeLike = mstype.float32,
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 1, dtype)
        of_type(self, "nonlinearity", nonlinearity, str)
        self.nonlinearity = choice(self, "nonlinearity", nonlinearity, ("tanh", "relu"))

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        return self._step(x, hx, f"RNN_{self.nonlinearity.upper()}")


class GRUCell(RNNCellBase):
    """One step of `GRU`.

    Args:
        input_size, hidden_size, has_bias, dtype: As for `RNNCell`.
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: mstype.TypeLike = mstype.float32
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 3, dtype)

    def construct(self, x: Tensor, hx: Tensor) -> Tensor:
        return self._step(x, hx, "GRU")


class LSTMCell(RNNCellBase):
    """One step of `LSTM`: returns the tuple (h, c).

    Args:
        input_size, hidden_size, has_bias, dtype: As for `RNNCell`.
    """

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, dtype: mstype.TypeLike = mstype.float32
    ) -> None:
        super().__init__(input_size, hidden_size, has_bias, 4, dtype)

    support_non_tensor_inputs = True

    def construct(self, x: Tensor, hx: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return self._step(x, hx, "LSTM")
