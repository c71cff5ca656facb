"""Adam and AdamWeightDecay."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.optim.checks import check_fraction, check_number
from sporax._src.optim.optimizer import Optimizer


class Adam(Optimizer):
    r"""Adam (Kingma and Ba, 2015).

    m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g², w ← w - lr · √(1 - β₂ᵗ) / (1 - β₁ᵗ) · m / (√v + eps);
    Nesterov puts β₁ m + (1 - β₁) g in the place of m, AMSGrad the largest v so far in the place of v.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`. Default 1e-3.
        beta1, beta2: Decay of the moments, in (0, 1).
        eps: Added to the root.
        use_locking: Accepted; an update is never interleaved with another.
        use_nesterov, use_amsgrad: Variants.
        weight_decay, loss_scale: See `Optimizer`.
        use_lazy, use_offload: Accepted; gradients here are dense and stay on the device.

    Raises:
        ValueError: If a number is out of range.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> _ = ms.nn.Adam([w], 0.1)((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9
    """

    slots = {"moment1": 0.0, "moment2": 0.0}

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        use_lazy: bool = False,
        use_offload: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        flags = {"use_locking": use_locking, "use_nesterov": use_nesterov, "use_amsgrad": use_amsgrad,
                 "use_lazy": use_lazy, "use_offload": use_offload}  # fmt: skip
        for name, flag in flags.items():
            if not isinstance(flag, bool):
                raise TypeError(f"For '{self.cls_name}', '{name}' must be a bool, got {flag!r}.")
        self.beta1, self.beta2 = check_fraction(self, "beta1", beta1), check_fraction(self, "beta2", beta2)
        self.eps = check_number(self, "eps", eps, positive=True)
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.beta1_power = Parameter(Tensor(np.float32(1)), name="beta1_power")
        self.beta2_power = Parameter(Tensor(np.float32(1)), name="beta2_power")
        if use_amsgrad:
            self.slots = {**self.slots, "vhat": 0.0}
        self._make_slots()

    def before_update(self) -> Any:
        self.beta1_power.adopt(self.beta1_power._data * np.float32(self.beta1))
        self.beta2_power.adopt(self.beta2_power._data * np.float32(self.beta2))
        one = np.float32(1)
        return jnp.sqrt(one - self.beta2_power._data) / (one - self.beta1_power._data)

    def update(self, w: Any, g: Any, lr: Any, s: dict[str, Any], shared: Any, decay: Any) -> Any:
        b1, b2 = np.asarray(self.beta1, w.dtype), np.asarray(self.beta2, w.dtype)
        m = s["moment1"] + (1 - b1) * (g - s["moment1"])
        v = s["moment2"] + (1 - b2) * (g * g - s["moment2"])
        kept = {"moment1": m, "moment2": v}
        if self.use_amsgrad:
            kept["vhat"] = v = jnp.maximum(s["vhat"], v)
        step = b1 * m + (1 - b1) * g if self.use_nesterov else m
        return w - lr * shared.astype(w.dtype) * step / (jnp.sqrt(v) + np.asarray(self.eps, w.dtype)), kept


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
    decay_in_update = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.beta1, self.beta2 = check_fraction(self, "beta1", beta1), check_fraction(self, "beta2", beta2)
        self.eps = check_number(self, "eps", eps, positive=True)
        self._make_slots()

    def update(self, w: Any, g: Any, lr: Any, s: dict[str, Any], shared: Any, decay: Any) -> Any:
        b1, b2 = np.asarray(self.beta1, w.dtype), np.asarray(self.beta2, w.dtype)
        m = b1 * s["adam_m"] + (1 - b1) * g
        v = b2 * s["adam_v"] + (1 - b2) * g * g
        step = m / (jnp.sqrt(v) + np.asarray(self.eps, w.dtype))
        if decay is not None:
            step = step + decay.astype(w.dtype) * w
        return w - lr * step, {"adam_m": m, "adam_v": v}
