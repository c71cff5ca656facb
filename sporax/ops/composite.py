"""Operators, under the path `ops.composite`."""

from sporax._src.ops import views
from sporax._src.ops.views import *  # noqa: F403
from sporax._src.transform.grad import GradOperation, grad, value_and_grad

__all__ = [*views.__all__, "GradOperation", "grad", "value_and_grad"]
