"""Connectionist temporal classification: the loss over all alignments, and greedy decoding."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.ctc")
