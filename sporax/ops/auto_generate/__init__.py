"""Operators, under the path `ops.auto_generate`."""

from sporax._src.compat.legacy.ops_instances import tracev2_grad_op
from sporax.ops import _namespace
from sporax.ops._namespace import *  # noqa: F403
from sporax.ops.auto_generate import gen_ops_def, gen_ops_prim

__all__ = ["tracev2_grad_op"]
__all__ += _namespace.__all__
