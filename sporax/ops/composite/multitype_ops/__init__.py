"""Operators, under the path `ops.composite.multitype_ops`."""

from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__
from sporax.ops.composite.multitype_ops import (
    add_impl,
    div_impl,
    equal_impl,
    floordiv_impl,
    getitem_impl,
    greater_equal_impl,
    greater_impl,
    in_impl,
    less_equal_impl,
    less_impl,
    logic_not_impl,
    logical_and_impl,
    logical_or_impl,
    mod_impl,
    mul_impl,
    negative_impl,
    not_equal_impl,
    not_in_impl,
    ones_like_impl,
    pow_impl,
    setitem_impl,
    sub_impl,
    zeros_like_impl,
)
