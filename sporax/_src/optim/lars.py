"""LARS, around another optimizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import holds, own
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.nn.cell.cell import Cell
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.update_rule import numbers

__all__ = ["LARS"]


def _neither_norm_nor_bias(param: Parameter) -> bool:
    return "LayerNorm" not in param.name and "bias" not in param.name


class LARS(Optimizer):
    r"""Layer-wise adaptive rate scaling (You et al., 2017): scales the gradients that another optimizer receives.

    g ← λ · (g + weight_decay · w), λ = coefficient · ‖w‖ / (‖g‖ + weight_decay · ‖w‖ + epsilon);
    with `use_clip` λ is min(λ / lr, 1). The weight decay is the other optimizer's, which then does not apply it itself.

    Args:
        optimizer: The optimizer that receives the gradients.
        epsilon: Added to the denominator.
        coefficient: The trust coefficient.
        use_clip: Whether λ is divided by the learning rate and limited to 1.
        lars_filter: Selects the Parameters whose gradients are scaled; the others' stay unchanged. Default: all but
            those with LayerNorm or bias in their names.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `use_clip` is combined with varying learning rates of groups.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([3.0, 4.0]), name="w")
        >>> opt = ms.nn.LARS(ms.nn.SGD([w], 1.0), coefficient=0.1)
        >>> _ = opt((ms.Tensor([0.0, 2.0]),))
        >>> w.asnumpy().round(3)
        array([3. , 3.5], dtype=float32)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-5,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Parameter], bool] = _neither_norm_nor_bias,
    ) -> None:
        Cell.__init__(self, auto_prefix=False)
        checks = (("optimizer", optimizer, Optimizer), ("epsilon", epsilon, float), ("coefficient", coefficient, float))
        for name, value, kind in (*checks, ("use_clip", use_clip, bool)):
            if not isinstance(value, kind):
                raise TypeError(f"For 'LARS', '{name}' must be {kind.__name__}, got {describe(value)}.")
        if use_clip and optimizer.is_group_lr and optimizer.dynamic_lr:
            raise ValueError("For 'LARS', use_clip cannot be combined with varying learning rates of groups.")
        self.opt = optimizer
        self.epsilon, self.coefficient, self.use_clip = epsilon, coefficient, use_clip
        self.parameters = self._parameters = optimizer.parameters
        self.param_length = len(self.parameters)
        self.lars_flag = tuple(bool(lars_filter(p)) for p in self.parameters)
        self._take_over(optimizer)
        self._stepper = None

    def _take_over(self, optimizer: Optimizer) -> None:
        """Move weight decay and loss scale from the optimizer to this; the optimizer no longer applies them."""
        shared = "learning_rate global_step is_group is_group_lr dynamic_lr loss_scale need_scale reciprocal_scale"
        for (
            name
        ) in f"{shared} decay_flags dynamic_decay_flags weight_decay dynamic_weight_decay exec_weight_decay".split():
            setattr(self, name, getattr(optimizer, name))
        self.global_step_increase_tensor = optimizer.global_step_increase_tensor
        self.is_group_params_ordered = self.grad_centralization = False
        optimizer.exec_weight_decay = optimizer.need_scale = False
        optimizer.decay_flags = (False,) * self.param_length

    lars, cast = holds("LARSUpdate", own.epsilon, own.coefficient, own.use_clip), holds("Cast")

    def construct(self, gradients: Sequence[Tensor]) -> Any:
        """Scale the gradients and pass them on."""
        self._check_gradients(gradients)
        gradients = self.scale_grad(gradients)
        decays = [d._data / np.float32(self.loss_scale) for d in self._each(self.get_weight_decay())]
        rates = [lr._data for lr in self._each(self.get_lr())] if self.use_clip else [None] * self.param_length
        flags = zip(self.lars_flag, self.decay_flags, strict=True)
        rows = zip(self.parameters, gradients, decays, rates, flags, strict=True)
        return self.opt(
            tuple([wrap(self._scaled(p._data, g._data, d, lr, f)) if f[0] else g for p, g, d, lr, f in rows])
        )

    def _scaled(self, w: Array, g: Array, decay: Array, lr: OptArray, flags: tuple[bool, bool]) -> Array:
        decay = decay.astype(w.dtype) if flags[1] else np.asarray(0, w.dtype)
        coefficient, epsilon = numbers(w, self.coefficient, self.epsilon)
        rate = None if lr is None else lr.astype(w.dtype)
        return rules.lars(w, g, jnp.sum(w * w), jnp.sum(g * g), decay, rate, epsilon, coefficient, self.use_clip)
