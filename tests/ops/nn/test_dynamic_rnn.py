"""Recurrent layers in the form of the accelerator's operators."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.dynamic_rnn")
