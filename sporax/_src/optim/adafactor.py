"""Adafactor."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array, OptArray
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.checks import check_fraction, check_number
from sporax._src.optim.optimizer import LearningRate, Optimizer
from sporax._src.optim.update_rule import Params, float32, numbers

__all__ = ["AdaFactor"]


class AdaFactor(Optimizer):
    r"""Adafactor (Shazeer and Stern, 2018): Adam that keeps row and column averages of g² instead of all of it.

    With β₂ = 1 - t^-decay_rate: R ← β₂ R + (1 - β₂) · mean_columns(g² + eps[0]), C likewise over rows,
    V = R Cᵀ / mean(R) (for vectors V ← β₂ V + (1 - β₂)(g² + eps[0])), u = g / √V, u ← u / max(1, rms(u) / clip_threshold),
    m ← β₁ m + (1 - β₁) · lr · u, w ← w - m - weight_decay · lr · w.

    Args:
        params: Parameters or groups (see `Optimizer`).
        learning_rate: See `Optimizer`; None with `relative_step`.
        eps: Added to g², and the least rms of a Parameter.
        clip_threshold: The largest rms of a step before it is scaled.
        decay_rate: In (0, 1).
        beta1: Decay of the first moment; 0 or None: no first moment.
        weight_decay: In [0, 1).
        scale_parameter: Whether lr is multiplied with the rms of the Parameter.
        relative_step: Whether lr = min(0.01, 1 / √t) (with `warmup_init` min(1e-6 t, 1 / √t)).
        warmup_init: Needs `relative_step`.
        compression: Whether averages of vectors are stored in float16.
        loss_scale: See `Optimizer`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range, or learning rate and flags contradict each other.

    Examples:
        >>> import sporax as ms
        >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
        >>> opt = ms.nn.AdaFactor([w], 0.1, scale_parameter=False, relative_step=False, beta1=0.0)
        >>> _ = opt((ms.Tensor([0.5]),))
        >>> round(w.item(), 4)
        0.9
    """

    centralizes = False
    use_fused_ada_factor = supports_memory_efficient_fp16 = True
    supports_flat_params = False
    fused_ada_factor = holds("FusedAdaFactor", own.scale_parameter, own.use_first_moment, own.weight_decay_flag)
    target = Optimizer.target.setter(Optimizer._set_base_target)

    def __init__(
        self,
        params: Params,
        learning_rate: LearningRate | None = None,
        eps: tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float | None = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        flags = {"scale_parameter": scale_parameter, "relative_step": relative_step, "compression": compression}
        for name, flag in flags.items():
            if not isinstance(flag, bool):
                raise TypeError(f"For 'AdaFactor', '{name}' must be a bool, got {describe(flag)}.")
        _check_combination(learning_rate, relative_step, warmup_init)
        super().__init__(0.0 if learning_rate is None else learning_rate, params, 0.0, loss_scale)
        if not isinstance(eps, (list, tuple)) or len(eps) != 2:
            raise ValueError(f"For 'AdaFactor', 'eps' must be two floats, got {describe(eps)}.")
        self._eps = tuple(check_number(self, f"eps[{i}]", e) for i, e in enumerate(eps))
        self.eps = Tensor(self._eps, mstype.float32)
        self.clip_threshold = Tensor(check_number(self, "clip_threshold", clip_threshold), mstype.float32)
        self.decay_rate = Tensor(-check_fraction(self, "decay_rate", decay_rate), mstype.float32)
        beta1 = check_number(self, "beta1", beta1 or 0.0)
        self.beta1, self.use_first_moment = Tensor(beta1, mstype.float32), beta1 > 0
        self.decay = check_number(self, "weight_decay", weight_decay)
        self.weight_decay_flag, self.scale_lr = self.decay > 0, not self.dynamic_lr
        if self.decay >= 1:
            raise ValueError(f"For 'AdaFactor', the 'weight_decay' must be in [0, 1), got {weight_decay}.")
        self.scale_parameter = scale_parameter and not self.dynamic_lr
        self.relative_step, self.warmup_init, self.compression = relative_step, warmup_init, compression
        self._make_state()

    def _make_state(self) -> None:
        def zeros(p: Parameter, shape: tuple[int, ...]) -> np.ndarray:
            half = self.compression and p.ndim < 2
            return np.zeros(shape, np.float16 if half and shape == p.shape else p._data.dtype)

        params = self.parameters
        if self.use_first_moment:
            self._add_slot("exp_avg", "exp_avg.", [np.zeros(p.shape, p._data.dtype) for p in params])
        rows = [zeros(p, p.shape[:-1] if p.ndim > 1 else (1,)) for p in params]
        columns = [zeros(p, p.shape[:-2] + p.shape[-1:] if p.ndim > 1 else (1,)) for p in params]
        whole = [zeros(p, (1,) if p.ndim > 1 else p.shape) for p in params]
        self._add_slot("exp_avg_sq_row", "exp_avg_sq_row_", rows)
        self._add_slot("exp_avg_sq_col", "exp_avg_sq_col_", columns)
        self._add_slot("exp_avg_sq", "exp_avg_sq_", whole)
        self.step = Parameter(Tensor(np.zeros(1, np.float32)), name="afactor_step")

    def before_update(self) -> Any:
        self.step.adopt(self.step._data + np.float32(1))
        t = self.step._data.reshape(())
        least = np.float32(1e-6) * t if self.warmup_init else np.float32(0.01)
        return jnp.minimum(least, 1 / jnp.sqrt(t)), 1 - jnp.power(t, float32(self.decay_rate))

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: tuple[Array, Array], decay: OptArray
    ) -> tuple[Array, dict[str, Array]]:
        f = jnp.float32
        lr = shared[0] if self.relative_step and not self.dynamic_lr else lr.astype(f)
        eps, floor, clip, beta1, decay = numbers(lr, *self._eps, self.clip_threshold, self.beta1, self.decay)
        mean = s["exp_avg"].astype(f) if self.use_first_moment else None
        row, col, square = (s[name].astype(f) for name in ("exp_avg_sq_row", "exp_avg_sq_col", "exp_avg_sq"))
        w, mean, row, col, square = rules.adafactor(
            w.astype(f), mean, row, col, square, lr, g.astype(f), eps, floor, clip, beta1, shared[1], decay,
            self.scale_parameter, self.use_first_moment,
        )  # fmt: skip
        changed = {"exp_avg_sq_row": row, "exp_avg_sq_col": col, "exp_avg_sq": square}
        return w, {**changed, "exp_avg": mean} if self.use_first_moment else changed


def _check_combination(learning_rate: LearningRate | None, relative_step: bool, warmup_init: bool) -> None:
    if learning_rate is not None and relative_step:
        raise ValueError("For 'AdaFactor', give a learning_rate or relative_step=True, not both.")
    if learning_rate is None and not relative_step:
        raise ValueError("For 'AdaFactor', relative_step=False needs a learning_rate.")
    if warmup_init and not relative_step:
        raise ValueError("For 'AdaFactor', warmup_init=True needs relative_step=True.")
