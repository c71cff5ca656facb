"""Gradients of functions, under the path `ops.function.grad`."""

from sporax.ops.function.grad import grad_func
from sporax.ops.function.grad.grad_func import *  # noqa: F403
from sporax.ops.function.grad.grad_func import __all__
