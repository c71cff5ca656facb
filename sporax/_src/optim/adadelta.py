"""Adadelta."""

from __future__ import annotations

from collections.abc import Sequence

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_fraction, check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    r"""Adadelta (Zeiler, 2012).

    a ← ρ a + (1 - ρ) g², d = √(u + epsilon) / √(a + epsilon) · g, u ← ρ u + (1 - ρ) d², w ← w - lr · d.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 1.0.
        rho: Decay of the averages, in [0, 1].
        epsilon: Added under the roots, >= 0.
        loss_scale, weight_decay: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.Adadelta([w])((ms.Tensor([0.5]),))
        >>> bool(w.asnumpy()[0] < 1.0)
        True
    """

    slots = {"accum": 0.0, "accum_update": 0.0}

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = check_fraction(self, "rho", rho, ends=True)
        self.epsilon = check_number(self, "epsilon", epsilon)
        self._make_slots()

    opt = holds("ApplyAdadelta")

    def construct(self, grads: Sequence[Tensor]) -> tuple[bool]:
        return super().construct(grads)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: None, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        rho, eps = numbers(w, self.rho, self.epsilon)
        w, a, u = rules.adadelta(w, s["accum"], s["accum_update"], lr, rho, eps, g)
        return w, {"accum": a, "accum_update": u}
