"""FTRL-Proximal and proximal Adagrad: rules that keep weights sparse."""

from __future__ import annotations

from collections.abc import Sequence

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params, numbers

__all__ = ["FTRL", "ProximalAdagrad"]


def _check_flag(optimizer: Optimizer, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"For '{optimizer.cls_name}', '{name}' must be a bool, got {describe(value)}.")
    return value


class FTRL(Optimizer):
    r"""FTRL-Proximal (McMahan et al., 2013).

    a' = a + g², z ← z + g - (a'^-p - a^-p) / lr · w, w ← (sign(z) · l1 - z) / (a'^-p / lr + 2 l2) where |z| > l1, else 0;
    p is `lr_power`.

    Args:
        params: Parameters or groups (see `Optimizer`).
        initial_accum: The first value of a, >= 0.
        learning_rate: A number > 0; lists, schedules and rates of groups are not supported.
        lr_power: p, <= 0.
        l1, l2: Regularisation, >= 0.
        use_locking: Accepted; an update is never interleaved with another.
        loss_scale, weight_decay: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range, or the learning rate is not one number.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.FTRL([w], l1=10.0)((ms.Tensor([0.5]),))
        >>> w.item() != 0
        True
    """

    target = Optimizer.target.setter(Optimizer._set_base_target)

    def __init__(
        self,
        params: Params,
        initial_accum: float = 0.1,
        learning_rate: LearningRate = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ValueError(
                "For 'FTRL', the learning rate must be one number, not a list, a schedule or rates of groups."
            )
        self.lr = check_number(self, "learning_rate", learning_rate, positive=True)
        self.l1, self.l2 = check_number(self, "l1", l1), check_number(self, "l2", l2)
        self.lr_power = -check_number(self, "-lr_power", -lr_power)
        self.use_locking = _check_flag(self, "use_locking", use_locking)
        self.decay_flags = (True,) * self.param_length  # for any names of Parameters
        self.slots = {"moments": check_number(self, "initial_accum", initial_accum), "linear": 0.0}
        self._make_slots()

    opt = holds("ApplyFtrl", own.use_locking)
    sparse_opt = holds("SparseApplyFtrl", own.lr, own.l1, own.l2, own.lr_power, own.use_locking)

    def construct(self, grads: Sequence[Tensor]) -> tuple[bool]:
        return super().construct(grads)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: None, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        l1, l2 = numbers(w, self.l1, self.l2)
        w, a, z = rules.ftrl(w, s["moments"], s["linear"], g, lr, l1, l2, self.lr_power)
        return w, {"moments": a, "linear": z}


class ProximalAdagrad(Optimizer):
    r"""Proximal Adagrad (Duchi and Singer, 2009).

    a ← a + g², r = lr / √a, v = w - r · g, w ← sign(v) · max(|v| - r · l1, 0) / (1 + r · l2).

    Args:
        params: Parameters or groups (see `Optimizer`).
        accum: The first value of a, >= 0.
        learning_rate: See `Optimizer`. Default 0.001.
        l1, l2: Regularisation, >= 0.
        use_locking: Accepted; an update is never interleaved with another.
        loss_scale, weight_decay: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.ProximalAdagrad([w], 0.0, 0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9
    """

    target = Optimizer.target.setter(Optimizer._set_base_target)

    def __init__(
        self,
        params: Params,
        accum: float = 0.1,
        learning_rate: LearningRate = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        coefficients = check_number(self, "l1", l1), check_number(self, "l2", l2)
        self.l1, self.l2 = (Tensor(x, mstype.float32) for x in coefficients)
        self.use_locking = _check_flag(self, "use_locking", use_locking)
        self.slots = {"accum": check_number(self, "accum", accum)}
        self._make_slots()

    opt = holds("ApplyProximalAdagrad", own.use_locking)
    sparse_opt = holds("SparseApplyProximalAdagrad", own.use_locking)

    def construct(self, grads: Sequence[Tensor]) -> tuple[bool]:
        return super().construct(grads)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: None, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        l1, l2 = numbers(w, self.l1, self.l2)
        w, a = rules.proximal_adagrad(w, s["accum"], lr, l1, l2, g)
        return w, {"accum": a}
