"""Sums of gradients over steps, as `mindspore.boost.grad_accumulation` makes them; `nn.wrap` has `GradAccumulationCell` for it.

mindcv and mindone (`train_step.py`) and `models` import them.
"""

from __future__ import annotations

from typing import Any

from sporax import Parameter, Tensor, int32, nn
from sporax._src.compat.operators import ops

__all__ = [
    "GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op",
]  # fmt: skip


gradient_accumulation_op = ops.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = ops.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Number", "Tensor", "Tensor")
def _accumulate(accumulation_step: int, cumulative_grad: object, grad: Any) -> Any:
    """Add a gradient, divided by the number of steps, to a Parameter and return this."""
    ops.assign_add(cumulative_grad, grad / accumulation_step)
    return cumulative_grad


@gradient_clear_op.register("Tensor")
def _clear(cumulative_grad: object) -> Any:
    """Set a Parameter to zeros."""
    return ops.assign(cumulative_grad, ops.zeros_like(cumulative_grad))


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
