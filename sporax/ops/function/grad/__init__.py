"""Gradients of functions, under the path `ops.function.grad`."""

from sporax.ops.function.grad import grad_func  # noqa: F401
from sporax.ops.function.grad.grad_func import *  # noqa: F403
from sporax.ops.function.grad.grad_func import __all__  # noqa: F401
