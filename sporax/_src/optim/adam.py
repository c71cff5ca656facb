"""Adam and AdamWeightDecay."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import PRIMITIVES, Primitive, holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_fraction, check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer, WeightDecay
from sporax._src.optim.update_rule import Params, float32, numbers

__all__ = ["Adam", "AdamWeightDecay"]


class Adam(Optimizer):
    r"""Adam (Kingma and Ba, 2015).

    m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g², w ← w - lr · √(1 - β₂ᵗ) / (1 - β₁ᵗ) · m / (√v + eps);
    Nesterov replaces m by β₁ m + (1 - β₁) g, AMSGrad replaces v by the largest v so far.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 1e-3.
        beta1, beta2: Decay of the moments, in (0, 1).
        eps: Added to the root.
        use_locking: Accepted; an update is never interleaved with another.
        use_nesterov, use_amsgrad: Variants.
        weight_decay, loss_scale: See `Optimizer`.
        use_lazy, use_offload: Accepted; gradients are dense and stay on the device.

    Raises:
        KeyError: If there is a keyword of another name.
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.Adam([w], 0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9
    """

    slots = {"moment1": 0.0, "moment2": 0.0}
    target = Optimizer.target.setter(Optimizer._set_base_target)

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: WeightDecay = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        use_lazy: bool = False,
        use_offload: bool = False,
        **kwargs: object,
    ) -> None:
        if kwargs:
            raise KeyError(
                f"{self.cls_name}: the keywords besides are use_lazy and use_offload, got {', '.join(kwargs)}."
            )
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        flags = {"use_locking": use_locking, "use_nesterov": use_nesterov, "use_amsgrad": use_amsgrad,
                 "use_lazy": use_lazy, "use_offload": use_offload}  # fmt: skip
        for name, flag in flags.items():
            if not isinstance(flag, bool):
                raise TypeError(f"For '{self.cls_name}', '{name}' must be a bool, got {flag!r}.")
        betas = check_fraction(self, "beta1", beta1), check_fraction(self, "beta2", beta2)
        coefficients = *betas, check_number(self, "eps", eps, positive=True)
        self.beta1, self.beta2, self.eps = (Tensor(x, mstype.float32) for x in coefficients)
        self.use_locking, self.use_nesterov, self.use_amsgrad = use_locking, use_nesterov, use_amsgrad
        self.use_lazy, self.use_offload = use_lazy, use_offload
        self.centralizes = not use_offload
        self.beta1_power = Parameter(Tensor(np.float32(1)), name="beta1_power")
        self.beta2_power = Parameter(Tensor(np.float32(1)), name="beta2_power")
        if use_amsgrad:
            self.slots = {**self.slots, "vhat": 0.0}
        self._make_slots()

    opt = cached_property(lambda self: self._primitive())
    sparse_opt = holds(
        lambda self: "FusedSparseLazyAdam" if self.use_lazy else "FusedSparseAdam", own.use_locking, own.use_nesterov
    )

    def _primitive(self) -> Primitive:
        if self.use_amsgrad and not self.use_lazy and not self.use_offload:
            return PRIMITIVES["ApplyAdamWithAmsgradV2"](self.use_locking)
        return PRIMITIVES["AdamNoUpdateParam" if self.use_offload else "Adam"](self.use_locking, self.use_nesterov)

    def before_update(self) -> Any:
        self.beta1_power.adopt(self.beta1_power._data * float32(self.beta1))
        self.beta2_power.adopt(self.beta2_power._data * float32(self.beta2))
        return rules.bias_correction(self.beta1_power._data, self.beta2_power._data)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Array, decay: None
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps = numbers(w, self.beta1, self.beta2, self.eps)
        m, v, vhat = s["moment1"], s["moment2"], s.get("vhat")
        w, *states = rules.adam_step(w, m, v, lr * shared.astype(w.dtype), b1, b2, eps, g, self.use_nesterov, vhat)
        return w, dict(zip(self.slots, states, strict=True))


class AdamWeightDecay(Optimizer):
    r"""Adam without bias correction, with decoupled weight decay.

    m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g², w ← w - lr · (m / (√v + eps) + weight_decay · w).

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 1e-3.
        beta1, beta2: Decay of the moments, in (0, 1).
        eps: Added to the root. Default 1e-6.
        weight_decay: A number or a Cell of the global step.

    Raises:
        ValueError: If a number is out of range.
    """

    slots = {"adam_m": 0.0, "adam_v": 0.0}
    attributes = {"moments1": "adam_m", "moments2": "adam_v"}
    decay_in_update = True
    centralizes = False
    target = Optimizer.target.setter(Optimizer._set_base_target)

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: WeightDecay = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        betas = check_fraction(self, "beta1", beta1), check_fraction(self, "beta2", beta2)
        coefficients = *betas, check_number(self, "eps", eps, positive=True)
        self.beta1, self.beta2, self.eps = (Tensor([x], mstype.float32) for x in coefficients)
        self._make_slots()

    fused_opt = holds("AdamWeightDecay")
    use_fused_opt = True

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: None, decay: OptArray
    ) -> tuple[Array, dict[str, Array]]:
        b1, b2, eps = numbers(w, self.beta1, self.beta2, self.eps)
        decay = 0 if decay is None else decay.astype(w.dtype)
        w, m, v = rules.adam_weight_decay(w, s["adam_m"], s["adam_v"], lr, b1, b2, eps, decay, g)
        return w, {"adam_m": m, "adam_v": v}
