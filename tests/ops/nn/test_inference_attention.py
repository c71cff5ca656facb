"""Attention while a language model generates: of a prompt, or of a new token, over keys of given lengths."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.inference_attention")
