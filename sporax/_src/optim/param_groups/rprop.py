"""Resilient backpropagation with `param_groups`."""

from __future__ import annotations

from typing import Any

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.rprop import resilient
from sporax._src.optim.update_rule import Params

__all__ = ["Rprop"]


class Rprop(Optimizer):
    r"""Resilient backpropagation (Riedmiller and Braun, 1993): w ← w - sign(g) · size.

    size grows by etas[1] while the sign of g stays, and shrinks by etas[0] when it changes; w then stays unchanged.

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The first size.
        etas: The factors: etas[0] in (0, 1), etas[1] > 1.
        step_sizes: The least and the largest size.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.Rprop([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9
    """

    slots = {"prev": 0.0, "step_size": 0.0}
    counter = "step_t"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        self._at_least("lr", lr, strict=True)
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(f"Rprop: etas[0] must be in (0, 1) and etas[1] > 1, got {etas}.")
        super().__init__(params, {"lr": lr, "etas": tuple(etas), "step_sizes": tuple(step_sizes), "maximize": maximize})
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: Array
    ) -> tuple[Array, dict[str, Array]]:
        return resilient(w, g, lr, s, t, o["etas"], o["step_sizes"])
