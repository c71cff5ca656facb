"""Random numbers. Every call draws anew from the Generator that `seed` selects (see `core.generator`), traced or not."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.random.draws")
