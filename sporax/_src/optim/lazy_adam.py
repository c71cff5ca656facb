"""LazyAdam and AdamOffload: variants of Adam that differ in MindSpore by sparse gradients and by the device of the update."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_fraction, check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params, float32, numbers

__all__ = ["LazyAdam", "AdamOffload"]


class _DenseAdam(Optimizer):
    """m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g², w ← w - lr · √(1 - β₂ᵗ) / (1 - β₁ᵗ) · m / (√v + eps)."""

    slots = {"moment1": 0.0, "moment2": 0.0}

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: WeightDecay = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for name, flag in (("use_locking", use_locking), ("use_nesterov", use_nesterov)):
            if not isinstance(flag, bool):
                raise TypeError(f"For '{self.cls_name}', '{name}' must be a bool, got {flag!r}.")
        betas = check_fraction(self, "beta1", beta1), check_fraction(self, "beta2", beta2)
        coefficients = *betas, check_number(self, "eps", eps, positive=True)
        self.beta1, self.beta2, self.eps = (Tensor(x, mstype.float32) for x in coefficients)
        self.use_locking, self.use_nesterov = use_locking, use_nesterov
        self.beta1_power = Parameter(Tensor(np.ones(1, np.float32)), name="beta1_power")
        self.beta2_power = Parameter(Tensor(np.ones(1, np.float32)), name="beta2_power")
        self._make_slots()

    def before_update(self) -> Any:
        self.beta1_power.adopt(self.beta1_power._data * float32(self.beta1))
        self.beta2_power.adopt(self.beta2_power._data * float32(self.beta2))
        return rules.bias_correction(self.beta1_power._data, self.beta2_power._data).reshape(())

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Array, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps = numbers(w, self.beta1, self.beta2, self.eps)
        rate = lr * shared.astype(w.dtype)
        w, m, v = rules.adam_step(w, s["moment1"], s["moment2"], rate, b1, b2, eps, g, self.use_nesterov)
        return w, {"moment1": m, "moment2": v}


class LazyAdam(_DenseAdam):
    r"""Adam. MindSpore's updates only the rows of sparse gradients; sporax's gradients are dense, so this is Adam.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 1e-3.
        beta1, beta2: Decay of the moments, in (0, 1).
        eps: Added to the root, > 0.
        use_locking: Accepted; an update is never interleaved with another.
        use_nesterov: Whether to replace m by β₁ m + (1 - β₁) g.
        weight_decay, loss_scale: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.LazyAdam([w], 0.5)((ms.Tensor([2.0]),))
        >>> round(w.item(), 4)
        0.5
    """

    target = Optimizer.target.setter(Optimizer._set_base_target)
    opt = holds("Adam", own.use_locking, own.use_nesterov)
    sparse_opt = holds("FusedSparseLazyAdam", own.use_locking, own.use_nesterov)


class AdamOffload(_DenseAdam):
    r"""Adam whose moments MindSpore computes on the host; here it is Adam on the device.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 1e-3.
        beta1, beta2: Decay of the moments, in (0, 1).
        eps: Added to the root, > 0.
        use_locking: Accepted; an update is never interleaved with another.
        use_nesterov: Whether to replace m by β₁ m + (1 - β₁) g.
        weight_decay, loss_scale: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.AdamOffload([w], 0.5)((ms.Tensor([2.0]),))
        >>> round(w.item(), 4)
        0.5
    """

    centralizes = False
    opt = holds("AdamNoUpdateParam", own.use_locking, own.use_nesterov)
    params = cached_property(lambda self: self.parameters)
