"""LAMB."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, OptArray
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_fraction, check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params, float32, numbers

__all__ = ["Lamb"]


class Lamb(Optimizer):
    r"""LAMB (You et al., 2020): Adam whose step for each Parameter is as long as the Parameter.

    m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g², r = m / (1 - β₁ᵗ) / (√(v / (1 - β₂ᵗ)) + eps) + weight_decay · w,
    w ← w - lr · ‖w‖ / ‖r‖ · r (with the factor 1 where a norm is 0).

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`.
        beta1, beta2: Decay of the moments, in (0, 1).
        eps: Added to the root, > 0. Default 1e-6.
        weight_decay: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([3.0, 4.0]), name="w")
        >>> _ = ms.nn.Lamb([w], 0.1)((ms.Tensor([0.5, 0.0]),))
        >>> w.asnumpy().round(4)
        array([2.5, 4. ], dtype=float32)
    """

    decay_in_update = True
    params = cached_property(lambda self: self.parameters)
    device_ascend = False

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        betas = check_fraction(self, "beta1", beta1), check_fraction(self, "beta2", beta2)
        coefficients = *betas, check_number(self, "eps", eps, positive=True)
        self.beta1, self.beta2, self.eps = (Tensor([x], mstype.float32) for x in coefficients)
        zeros = [np.zeros(p.shape, p._data.dtype) for p in self.parameters]
        self._add_slot("moments1", "lamb_m.", zeros)
        self._add_slot("moments2", "lamb_v.", zeros)

    def before_update(self) -> Any:
        t = self.global_step._data.reshape(()).astype(jnp.float32)
        return 1 - jnp.power(float32(self.beta1), t), 1 - jnp.power(float32(self.beta2), t)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Array, decay: OptArray
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps = numbers(w, self.beta1, self.beta2, self.eps)
        m, v = rules.moving_average(s["moments1"], g, b1), rules.moving_average(s["moments2"], g * g, b2)
        r = m / shared[0].astype(w.dtype) / (jnp.sqrt(v / shared[1].astype(w.dtype)) + eps)
        if decay is not None:
            r = r + decay.astype(w.dtype) * w
        long, short = jnp.sqrt(jnp.sum(w * w)), jnp.sqrt(jnp.sum(r * r))
        trust = jnp.where((long > 0) & (short > 0), long / jnp.where(short > 0, short, 1), 1).astype(w.dtype)
        return w - lr * trust * r, {"moments1": m, "moments2": v}
