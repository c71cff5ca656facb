"""The transducer loss, and one step of an LSTM as an operator."""

import pytest
from laws.rows import laws_of
from operands import T

from sporax import ops

test_row = laws_of("sporax._src.ops.nn.rnnt")


def test_lstm_cell_options():
    args = (T(2, 3), T(2, 2), T(2, 2), T(5, 8), T(8))
    assert [t.shape for t in ops.BasicLSTMCell()(*args)] == [(2, 2)] * 7
    with pytest.raises(ValueError, match="keep_prob, state_is_tuple and activation must be"):
        ops.BasicLSTMCell(keep_prob=0.5)(*args)
