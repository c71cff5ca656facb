"""Primitives that stand ready-made in `mindspore.ops.function.array_func`; MindSpore's own tests use them."""

from __future__ import annotations

from sporax._src.api.ops import PUBLIC

arg_max_with_value_ = PUBLIC["ArgMaxWithValue"]()
arg_min_with_value_ = PUBLIC["ArgMinWithValue"]()
