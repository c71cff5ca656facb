"""Keys and values kept in blocks (paged attention): storing them, and the attention of new tokens to them."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.paged_attention")
