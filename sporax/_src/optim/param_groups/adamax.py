"""Adamax with `param_groups`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["Adamax"]


class Adamax(Optimizer):
    r"""Adamax (Kingma and Ba, 2015): Adam with the infinity norm.

    m ← β₁ m + (1 - β₁) g, v ← max(β₂ v, |g| + eps), w ← w - lr / (1 - β₁ᵗ) · m / v.

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        betas: Decay of the moments, in [0, 1).
        eps: Added to |g|.
        weight_decay: weight_decay · w is added to g.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.Adamax([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9
    """

    slots = {"exp_avg": 0.0, "exp_inf": 0.0}
    counter = "step_t"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        self._check_betas(betas)
        self._at_least("lr", lr, strict=True)
        self._at_least("eps", eps, strict=True)
        options = {"betas": tuple(betas), "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {"lr": lr, **options})
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: Array
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps = numbers(w, *o["betas"], o["eps"])
        m = rules.moving_average(s["exp_avg"], g, b1)
        v = jnp.maximum(b2 * s["exp_inf"], jnp.abs(g) + eps)
        return w - lr / (1 - jnp.power(b1, t.astype(w.dtype))) * m / v, {"exp_avg": m, "exp_inf": v}
