"""Adagrad."""

from __future__ import annotations

from collections.abc import Sequence

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds, own
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    r"""Adagrad (Duchi et al., 2011): a ← a + g², w ← w - lr · g / √a.

    Args:
        params: Parameters or groups (see `Optimizer`).
        accum: The first value of a. Default 0.1.
        learning_rate: See `Optimizer`. Default 0.001.
        update_slots: Accepted; like MindSpore's CPU kernel, sporax always updates a.
        loss_scale, weight_decay: See `Optimizer`.

    Raises:
        ValueError: If a number is out of range.
    """

    def __init__(
        self,
        params: Params,
        accum: float = 0.1,
        learning_rate: LearningRate = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if not isinstance(update_slots, bool):
            raise TypeError(f"For 'Adagrad', 'update_slots' must be a bool, got {update_slots!r}.")
        self.slots = {"accum": check_number(self, "accum", accum)}
        self.update_slots = update_slots
        self._make_slots()

    opt = holds("ApplyAdagrad", own.update_slots)

    def construct(self, grads: Sequence[Tensor]) -> tuple[bool]:
        return super().construct(grads)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: None, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        w, a = rules.adagrad(w, s["accum"], lr, g)
        return w, {"accum": a}
