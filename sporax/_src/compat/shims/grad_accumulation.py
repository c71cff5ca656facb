"""Sums of gradients over steps, as `mindspore.boost` makes them; `nn.wrap` has `GradAccumulationCell` for it."""

from __future__ import annotations

from typing import Any

from sporax import Parameter, Tensor, int32, nn
from sporax._src.compat.operators import ops

__all__ = [
    "GradientAccumulation", "_grad_overflow", "_grad_scale", "grad_scale", "gradient_accumulation_op",
    "gradient_clear_op", "shard_grad_scale",
]  # fmt: skip

gradient_accumulation_op = ops.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = ops.MultitypeFuncGraph("gradient_clear_op")
grad_scale = ops.MultitypeFuncGraph("grad_scale")
_grad_scale = ops.MultitypeFuncGraph("grad_scale")
_grad_overflow = ops.MultitypeFuncGraph("_grad_overflow")
shard_grad_scale = ops.MultitypeFuncGraph("shard_grad_scale")


@gradient_accumulation_op.register("Number", "Tensor", "Tensor")
def _accumulate(accumulation_step: int, cumulative_grad: Any, grad: Any) -> Any:
    """Add a gradient, divided by the number of steps, to a Parameter and return this."""
    ops.assign_add(cumulative_grad, grad / accumulation_step)
    return cumulative_grad


@gradient_clear_op.register("Tensor")
def _clear(cumulative_grad: Any) -> Any:
    """Set a Parameter to zeros."""
    return ops.assign(cumulative_grad, ops.zeros_like(cumulative_grad))


@_grad_overflow.register("Tensor")
def _overflow(grad: Any) -> Any:
    """Return 1 if a gradient has infinities or no numbers in it, else 0."""
    return ops.FloatStatus()(grad)


@_grad_scale.register("Tensor", "Tensor")
def _unscaled(scale: Any, grad: Any) -> Any:
    """Return a gradient divided by `scale`."""
    return grad * ops.cast(ops.reciprocal(scale), grad.dtype)


@grad_scale.register("Tensor", "Tensor", "Tensor")
def _scale_sum(scale: Any, grad: Any, accu_grad: Any) -> Any:
    """Return the sum of gradients that a Parameter holds, divided by `scale`, and set the Parameter to zeros."""
    return _scale_grad(scale, accu_grad, accu_grad)


@shard_grad_scale.register("Tensor", "Tensor", "Tensor")
def _scale_grad(scale: Any, grad: Any, accu_grad: Any) -> Any:
    """Return a gradient divided by `scale`, and set the Parameter that sums it to zeros."""
    scaled = grad * ops.reciprocal(scale)
    _clear(accu_grad)
    return scaled


class GradientAccumulation(nn.Cell):
    """Calls the optimizer once in several steps, with the mean of their gradients.

    Args:
        max_accumulation_step: The number of steps.
        optimizer: The optimizer.

    Inputs:
        - **loss**: Given back. **grads**: The gradients of a step.
    """

    def __init__(self, max_accumulation_step: int, optimizer: nn.Optimizer) -> None:
        super().__init__()
        self._max_accumulation_step = max_accumulation_step
        self.optimizer = optimizer
        self._grad_accumulation = optimizer.parameters.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, int32), name="accumulation_step")

    def construct(self, loss: Tensor, grads: Any) -> Tensor:
        for total, grad in zip(self._grad_accumulation, grads, strict=True):
            _accumulate(self._max_accumulation_step, total, grad)
        ops.assign_add(self._accumulation_step, 1)
        full = ops.greater_equal(self._accumulation_step, self._max_accumulation_step)
        ops.cond(full, self._update, self._wait)
        return loss

    def _update(self) -> Tensor:
        self.optimizer(self._grad_accumulation)
        for total in self._grad_accumulation:
            _clear(total)
        return ops.assign(self._accumulation_step, 0).value()

    def _wait(self) -> Tensor:
        return self._accumulation_step.value()
