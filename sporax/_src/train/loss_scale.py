"""Loss scale: managers, Cells that update the scale, the training step with a scale, and scalers for functions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.api.primitives.higher_order import HyperMap
from sporax._src.base.config import get_context
from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import tracing
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.dist.primitives import CLASSES
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.wrap import TrainOneStepCell
from sporax._src.processes.parallel_context import ParallelMode
from sporax._src.train.callbacks.monitor import check_int
from sporax._src.train.scaler import all_finite, check_scale, unscaled
from sporax._src.transform.grad import value_and_grad

# --- managers -------------------------------------------------------------------------------------------------------


class LossScaleManager:
    """The base of loss-scale managers, from which `Model` and `build_train_network` get the scale."""

    def get_loss_scale(self) -> float:
        """Return the loss scale."""
        raise NotImplementedError(f"{type(self).__name__} must implement get_loss_scale().")

    def update_loss_scale(self, overflow: bool) -> None:
        """Update the scale after a step, given whether the step overflowed."""

    def get_update_cell(self) -> Any:
        """Return the Cell that updates the scale in a training step, or None."""
        return None


class FixedLossScaleManager(LossScaleManager):
    """A constant loss scale.

    Args:
        loss_scale: The scale, >= 1. The optimizer needs the same scale if `drop_overflow_update` is False.
        drop_overflow_update: Whether a step that overflows is left out.

    Raises:
        ValueError: If `loss_scale` is less than 1.

    Examples:
        >>> import sporax as ms
        >>> ms.FixedLossScaleManager(1024.0).get_loss_scale()
        1024.0
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        self._loss_scale = check_scale("FixedLossScaleManager", "loss_scale", loss_scale)
        self._drop = drop_overflow_update

    def get_loss_scale(self) -> float:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return whether a step that overflows is left out."""
        return self._drop

    def get_update_cell(self) -> Any:
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A loss scale that falls on overflow and grows after a window without one.

    Args:
        init_loss_scale: The first scale, >= 1.
        scale_factor: The factor, > 0.
        scale_window: Steps without overflow before it grows, > 0.

    Raises:
        ValueError: If a number is out of range.
        RuntimeError: If 1000 steps in a row overflow.

    Examples:
        >>> import sporax as ms
        >>> manager = ms.DynamicLossScaleManager(init_loss_scale=8, scale_window=1)
        >>> manager.update_loss_scale(True)
        >>> manager.get_loss_scale()
        4.0
    """

    def __init__(self, init_loss_scale: float = 2**24, scale_factor: int = 2, scale_window: int = 2000) -> None:
        label = type(self).__name__
        self.loss_scale = check_scale(label, "init_loss_scale", init_loss_scale)
        self.scale_window = check_int(label, "scale_window", scale_window, 1)
        if scale_factor <= 0:
            raise ValueError(f"{label}: scale_factor must be greater than 0, got {scale_factor}.")
        self.scale_factor = scale_factor
        self.increase_ratio, self.decrease_ratio = scale_factor, 1 / scale_factor
        self.cur_iter, self.last_overflow_iter = 1, 0
        self.bad_step, self.bad_step_max = 0, 1000

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return True: a step that overflows is left out."""
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        self.bad_step = self.bad_step + 1 if overflow else 0
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
        elif (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
            self.loss_scale *= self.increase_ratio
        if self.bad_step > self.bad_step_max:
            raise RuntimeError(f"DynamicLossScaleManager: {self.bad_step} steps in a row overflowed.")
        self.cur_iter += 1

    def get_update_cell(self) -> Any:
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


# --- update Cells ---------------------------------------------------------------------------------------------------


class FixedLossScaleUpdateCell(Cell):
    """Keeps the loss scale: called with (scale, overflow), returns overflow.

    Args:
        loss_scale_value: The scale.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.FixedLossScaleUpdateCell(1024).get_loss_scale()
        1024
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """Return the loss scale."""
        return self.loss_scale_value

    def construct(self, _: Any, overflow: Tensor) -> Tensor:
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """Lowers the loss scale on overflow and raises it after a window without one: called with (scale, overflow).

    The scale stays if a raise would exceed float32's range (MindSpore's becomes infinite in this case, and every later
    step overflows).

    Args:
        loss_scale_value: The first scale.
        scale_factor: The factor.
        scale_window: Steps without overflow before it grows.

    Examples:
        >>> import sporax as ms
        >>> scale = ms.Parameter(ms.Tensor(8.0, ms.float32), name="scale")
        >>> _ = ms.nn.DynamicLossScaleUpdateCell(8, 2, 100)(scale, ms.Tensor(True))
        >>> scale.item()
        4.0
    """

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value
        factor = check_int("DynamicLossScaleUpdateCell", "scale_factor", scale_factor, 1)
        window = check_int("DynamicLossScaleUpdateCell", "scale_window", scale_window, 1)
        self.scale_factor, self.scale_window = Tensor(factor, mstype.float32), Tensor(window, mstype.int32)
        one, zero = Tensor(1, mstype.int32), Tensor(0, mstype.int32)
        self.cur_iter = Parameter(one, name="current_iterator_step", requires_grad=False)
        self.last_overflow_iter = Parameter(zero, name="last_overflow_iterator_step", requires_grad=False)

    # What MindSpore's Cell computes with.
    minimum_loss_scale = cached_property(lambda self: Tensor(1.0, mstype.float32))
    const_true = cached_property(lambda self: Tensor(True, mstype.bool_))
    select, max, reciprocal, less_equal = holds("Select"), holds("Maximum"), holds("Reciprocal"), holds("LessEqual")
    logic_and, logic_or, logic_not = holds("LogicalAnd"), holds("LogicalOr"), holds("LogicalNot")

    def get_loss_scale(self) -> float:
        """Return the first loss scale."""
        return self.loss_scale_value

    def __call__(self, loss_scale: Parameter, overflow: Tensor) -> Tensor:
        # Not a graph of its own: the scale is another Cell's Parameter, written here.
        return self.construct(loss_scale, overflow)

    def construct(self, loss_scale: Parameter, overflow: Tensor) -> Tensor:
        numbers = self.scale_factor._data, self.scale_window._data
        states = loss_scale, self.cur_iter, self.last_overflow_iter
        for state, value in zip(states, _rescaled(*[s._data for s in states], overflow._data, *numbers), strict=True):
            state.adopt(value)
        return overflow


