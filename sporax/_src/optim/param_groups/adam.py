"""Adam and AdamW with `param_groups`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["Adam", "AdamW"]


class Adam(Optimizer):
    r"""Adam (Kingma and Ba, 2015).

    m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g², w ← w - lr · √(1 - β₂ᵗ) / (1 - β₁ᵗ) · m / (√v + eps).

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        betas: Decay of the moments, in [0, 1).
        eps: Added to the root.
        weight_decay: weight_decay · w is added to g.
        amsgrad: Accepted; it changes no values, as in MindSpore.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.Adam([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9
    """

    slots = {"exp_avg": 0.0, "exp_avg_sq": 0.0, "max_exp_avg_sq": 0.0}
    counter = "state_step"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        self._check_betas(betas)
        self._at_least("eps", eps)
        options = {"betas": tuple(betas), "eps": eps, "amsgrad": amsgrad, "maximize": maximize}
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, **options})
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: Array
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps = numbers(w, *o["betas"], o["eps"])
        t = t.astype(w.dtype)
        rate = lr * rules.bias_correction(jnp.power(b1, t), jnp.power(b2, t))
        w, m, v = rules.adam_step(w, s["exp_avg"], s["exp_avg_sq"], rate, b1, b2, eps, g)
        return w, {"exp_avg": m, "exp_avg_sq": v}


class AdamW(Optimizer):
    r"""Adam with decoupled weight decay (Loshchilov and Hutter, 2019).

    m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g²,
    w ← w · (1 - lr · weight_decay) - lr / (1 - β₁ᵗ) · m / (√(v / (1 - β₂ᵗ)) + eps).

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        betas: Decay of the moments, in [0, 1).
        eps: Added to the root.
        weight_decay: The part of w that a step of rate 1 takes away.
        amsgrad: Whether to replace v by the largest v so far.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.AdamW([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.899
    """

    slots = {"exp_avg": 0.0, "exp_avg_sq": 0.0, "max_exp_avg_sq": 0.0}
    counter = "state_step"
    decoupled = True

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        self._check_betas(betas)
        self._at_least("eps", eps)
        options = {"betas": tuple(betas), "eps": eps, "amsgrad": amsgrad, "maximize": maximize}
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, **options})
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: Array
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps, decay = numbers(w, *o["betas"], o["eps"], o["weight_decay"])
        m, v = rules.moving_average(s["exp_avg"], g, b1), rules.moving_average(s["exp_avg_sq"], g * g, b2)
        state = {"exp_avg": m, "exp_avg_sq": v}
        if o["amsgrad"]:
            v = state["max_exp_avg_sq"] = jnp.maximum(s["max_exp_avg_sq"], v)
        t = t.astype(w.dtype)
        root = jnp.sqrt(v) / jnp.sqrt(1 - jnp.power(b2, t)) + eps
        return w * (1 - lr * decay) - lr / (1 - jnp.power(b1, t)) * m / root, state


class FusedAdamW(AdamW):
    r"""AdamW under the name of MindSpore's fused kernel: a graph fuses the steps of all Parameters anyway.

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        betas: Decay of the moments, in [0, 1).
        eps: Added to the root.
        weight_decay: The part of w that a step of rate 1 takes away.
        amsgrad: Whether to replace v by the largest v so far, in all groups.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range, or `amsgrad` differs between groups.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.mint.optim.FusedAdamW([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.899
    """

    def _make_slots(self) -> None:
        flags = [group["amsgrad"] for group in self.param_groups]
        if len(set(flags)) > 1:
            raise ValueError(f"FusedAdamW: amsgrad must be the same in all groups, got {flags}.")
        super()._make_slots()
