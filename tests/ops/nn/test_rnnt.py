"""The transducer loss, and one step of an LSTM as an operator."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.rnnt")
