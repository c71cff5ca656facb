"""Steps of recurrent layers, as `mindspore.nn.layer.rnn_cells` has them; mindrl and mindnlp import them.

Each step takes the input (N, I), the state (N, H), and the weights w_ih (G · H, I), w_hh (G · H, H), b_ih and b_hh (G · H,);
the biases may be None.
"""

from __future__ import annotations

from typing import Any

from sporax import Tensor
from sporax._src.ops.nn import recurrent


def _step(mode: str, inputs: Tensor, state: tuple[Tensor, ...], *weights: object) -> Any:
    return recurrent.cell(inputs, state, tuple(w for w in weights if w is not None), mode)


def _rnn_tanh_cell(inputs: Tensor, hidden: Tensor, w_ih: object, w_hh: object, b_ih: object, b_hh: object) -> Tensor:
    """Return the state tanh(w_ih x + b_ih + w_hh h + b_hh)."""
    return _step("RNN_TANH", inputs, (hidden,), w_ih, w_hh, b_ih, b_hh)


def _rnn_relu_cell(inputs: Tensor, hidden: Tensor, w_ih: object, w_hh: object, b_ih: object, b_hh: object) -> Tensor:
    """Return the state relu(w_ih x + b_ih + w_hh h + b_hh)."""
    return _step("RNN_RELU", inputs, (hidden,), w_ih, w_hh, b_ih, b_hh)


def _gru_cell(inputs: Tensor, hidden: Tensor, w_ih: object, w_hh: object, b_ih: object, b_hh: object) -> Tensor:
    """Return the state after a step of a GRU."""
    return _step("GRU", inputs, (hidden,), w_ih, w_hh, b_ih, b_hh)


def _lstm_cell(
    inputs: Tensor, hidden: tuple[Tensor, Tensor], w_ih: object, w_hh: object, b_ih: object, b_hh: object
) -> tuple[Tensor, Tensor]:
    """Return the state (h, c) after a step of an LSTM."""
    return _step("LSTM", inputs, tuple(hidden), w_ih, w_hh, b_ih, b_hh)
