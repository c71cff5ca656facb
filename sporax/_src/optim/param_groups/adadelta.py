"""Adadelta with `param_groups`."""

from __future__ import annotations

from typing import Any

from sporax._src.base.typing import Array, OptArray
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    r"""Adadelta (Zeiler, 2012).

    a ← ρ a + (1 - ρ) g², d = √(u + eps) / √(a + eps) · g, u ← ρ u + (1 - ρ) d², w ← w - lr · d.

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        rho: Decay of the averages, in [0, 1].
        eps: Added under the roots.
        weight_decay: weight_decay · w is added to g.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.Adadelta([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9997
    """

    slots = {"accum": 0.0, "accum_update": 0.0}

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        self._at_least("lr", lr, strict=True)
        self._at_least("eps", eps, strict=True)
        if not 0 <= rho <= 1:
            raise ValueError(f"Adadelta: rho must be in [0, 1], got {rho}.")
        options = {"rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {"lr": lr, **options})
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: OptArray
    ) -> tuple[Array, dict[str, Array]]:
        rho, eps = numbers(w, o["rho"], o["eps"])
        w, a, u = rules.adadelta(w, s["accum"], s["accum_update"], lr, rho, eps, g)
        return w, {"accum": a, "accum_update": u}
