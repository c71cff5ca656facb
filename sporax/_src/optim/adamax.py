"""AdaMax."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_fraction, check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params, float32, numbers

__all__ = ["AdaMax"]


class AdaMax(Optimizer):
    r"""AdaMax (Kingma and Ba, 2015): Adam with the infinity norm.

    m ← β₁ m + (1 - β₁) g, v ← max(β₂ v, |g|), w ← w - lr / (1 - β₁ᵗ) · m / (v + eps).

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 0.001.
        beta1, beta2: Decay of the moments, in (0, 1).
        eps: Added to the norm, > 0.
        weight_decay, loss_scale: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.AdaMax([w], 0.5)((ms.Tensor([2.0]),))
        >>> round(w.item(), 4)
        0.5
    """

    slots = {"moment1": 0.0, "moment2": 0.0}
    opt = holds("ApplyAdaMax")

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: WeightDecay = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        betas = check_fraction(self, "beta1", beta1), check_fraction(self, "beta2", beta2)
        coefficients = *betas, check_number(self, "eps", eps, positive=True)
        self.beta1, self.beta2, self.eps = (Tensor(x, mstype.float32) for x in coefficients)
        self.beta1_power = Parameter(Tensor(np.ones(1, np.float32)), name="beta1_power")
        self._make_slots()

    def before_update(self) -> Any:
        self.beta1_power.adopt(self.beta1_power._data * float32(self.beta1))
        return self.beta1_power._data.reshape(())

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Array, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps = numbers(w, self.beta1, self.beta2, self.eps)
        w, m, v = rules.adam_max(w, s["moment1"], s["moment2"], shared.astype(w.dtype), lr, b1, b2, eps, g)
        return w, {"moment1": m, "moment2": v}