@jax.jit
def _rescaled(
    scale: Array, now: Array, last: Array, overflow: Array, factor: Array, window: Array
) -> tuple[Any, Any, Any]:
    flag = overflow.astype(bool).reshape(())
    due = now - last >= window
    raised = jnp.where(due & jnp.isfinite(scale * factor), scale * factor, scale)
    return jnp.where(flag, jnp.maximum(scale / factor, 1), raised), now + np.int32(1), jnp.where(flag | due, now, last)


# --- the training step ----------------------------------------------------------------------------------------------


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step under a loss scale; returns (loss, overflow, loss scale), and leaves out updates that overflow.

    Args:
        network: A network whose output is the loss.
        optimizer: The optimizer.
        scale_sense: A Tensor of shape () or (1,) (a fixed scale) or an update Cell such as
            `DynamicLossScaleUpdateCell`.

    Raises:
        TypeError: If `scale_sense` is neither.
        ValueError: If the Tensor has another shape.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.WithLossCell(ms.nn.Dense(2, 1), ms.nn.MSELoss())
        >>> manager = ms.nn.DynamicLossScaleUpdateCell(1024, 2, 1000)
        >>> step = ms.nn.TrainOneStepWithLossScaleCell(net, ms.nn.SGD(net.trainable_params()), manager)
        >>> loss, overflow, scale = step(ms.Tensor([[1.0, 1.0]]), ms.Tensor([[1.0]]))
        >>> overflow.item(), scale.item()
        (False, 1024.0)
    """

    def __init__(self, network: Cell, optimizer: object, scale_sense: Tensor | Cell) -> None:
        super().__init__(network, optimizer, sens=None)
        self.loss_scaling_manager: Any = None
        label = "TrainOneStepWithLossScaleCell"
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(np.float32(self.loss_scaling_manager.get_loss_scale()))
        elif not isinstance(scale_sense, Tensor):
            raise TypeError(f"{label}: scale_sense must be a Cell or a Tensor, got {describe(scale_sense)}.")
        if scale_sense.shape not in ((), (1,)):
            raise ValueError(f"{label}: scale_sense must have shape () or (1,), got {list(scale_sense.shape)}.")
        self.scale_sense = Parameter(Tensor(scale_sense, mstype.float32), name="scale_sense")
        self._any_overflow = CLASSES["AllReduce"]("max")
        self._forward = value_and_grad(self._scaled_by_state, None, self.weights, has_aux=True)

    # What MindSpore's Cell looks for an overflow with.
    base = cached_property(lambda self: Tensor(1, mstype.float32))
    base0 = cached_property(lambda self: Tensor(0, mstype.int32))
    hyper_map, enable_tuple_broaden, enable_allfinite = HyperMap(), True, True
    reduce_sum, reduce_all, allreduce = holds("ReduceSum"), holds("ReduceAll"), holds("AllReduce")
    equal, less_equal, logic_not = holds("Equal"), holds("LessEqual"), holds("LogicalNot")
    is_distributed = cached_property(lambda self: self.parallel_mode != ParallelMode.STAND_ALONE)
    gpu_target = cached_property(lambda self: get_context("device_target") == "GPU")
    ascend_910a_target = ascend_910b_target = False

    def _scaled_by_state(self, *inputs: object) -> tuple[Any, Any]:
        loss = self.network(*inputs)
        return loss * self.scale_sense.value().astype(loss.dtype).reshape(()), loss

    def set_sense_scale(self, sens: Tensor) -> None:
        """Set the loss scale of a step without an update Cell.

        Raises:
            TypeError: If `sens` is not a Tensor, or there is an update Cell.
        """
        if self.loss_scaling_manager is not None or not isinstance(sens, Tensor):
            raise TypeError("set_sense_scale: the scale must be a Tensor, and there must be no update Cell.")
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond: object, compute_input: object) -> tuple[Any, Any]:
        """Return (status, compute_input); sporax detects overflow in the gradients."""
        return False, compute_input

    def get_overflow_status(self, status: object, compute_output: object) -> Tensor:
        """Return whether any of the Tensors of `compute_output` holds NaN or Inf, in this process or another one it trains with."""
        overflow = wrap(jnp.logical_not(all_finite(compute_output)._data))
        if not self.reducer_flag:
            return overflow
        return self._any_overflow(overflow.astype(mstype.int32)).astype(mstype.bool_)

    def process_loss_scale(self, overflow: Tensor) -> Tensor:
        """Tell the update Cell whether the step overflowed."""
        return overflow if self.loss_scaling_manager is None else self.loss_scaling_manager(self.scale_sense, overflow)

    def _one_step(self, *inputs: Any) -> Any:
        (_, loss), grads = self._forward(*inputs)
        scale = self.scale_sense.value()
        grads = self.grad_reducer(unscaled(scale, grads))
        overflow = self.get_overflow_status(None, grads)
        self.process_loss_scale(overflow)
        _update_unless(overflow, self.optimizer, grads)
        return loss, overflow, scale


def _update_unless(overflow: Tensor, optimizer: Cell, grads: object) -> None:
    """Run the optimizer unless `overflow` is true; in a graph, run it and keep the old state if `overflow` is true."""
    if not tracing():
        if not bool(overflow._data):
            optimizer(grads)
        return
    states = optimizer._sporax_states()
    before = [s._data for s in states]
    optimizer(grads)
    for state, old in zip(states, before, strict=True):
        state.adopt(jnp.where(overflow._data, old, state._data))
