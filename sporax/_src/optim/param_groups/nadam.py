"""NAdam with `param_groups`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["NAdam"]


class NAdam(Optimizer):
    r"""NAdam (Dozat, 2016): Adam with Nesterov's momentum.

    μ(t) = β₁ (1 - 0.96^(t · momentum_decay) / 2), P ← P · μ(t), m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g²,
    w ← w - lr · ((1 - μ(t)) / (1 - P) · g + μ(t + 1) / (1 - P · μ(t + 1)) · m) / (√(v / (1 - β₂ᵗ)) + eps).

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        betas: Decay of the moments, in [0, 1).
        eps: Added to the root.
        weight_decay: weight_decay · w is added to g.
        momentum_decay: How fast μ rises.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.NAdam([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.8944
    """

    slots = {"exp_avg": 0.0, "exp_avg_sq": 0.0}
    counter = "step_t"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
    ) -> None:
        self._check_betas(betas)
        self._at_least("lr", lr, strict=True)
        self._at_least("eps", eps, strict=True)
        self._at_least("momentum_decay", momentum_decay)
        options = {"betas": tuple(betas), "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay}
        super().__init__(params, {"lr": lr, **options})
        self._make_slots()
        self._add_scalars("mu_product", 1.0)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: Array
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps, decay = numbers(w, *o["betas"], o["eps"], o["momentum_decay"])
        half, base = numbers(w, 0.5, 0.96)
        t = t.astype(w.dtype)
        mu, ahead = (b1 * (1 - half * jnp.power(base, n * decay)) for n in (t, t + 1))
        product = (s["mu_product"] * mu.astype(jnp.float32)).astype(w.dtype)
        m, v = rules.moving_average(s["exp_avg"], g, b1), rules.moving_average(s["exp_avg_sq"], g * g, b2)
        root = jnp.sqrt(v / (1 - jnp.power(b2, t))) + eps
        step = (1 - mu) / (1 - product) * g + ahead / (1 - product * ahead) * m
        return w - lr * step / root, {"exp_avg": m, "exp_avg_sq": v, "mu_product": product}
