"""RMSProp."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.optim.checks import check_number
from sporax._src.optim.optimizer import Optimizer


class RMSProp(Optimizer):
    r"""Root mean square propagation (Hinton, 2012), with the mean square starting at 1.

    s ← decay · s + (1 - decay) · g², m ← momentum · m + lr · g / √(s + epsilon), w ← w - m;
    centered: a ← decay · a + (1 - decay) · g, and s - a² in the place of s.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 0.1.
        decay: In [0, 1].
        momentum: A non-negative number.
        epsilon: Added under the root.
        use_locking: Accepted; an update is never interleaved with another.
        centered: Whether the mean gradient is taken off.
        loss_scale, weight_decay: See `Optimizer`.

    Raises:
        ValueError: If a number is out of range.
    """

    slots = {"mean_square": 1.0, "moment": 0.0}

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for name, flag in (("use_locking", use_locking), ("centered", centered)):
            if not isinstance(flag, bool):
                raise TypeError(f"For 'RMSProp', '{name}' must be a bool, got {flag!r}.")
        self.decay = check_number(self, "decay", decay)
        self.momentum = check_number(self, "momentum", momentum)
        self.epsilon = check_number(self, "epsilon", epsilon, positive=True)
        self.centered = centered
        if centered:
            self.slots = {"mean_grad": 0.0, **self.slots}
        self._make_slots()

    def update(self, w: Any, g: Any, lr: Any, s: dict[str, Any], shared: Any, decay: Any) -> Any:
        d, momentum, epsilon = (np.asarray(x, w.dtype) for x in (self.decay, self.momentum, self.epsilon))
        square = d * s["mean_square"] + (1 - d) * g * g
        kept = {"mean_square": square}
        if self.centered:
            kept["mean_grad"] = d * s["mean_grad"] + (1 - d) * g
            square = square - kept["mean_grad"] ** 2
        kept["moment"] = momentum * s["moment"] + lr * g / jnp.sqrt(square + epsilon)
        return w - kept["moment"], kept
