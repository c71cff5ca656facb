"""How `mindspore.nn.wrap.loss_scale` scales gradients; `models` (`research/mm/opt`) and a repository of the census import it."""

from __future__ import annotations

from typing import Any

from sporax._src.compat.operators import ops
from sporax._src.compat.shims.boost.grad_accumulation import gradient_clear_op

grad_scale = ops.MultitypeFuncGraph("grad_scale")
_grad_scale = ops.MultitypeFuncGraph("grad_scale")
_grad_overflow = ops.MultitypeFuncGraph("_grad_overflow")
shard_grad_scale = ops.MultitypeFuncGraph("shard_grad_scale")


@_grad_overflow.register("Tensor")
def _overflow(grad: object) -> Any:
    """Return 1 if a gradient has infinities or no numbers in it, else 0."""
    return ops.FloatStatus()(grad)


@_grad_scale.register("Tensor", "Tensor")
def _unscaled(scale: Any, grad: Any) -> Any:
    """Return a gradient divided by `scale`."""
    return grad * ops.cast(ops.reciprocal(scale), grad.dtype)


@grad_scale.register("Tensor", "Tensor", "Tensor")
def _scale_sum(scale: object, grad: object, accu_grad: object) -> Any:
    """Return the sum of gradients that a Parameter holds, divided by `scale`, and set the Parameter to zeros."""
    return _scale_grad(scale, accu_grad, accu_grad)


@shard_grad_scale.register("Tensor", "Tensor", "Tensor")
def _scale_grad(scale: object, grad: object, accu_grad: object) -> Any:
    """Return a gradient divided by `scale`, and set the Parameter that sums it to zeros."""
    scaled = grad * ops.reciprocal(scale)
    gradient_clear_op(accu_grad)
    return scaled
