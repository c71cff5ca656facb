"""Adagrad with `param_groups`."""

from __future__ import annotations

from typing import Any

from sporax._src.base.typing import Array
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.param_groups.optimizer import Optimizer
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    r"""Adagrad (Duchi et al., 2011): a ← a + g², w ← w - lr / (1 + (t - 1) · lr_decay) · g / (√a + eps).

    Args:
        params: Parameters or groups (see `Optimizer`).
        lr: The learning rate.
        lr_decay: How fast the rate falls.
        weight_decay: weight_decay · w is added to g.
        initial_accumulator_value: The first value of a.
        eps: Added to the root.
        maximize: Whether to climb.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = optim.Adagrad([w], lr=0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9
    """

    counter = "step_t"

    def __init__(
        self,
        params: Params,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        self._at_least("lr", lr, strict=True)
        self._at_least("lr_decay", lr_decay)
        self._at_least("eps", eps, strict=True)
        self._at_least("initial_accumulator_value", initial_accumulator_value)
        options = {"lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {"lr": lr, **options, "initial_accumulator_value": initial_accumulator_value})
        self.slots = {"accum": initial_accumulator_value}  # only this optimizer has it
        self._make_slots()

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], o: dict[str, Any], t: Array
    ) -> tuple[Array, dict[str, Array]]:
        decay, eps = numbers(w, o["lr_decay"], o["eps"])
        rate = lr / (1 + (t.astype(w.dtype) - 1) * decay)
        w, a = rules.adagrad_v2(w, s["accum"], rate, g, eps)
        return w, {"accum": a}
