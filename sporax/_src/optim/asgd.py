"""Averaged stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params, float32

__all__ = ["ASGD"]


def averaged(
    w: Array, g: Array, lr: Array, s: dict[str, Array], t: Array, lambd: float, alpha: float, t0: float
) -> tuple[Array, dict[str, Array]]:
    """Return w and the state (eta, mu, ax) after step t >= 1."""
    f = jnp.float32
    lr, t = lr.astype(f), t.astype(f)
    eta = jnp.where(t == 1, lr, s["eta"])
    new = (w.astype(f) * (1 - f(lambd) * eta) - eta * g.astype(f)).astype(w.dtype)
    average = jnp.where(s["mu"] == 1, new, s["ax"] + ((new.astype(f) - s["ax"].astype(f)) * s["mu"]).astype(w.dtype))
    eta = lr / jnp.power(1 + f(lambd) * lr * t, f(alpha))
    return new, {"mu": 1 / jnp.maximum(f(1), t - f(t0)), "eta": eta, "ax": average}


class ASGD(Optimizer):
    r"""Averaged stochastic gradient descent (Polyak and Juditsky, 1992).

    w ← w · (1 - lambd · η) - η · g, ax ← ax + μ (w - ax), η ← lr / (1 + lambd · lr · t)^alpha, μ ← 1 / max(1, t - t0).

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 0.1.
        lambd: The decay term.
        alpha: The power of η.
        t0: The step at which to begin averaging.
        weight_decay: See `Optimizer`.

    Raises:
        TypeError: If `lambd`, `alpha` or `t0` is no float.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.ASGD([w], lambd=0.0)((ms.Tensor([2.0]),))
        >>> round(w.item(), 4)
        0.8
    """

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, value in (("lambd", lambd), ("alpha", alpha), ("t0", t0)):
            if not isinstance(value, float):
                raise TypeError(f"For 'ASGD', the '{name}' must be a float, got {describe(value)}.")
        self.lambd, self.alpha, self.t0 = lambd, alpha, Tensor([t0], mstype.float32)
        self.lens = self.param_length
        self._add_slot("mu", "mu_", [np.float32(1)] * self.param_length)
        self._add_slot("eta", "eta_", [np.float32(0)] * self.param_length)
        self._add_slot("ax", "ax_.", [np.zeros(p.shape, p._data.dtype) for p in self.parameters])

    pow, maximum, cast, squeeze = holds("Pow"), holds("Maximum"), holds("Cast"), holds("Squeeze")
    assign, assignsub = holds("Assign"), holds("AssignSub")

    def before_update(self) -> Any:
        return self.global_step._data.reshape(())

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Array, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        return averaged(w, g, lr, s, shared, self.lambd, self.alpha, float32(self.t0))
