"""Functions of `mindspore.ops.auto_generate.gen_ops_def` that repositories of the census import.

MindSpore's own tests use add_ext and sub_ext.
"""

from __future__ import annotations

from typing import Any

from sporax import Tensor
from sporax._src.api.ops import PUBLIC

add_ext = PUBLIC["AddExt"]()
sub_ext = PUBLIC["SubExt"]()


def format_cast(input: Tensor, acl_format: int) -> Tensor:
    """Return a Tensor as it is: Ascend's layouts of memory have no counterpart in XLA.

    Args:
        input: The Tensor.
        acl_format: The number of the layout.
    """
    return input


def index(input: Tensor, indices: Any) -> Tensor:
    """Return the elements of a Tensor at a list of Tensors of indices, one for each of the first axes."""
    return input[tuple(indices)]
