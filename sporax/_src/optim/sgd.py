"""Stochastic gradient descent."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import PRIMITIVES
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params

__all__ = ["SGD"]


class SGD(Optimizer):
    r"""Stochastic gradient descent with momentum.

    v ← momentum · v + (1 - dampening) · g (the first step: v ← g), w ← w - lr · v (Nesterov: w - lr · (g + momentum · v)).

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 0.1.
        momentum, dampening: Non-negative numbers.
        weight_decay: See `Optimizer`; weight_decay · w is added to the gradient.
        nesterov: Whether to look ahead; needs momentum > 0 and no dampening.
        loss_scale: See `Optimizer`.

    Raises:
        ValueError: If a number is out of range or `nesterov` lacks momentum.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.SGD([w], 0.1)((ms.Tensor([0.5]),))
        >>> w.asnumpy()
        array([0.95], dtype=float32)
    """

    slots = {"accum": 0.0, "stat": 1.0}

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: WeightDecay = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.dampening = check_number(self, "dampening", dampening)
        momentum = check_number(self, "momentum", momentum)
        if not isinstance(nesterov, bool):
            raise TypeError(f"For 'SGD', 'nesterov' must be a bool, got {nesterov!r}.")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to 0.0, "
                f"but got 'momentum' {momentum}, 'dampening' {dampening}."
            )
        self.nesterov = nesterov
        self.has_momentum = momentum > 0
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum")
        self._make_slots()

    opt = cached_property(
        lambda self: tuple(PRIMITIVES["SGD"](self.dampening, 0.0, self.nesterov) for _ in range(self.param_length))
    )

    def before_update(self) -> Any:
        return self.momentum._data

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Array, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        if not self.has_momentum:
            return rules.gradient_descent(w, lr, g)[0], {}
        momentum = shared.astype(w.dtype)
        w, v, stat = rules.sgd(w, g, lr, s["accum"], momentum, s["stat"], self.dampening, nesterov=self.nesterov)
        return w, {"accum": v, "stat": stat}
