"""RMSprop with `param_groups`."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from sporax._src.base.typing import Array, OptArray
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    r"""RMSprop (Tieleman and Hinton, 2012).

    s ← α s + (1 - α) g², d = g / (√s + eps), w ← w - lr · d; with momentum u ← momentum · u + d, w ← w - lr · u;
    centred: s - h² instead of s, h ← α h + (1 - α) g.

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        alpha: Decay of the averages.
        eps: Added to the root.
        weight_decay: weight_decay · w is added to g.
        momentum: A number >= 0.
        centered: Whether to subtract the squared mean.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.RMSprop([w], lr=0.05)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.5
    """

    slots = {"mean_grad": 0.0, "mean_square": 0.0, "moment": 0.0}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        self._at_least("lr", lr, strict=True)
        self._at_least("alpha", alpha)
        self._at_least("eps", eps, strict=True)
        self._at_least("momentum", momentum)
        options = {"alpha": alpha, "eps": eps, "momentum": momentum, "centered": centered, "maximize": maximize}
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, **options})
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: OptArray
    ) -> tuple[Array, dict[str, Array]]:
        alpha, eps, momentum = numbers(w, o["alpha"], o["eps"], o["momentum"])
        square = rules.moving_average(s["mean_square"], g * g, alpha)
        state = {"mean_square": square}
        if o["centered"]:
            mean = state["mean_grad"] = rules.moving_average(s["mean_grad"], g, alpha)
            square = square - mean * mean
        d = g / (jnp.sqrt(square) + eps)
        if o["momentum"] > 0:
            d = state["moment"] = momentum * s["moment"] + d
        return w - lr * d, state
