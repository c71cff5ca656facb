"""Single steps of recurrent layers."""

from sporax._src.nn.recurrent import GRUCell, LSTMCell, RNNCell

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]
