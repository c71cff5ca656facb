"""AdamW."""

from sporax._src.optim.param_groups.adam import AdamW

__all__ = [
    "AdamW",
]
