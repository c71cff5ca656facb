"""AdamW."""

from sporax._src.optim.grouped.adam import AdamW

__all__ = [
    "AdamW",
]
