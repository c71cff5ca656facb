"""Stochastic gradient descent with `param_groups`."""

from __future__ import annotations

from typing import Any

from sporax._src.base.typing import Array, OptArray
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["SGD"]


class SGD(Optimizer):
    r"""Stochastic gradient descent with momentum.

    v ← momentum · v + (1 - dampening) · g (the first step: v ← g), w ← w - lr · v (Nesterov: w - lr · (g + momentum · v)).

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        momentum, dampening: Numbers >= 0.
        weight_decay: weight_decay · w is added to g.
        nesterov: Whether to look ahead; needs momentum > 0 and no dampening.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.SGD([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.95
    """

    slots = {"accum": 0.0, "stat": 1.0}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        self._at_least("momentum", momentum)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(f"SGD: nesterov needs momentum > 0 and dampening 0, got {momentum} and {dampening}.")
        options = {
            "momentum": float(momentum),
            "dampening": float(dampening),
            "nesterov": nesterov,
            "maximize": maximize,
        }
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay, **options, "grad_centralization": False})
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: OptArray
    ) -> tuple[Array, dict[str, Array]]:
        if not o["momentum"]:
            return rules.gradient_descent(w, lr, g)[0], {}
        (momentum,) = numbers(w, o["momentum"])
        w, v, stat = rules.sgd(w, g, lr, s["accum"], momentum, s["stat"], o["dampening"], nesterov=o["nesterov"])
        return w, {"accum": v, "stat": stat}
