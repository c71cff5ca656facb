"""Resilient backpropagation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params

__all__ = ["Rprop"]


def resilient(
    w: Array, g: Array, lr: Array, s: dict[str, Array], t: Array, etas: Sequence[float], sizes: Sequence[float]
) -> tuple[Array, dict[str, Array]]:
    """Return w and the state (prev, step_size) after step t >= 1."""
    lower, higher = (np.float32(e) for e in etas)
    g, prev, size = (x.astype(jnp.float32) for x in (g, s["prev"], s["step_size"]))
    size = jnp.where(t == 1, lr.astype(jnp.float32), size)
    turn = jnp.sign(g * prev)
    factor = jnp.where(turn > 0, higher, jnp.where(turn < 0, lower, np.float32(1)))
    size = jnp.clip(size * factor, *(np.float32(x) for x in sizes))
    g = jnp.where(turn < 0, np.float32(0), g)
    new = w.astype(jnp.float32) - jnp.sign(g) * size
    return new.astype(w.dtype), {"prev": g.astype(w.dtype), "step_size": size.astype(w.dtype)}


class Rprop(Optimizer):
    r"""Resilient backpropagation (Riedmiller and Braun, 1993): w ← w - sign(g) · size.

    size grows by etas[1] while the sign of g stays, and shrinks by etas[0] when it changes; w then stays unchanged.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: The first size (see `Optimizer`). Default 0.1.
        etas: The factors: etas[0] in (0, 1), etas[1] > 1.
        step_sizes: The least and the largest size.
        weight_decay: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.Rprop([w])((ms.Tensor([2.0]),))
        >>> round(w.item(), 4)
        0.9
    """

    slots = {"prev": 0.0, "step_size": 0.0}

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for name, pair in (("etas", etas), ("step_sizes", step_sizes)):
            if not isinstance(pair, tuple) or not all(isinstance(v, float) for v in pair):
                raise TypeError(f"For 'Rprop', '{name}' must be a tuple of two floats, got {describe(pair)}.")
            if len(pair) != 2:
                raise ValueError(f"For 'Rprop', '{name}' must be a tuple of two floats, got {len(pair)}.")
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(f"For 'Rprop', etas[0] must be in (0, 1) and etas[1] > 1, got {etas}.")
        if step_sizes[0] > step_sizes[1]:
            raise ValueError(f"For 'Rprop', the least of step_sizes must not exceed the largest, got {step_sizes}.")
        self.etas, self.step_sizes = etas, step_sizes
        self.etaminus, self.etaplus = etas
        self.step_size_min, self.step_size_max = step_sizes
        self._make_slots()

    sign, fill, assign, cast = holds("Sign"), holds("FillV2"), holds("Assign"), holds("Cast")
    select, ones_like = holds("Select"), holds("OnesLike")

    def before_update(self) -> Any:
        return self.global_step._data.reshape(())

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Array, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        return resilient(w, g, lr, s, shared, self.etas, self.step_sizes)
