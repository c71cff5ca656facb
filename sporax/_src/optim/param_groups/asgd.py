"""Averaged SGD with `param_groups`."""

from __future__ import annotations

from typing import Any

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.optim.asgd import averaged
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params

__all__ = ["ASGD"]


class ASGD(Optimizer):
    r"""Averaged stochastic gradient descent (Polyak and Juditsky, 1992).

    w ← w · (1 - lambd · η) - η · g, ax ← ax + μ (w - ax), η ← lr / (1 + lambd · lr · t)^alpha, μ ← 1 / max(1, t - t0).

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        lambd: The decay term.
        alpha: The power of η.
        t0: The step at which to begin averaging.
        weight_decay: weight_decay · w is added to g.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.ASGD([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.95
    """

    slots = {"ax": 0.0}
    counter = "step_t"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        self._at_least("lr", lr, strict=True)
        for name, value in (("lambd", lambd), ("t0", t0)):
            if not isinstance(value, float):
                raise TypeError(f"ASGD: {name} must be a float, got {describe(value)}.")
        options = {"lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {"lr": lr, **options})
        self._make_slots()
        self._add_scalars("mu", 1.0)
        self._add_scalars("eta", 0.0)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: Array
    ) -> tuple[Array, dict[str, Array]]:
        return averaged(w, g, lr, s, t, o["lambd"], o["alpha"], o["t0"])
