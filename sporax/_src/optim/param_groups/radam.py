"""RAdam with `param_groups`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["RAdam"]


class RAdam(Optimizer):
    r"""RAdam (Liu et al., 2020): Adam without adaptive steps until the variance of its steps is tractable.

    With ρ∞ = 2 / (1 - β₂) - 1 and ρ = ρ∞ - 2 t β₂ᵗ / (1 - β₂ᵗ): w ← w - lr · m / (1 - β₁ᵗ) · r, where r = 1 if ρ <= 5, else
    √((ρ - 4)(ρ - 2) ρ∞ / ((ρ∞ - 4)(ρ∞ - 2) ρ)) · √(1 - β₂ᵗ) / (√v + eps).

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        betas: Decay of the moments, in [0, 1).
        eps: Added to the root.
        weight_decay: weight_decay · w is added to g.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.RAdam([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.95
    """

    slots = {"exp_avg": 0.0, "exp_avg_sq": 0.0}
    counter = "step_t"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        self._check_betas(betas)
        self._at_least("lr", lr, strict=True)
        self._at_least("eps", eps, strict=True)
        super().__init__(params, {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay})
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: Array
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps = numbers(w, *o["betas"], o["eps"])
        m, v = rules.moving_average(s["exp_avg"], g, b1), rules.moving_average(s["exp_avg_sq"], g * g, b2)
        t = t.astype(jnp.float64)  # rho is a small difference of large numbers
        power = jnp.power(np.float64(o["betas"][1]), t)
        most = np.float64(2 / (1 - o["betas"][1]) - 1)
        rho = most - 2 * t * power / (1 - power)
        sure = rho > 5
        known = jnp.where(sure, rho, 5)
        rect = jnp.sqrt((known - 4) * (known - 2) * most / ((most - 4) * (most - 2) * known)).astype(w.dtype)
        t, power = t.astype(w.dtype), power.astype(w.dtype)
        factor = jnp.where(sure, rect * jnp.sqrt(1 - power) / (jnp.sqrt(v) + eps), 1)
        return w - lr * m / (1 - jnp.power(b1, t)) * factor, {"exp_avg": m, "exp_avg_sq": v}
