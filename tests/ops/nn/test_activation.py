"""Activation functions: smooth, along an axis, and linear in pieces."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.activation")
