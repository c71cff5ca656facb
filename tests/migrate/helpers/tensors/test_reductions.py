"""Reductions: the rows of the torch map that use these helpers."""

from torch_map_rows import rows_of

TestRows = rows_of("sporax._src.migrate.helpers.tensors.reductions")
