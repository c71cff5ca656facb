"""Momentum."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params

__all__ = ["Momentum"]


class Momentum(Optimizer):
    r"""Gradient descent with momentum: v ← momentum · v + g, w ← w - lr · v.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`.
        momentum: A non-negative number.
        weight_decay, loss_scale: See `Optimizer`.
        use_nesterov: Accepted; it changes no values, as in MindSpore's CPU kernel.

    Raises:
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.Momentum([w], 0.1, 0.9)((ms.Tensor([0.5]),))
        >>> w.asnumpy()
        array([0.95], dtype=float32)
    """

    slots = {"moments": 0.0}

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate,
        momentum: float,
        weight_decay: WeightDecay = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if not isinstance(use_nesterov, bool):
            raise TypeError(f"For 'Momentum', 'use_nesterov' must be a bool, got {use_nesterov!r}.")
        momentum = check_number(self, "momentum", momentum)
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum")
        self.use_nesterov = use_nesterov
        self._make_slots()

    opt = holds("ApplyMomentum", own.use_nesterov)
    params = cached_property(lambda self: self.parameters)

    def before_update(self) -> Any:
        return self.momentum._data

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Array, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        w, v = rules.momentum(w, s["moments"], lr, g, shared.astype(w.dtype))
        return w, {"moments": v}
