"""RMSProp."""

from __future__ import annotations

from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import holds, own
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["RMSProp"]


class RMSProp(Optimizer):
    r"""Root mean square propagation (Hinton, 2012), with the mean square starting at 1.

    s ← decay · s + (1 - decay) · g², m ← momentum · m + lr · g / √(s + epsilon), w ← w - m;
    centered: a ← decay · a + (1 - decay) · g, and s - a² instead of s.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 0.1.
        decay: In [0, 1].
        momentum: A non-negative number.
        epsilon: Added under the root.
        use_locking: Accepted; an update is never interleaved with another.
        centered: Whether to subtract the squared mean gradient.
        loss_scale, weight_decay: See `Optimizer`.

    Raises:
        ValueError: If a number is out of range.
    """

    slots = {"mean_square": 1.0, "moment": 0.0}
    attributes = {"ms": "mean_square", "mg": "mean_grad"}

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for name, flag in (("use_locking", use_locking), ("centered", centered)):
            if not isinstance(flag, bool):
                raise TypeError(f"For 'RMSProp', '{name}' must be a bool, got {flag!r}.")
        self.decay = check_number(self, "decay", decay)
        self.momentum = check_number(self, "momentum", momentum)
        self.epsilon = check_number(self, "epsilon", epsilon, positive=True)
        self.use_locking, self.centered = use_locking, centered
        if centered:
            self.slots = {"mean_grad": 0.0, **self.slots}
        self._make_slots()

    opt = holds(lambda self: "ApplyCenteredRMSProp" if self.centered else "ApplyRMSProp", own.use_locking)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: None, decay: OptArray
    ) -> tuple[Array, dict[str, Array]]:
        decay, momentum, epsilon = numbers(w, self.decay, self.momentum, self.epsilon)
        ms, mom = s["mean_square"], s["moment"]
        if not self.centered:
            w, ms, mom = rules.rmsprop(w, ms, mom, lr, g, decay, momentum, epsilon)
            return w, {"mean_square": ms, "moment": mom}
        w, mg, ms, mom = rules.centered_rmsprop(w, s["mean_grad"], ms, mom, g, lr, decay, momentum, epsilon)
        return w, {"mean_grad": mg, "mean_square": ms, "moment": mom}
