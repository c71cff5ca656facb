"""Attention: softmax(q · kᵀ) · v in the layouts programs use, rotary position embedding, multi-head attention."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.attention")
