"""The operators, as programs have them; they are made as `sporax` is imported, so a type checker knows none of them."""

from typing import Any

from sporax import ops as _ops

ops: Any = _ops
