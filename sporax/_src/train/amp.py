"""Mixed precision and loss scale."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.core.tree import map_leaves
from sporax._src.nn.cell import Cell
from sporax._src.nn.wrap import TrainOneStepCell, WithLossCell
from sporax._src.transform.grad import value_and_grad

LEVELS = ("O0", "O1", "O2", "O3", "auto")
_KEPT_IN_FLOAT32 = {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm"}


def auto_mixed_precision(network: Cell, amp_level: str = "O0", dtype: Any = mstype.float16) -> Cell:
    """Let a network compute in a half precision, and return it; Parameters stay in float32.

    Args:
        network: The network.
        amp_level: `"O0"` nothing; `"O1"`, `"O2"`, `"auto"` everything but normalisation; `"O3"` everything.
        dtype: `float16` or `bfloat16`.

    Raises:
        TypeError: If `network` is no Cell.
        ValueError: If `amp_level` or `dtype` is unknown.
    """
    if not isinstance(network, Cell):
        raise TypeError(f"auto_mixed_precision: network must be a Cell, got {describe(network)}.")
    if amp_level not in LEVELS:
        raise ValueError(f"auto_mixed_precision: amp_level must be one of {', '.join(LEVELS)}, got {amp_level!r}.")
    if dtype not in (mstype.float16, mstype.bfloat16):
        raise ValueError(f"auto_mixed_precision: dtype must be float16 or bfloat16, got {dtype!r}.")
    if amp_level == "O0":
        return network
    network.to_float(dtype)
    if amp_level != "O3":
        for _, cell in network.cells_and_names():
            if _KEPT_IN_FLOAT32 & {c.__name__ for c in type(cell).__mro__}:
                cell.to_float(mstype.float32)
    return _FloatOutput(network)


class _FloatOutput(Cell):
    """A network whose floating-point outputs are cast to float32."""

    def __init__(self, network: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = network

    def construct(self, *inputs: Any, **kwargs: Any) -> Any:
        return to_float32(self._backbone(*inputs, **kwargs))


def to_float32(value: Any) -> Any:
    """Return the nested value with half-precision Tensors cast to float32."""
    narrow = (mstype.float16.np_dtype, mstype.bfloat16.np_dtype)

    def widen(t: Tensor) -> Tensor:
        return t.astype(mstype.float32) if t._data.dtype in narrow else t  # type: ignore[attr-defined]

    return map_leaves(widen, value, lambda v: isinstance(v, Tensor))


# --- loss scale -----------------------------------------------------------------------------------------------------


class LossScaleManager:
    """The base of loss-scale managers."""

    def get_loss_scale(self) -> float:
        """Return the loss scale."""
        raise NotImplementedError(f"{type(self).__name__} must implement get_loss_scale().")

    def update_loss_scale(self, overflow: bool) -> None:
        """Take note of whether the last step overflowed."""

    def get_update_cell(self) -> Any:
        """Return the Cell that updates the scale in a training step, or None."""
        return None


class FixedLossScaleManager(LossScaleManager):
    """A loss scale that stays.

    Args:
        loss_scale: The scale.
        drop_overflow_update: Whether a step that overflows is left out.
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        if not isinstance(loss_scale, (int, float)) or loss_scale < 1:
            raise ValueError(f"FixedLossScaleManager: loss_scale must be a number >= 1, got {describe(loss_scale)}.")
        self._loss_scale = loss_scale
        self._drop = drop_overflow_update

    def get_loss_scale(self) -> float:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return whether a step that overflows is left out."""
        return self._drop

    def get_update_cell(self) -> Any:
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop else None


class DynamicLossScaleManager(LossScaleManager):
    """A loss scale that halves on overflow and doubles after a window without one.

    Args:
        init_loss_scale: The first scale.
        scale_factor: The factor.
        scale_window: Steps without overflow before it grows.
    """

    def __init__(self, init_loss_scale: float = 2**24, scale_factor: int = 2, scale_window: int = 2000) -> None:
        if init_loss_scale < 1:
            raise ValueError(f"DynamicLossScaleManager: init_loss_scale must be >= 1, got {init_loss_scale}.")
        self.loss_scale = init_loss_scale
        self.scale_factor, self.scale_window = scale_factor, scale_window
        self.increase_ratio, self.decrease_ratio = scale_factor, 1 / scale_factor
        self.cur_iter, self.last_overflow_iter = 1, 0

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Return True: a step that overflows is left out."""
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
        elif (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
            self.loss_scale *= self.increase_ratio
        self.cur_iter += 1

    def get_update_cell(self) -> Any:
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


class FixedLossScaleUpdateCell(Cell):
    """Keeps the loss scale: called with (scale, overflow), returns overflow."""

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value

    def get_loss_scale(self) -> float:
        """Return the loss scale."""
        return self.loss_scale_value

    def construct(self, _: Any, overflow: Tensor) -> Tensor:
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """Halves the loss scale on overflow and doubles it after a window without one: called with (scale, overflow).

    Args:
        loss_scale_value: The first scale.
        scale_factor: The factor.
        scale_window: Steps without overflow before it grows.
    """

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        self.loss_scale_value = loss_scale_value
        self.scale_factor, self.scale_window = scale_factor, scale_window
        self.cur_iter = Parameter(Tensor(1, mstype.int32), name="current_iterator_step", requires_grad=False)
        self.last_overflow_iter = Parameter(
            Tensor(0, mstype.int32), name="last_overflow_iterator_step", requires_grad=False
        )

    def get_loss_scale(self) -> float:
        """Return the first loss scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Parameter, overflow: Tensor) -> Tensor:
        flag = overflow._data.astype(bool)
        scale, now, last = loss_scale._data, self.cur_iter._data, self.last_overflow_iter._data
        lowered = jnp.maximum(scale / np.float32(self.scale_factor), np.float32(1))
        grow = (now - last) % np.int32(self.scale_window) == 0
        raised = jnp.where(grow, scale * np.float32(self.scale_factor), scale)
        loss_scale.adopt(jnp.where(flag, lowered, raised))
        self.last_overflow_iter.adopt(jnp.where(flag, now, last))
        self.cur_iter.adopt(now + np.int32(1))
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A training step under a loss scale; returns (loss, overflow, loss scale), and leaves out updates that overflow.

    Args:
        network: A network whose output is the loss.
        optimizer: The optimizer.
        scale_sense: A Tensor (a fixed scale) or an update Cell such as `DynamicLossScaleUpdateCell`.
    """

    def __init__(self, network: Cell, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer, sens=None)
        self.loss_scaling_manager: Any = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(np.float32(scale_sense.get_loss_scale()))  # type: ignore[attr-defined]
        elif not isinstance(scale_sense, Tensor):
            raise TypeError(
                f"TrainOneStepWithLossScaleCell: scale_sense must be a Cell or a Tensor, got {describe(scale_sense)}."
            )
        if scale_sense.shape not in ((), (1,)):
            raise ValueError(
                f"TrainOneStepWithLossScaleCell: scale_sense must have shape () or (1,), got {list(scale_sense.shape)}."
            )
        self.scale_sense = Parameter(Tensor(scale_sense, mstype.float32), name="scale_sense")
        self._forward = value_and_grad(self._scaled_by_state, None, self.weights, has_aux=True)

    def _scaled_by_state(self, *inputs: Any) -> tuple[Any, Any]:
        loss = self.network(*inputs)
        return loss * self.scale_sense.value().astype(loss.dtype).reshape(()), loss  # type: ignore[attr-defined]

    def set_sense_scale(self, sens: Tensor) -> None:
        """Set the loss scale of a step without an update Cell."""
        if self.loss_scaling_manager is not None or not isinstance(sens, Tensor):
            raise TypeError("set_sense_scale: the scale must be a Tensor, and there must be no update Cell.")
        self.scale_sense.set_data(sens)

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """Return (status, compute_input): overflow is read off the gradients here."""
        return False, compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Tensor:
        """Return whether any of the Tensors of `compute_output` holds NaN or Inf."""
        return wrap(jnp.logical_not(all_finite(compute_output)._data))

    def process_loss_scale(self, overflow: Tensor) -> Tensor:
        """Tell the update Cell whether the step overflowed."""
        return overflow if self.loss_scaling_manager is None else self.loss_scaling_manager(self.scale_sense, overflow)

    def construct(self, *inputs: Any) -> Any:
        (_, loss), grads = self._forward(*inputs)
        scale = self.scale_sense.value()
        grads = self.grad_reducer(
            tuple([wrap((g._data / scale._data.reshape(())).astype(g._data.dtype)) for g in grads])
        )
        overflow = self.get_overflow_status(None, grads)
        self.process_loss_scale(overflow)
        _update_unless(overflow, self.optimizer, grads)
        return loss, overflow, scale


def _update_unless(overflow: Tensor, optimizer: Cell, grads: Any) -> None:
    """Run the optimizer and keep the old state where `overflow` holds."""
    states = optimizer.states()
    before = [s._data for s in states]
    optimizer(grads)
    for state, old in zip(states, before, strict=True):
        state.adopt(jnp.where(overflow._data, old, state._data))


def all_finite(inputs: Any) -> Tensor:
    """Return whether all Tensors of a nested value are free of NaN and Inf, as a bool Tensor."""
    found: list[Any] = []
    map_leaves(lambda t: found.append(jnp.all(jnp.isfinite(t._data))), inputs, lambda v: isinstance(v, Tensor))
    return wrap(jnp.all(jnp.stack(found)) if found else jnp.asarray(True))


def build_train_network(
    network: Cell, optimizer: Any, loss_fn: Any = None, level: str = "O0", boost_level: str = "O0", **kwargs: Any
) -> Cell:
    """Return the training step of a network: loss, mixed precision, loss scale, update.

    Args:
        network: The network; with `loss_fn=None` its output is the loss.
        optimizer: The optimizer.
        loss_fn: The loss.
        level: See `auto_mixed_precision`.
        loss_scale_manager: A `LossScaleManager` (O2 and O3 take a fixed scale of 1 without one).
        boost_level: Accepted for MindSpore programs.

    Raises:
        ValueError: If `level` is unknown.
        TypeError: If an option is unknown.
    """
    unknown = set(kwargs) - {"loss_scale_manager", "keep_batchnorm_fp32", "cast_model_type"}
    if unknown:
        raise TypeError(f"build_train_network: unknown option {', '.join(sorted(unknown))}.")
    manager = kwargs.get("loss_scale_manager")
    if level != "O0" and kwargs.get("keep_batchnorm_fp32") is False:
        level = "O3"
    network = auto_mixed_precision(network, level)
    with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
    if manager is not None and manager.get_update_cell() is not None:
        return TrainOneStepWithLossScaleCell(with_loss, optimizer, manager.get_update_cell())
    return TrainOneStepCell(with_loss, optimizer, manager.get_loss_scale() if manager is not None else 1.0)
