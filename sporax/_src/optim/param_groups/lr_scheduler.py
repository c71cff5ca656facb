"""Schedulers: they change the learning rates of an optimizer with `param_groups` from epoch to epoch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.optim.param_groups.optimizer import Optimizer


def of_kind(label: str, name: str, value: object, *kinds: type) -> Any:
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{label}: {name} must be {' or '.join(k.__name__ for k in kinds)}, got {describe(value)}.")
    return value


def _as_rate(value: float | Tensor) -> Tensor:
    return Tensor(np.float32(value.asnumpy() if isinstance(value, Tensor) else value))


class LRScheduler:
    """The base of schedulers; a subclass defines `get_lr()`, the learning rates of the groups at `self.last_epoch`.

    Args:
        optimizer: An optimizer with `param_groups`.
        last_epoch: The number of the last epoch; -1 starts at the beginning.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `last_epoch` is less than -1.
        KeyError: If `last_epoch` is not -1 and a group has no `initial_lr`.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> class Halve(optim.lr_scheduler.LRScheduler):
        ...     def get_lr(self):
        ...         return [lr * 0.5 for lr in self._last_lr]
        >>> opt = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], lr=1.0)
        >>> scheduler = Halve(opt)
        >>> scheduler.step()
        True
        >>> opt.param_groups[0]["lr"].item()
        0.25
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        label = type(self).__name__
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{label}: optimizer must be an optimizer with param_groups, got {describe(optimizer)}.")
        of_kind(label, "last_epoch", last_epoch, int)
        if last_epoch < -1:
            raise ValueError(f"{label}: last_epoch must be >= -1, got {last_epoch}.")
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"].value())
            elif "initial_lr" not in group:
                raise KeyError(f"{label}: to go on, param_groups[{i}] must hold 'initial_lr'.")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.optimizer = optimizer
        self._last_lr = list(optimizer.lrs)
        self.groups_num = len(optimizer.param_groups)
        self.last_epoch = Parameter(Tensor(last_epoch, mstype.float32), name=f"last_epoch_{label}")
        self.step()

    def __repr__(self) -> str:
        rates = ", ".join(f"{rate:.7g}" for rate in self._now())
        return f"{type(self).__name__}(epoch={self.epoch:g}, learning rates: {rates})"

    def get_lr(self) -> Sequence[Any]:
        """Return the learning rates of the groups."""
        raise NotImplementedError(f"{type(self).__name__} must implement get_lr().")

    def get_last_lr(self) -> list[Tensor]:
        """Return the current learning rates of the groups."""
        return [lr.value() for lr in self._last_lr]

    @property
    def epoch(self) -> float:
        """`last_epoch` as a number."""
        return float(self.last_epoch.asnumpy())

    def _now(self) -> list[float]:
        return [float(lr.asnumpy()) for lr in self._last_lr]

    def _base(self) -> list[float]:
        return [float(lr.asnumpy()) if isinstance(lr, Tensor) else float(lr) for lr in self.base_lrs]

    def step(self, epoch: int | None = None) -> bool:
        """Set the learning rates of the next epoch, or of `epoch`."""
        self.last_epoch.set_data(Tensor(np.float32(self.epoch + 1 if epoch is None else epoch)))
        closed = getattr(self, "_get_closed_form_lr", None)
        self._assign(self.get_lr() if epoch is None or closed is None else closed())
        return True

    def _assign(self, values: Sequence[Any]) -> None:
        for lr, value in zip(self._last_lr, values, strict=True):
            lr.set_data(_as_rate(value))


class StepLR(LRScheduler):
    """Multiplies the rates by `gamma` every `step_size` epochs.

    Examples:
        >>> import sporax as ms
        >>> from sporax.experimental import optim
        >>> opt = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], lr=1.0)
        >>> scheduler = optim.lr_scheduler.StepLR(opt, 2, gamma=0.5)
        >>> _ = [scheduler.step() for _ in range(4)]
        >>> scheduler.get_last_lr()[0].item()
        0.25
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = of_kind("StepLR", "step_size", step_size, int)
        self.gamma = of_kind("StepLR", "gamma", gamma, float)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        turn = self.epoch != 0 and self.epoch % self.step_size == 0
        return [lr * (self.gamma if turn else 1.0) for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self.gamma ** (self.epoch // self.step_size) for lr in self._base()]


class LinearLR(LRScheduler):
    """Changes the factor of the rates from `start_factor` to `end_factor` over `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError(f"LinearLR: start_factor must be in (0, 1], got {start_factor}.")
        if not 0 <= end_factor <= 1:
            raise ValueError(f"LinearLR: end_factor must be in [0, 1], got {end_factor}.")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = of_kind("LinearLR", "total_iters", total_iters, int)
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: float) -> float:
        return (
            self.start_factor + (self.end_factor - self.start_factor) * min(self.total_iters, epoch) / self.total_iters
        )

    def get_lr(self) -> list[float]:
        before = 1.0 if self.epoch == 0 else self._factor(self.epoch - 1)
        return [lr * self._factor(self.epoch) / before for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self._factor(self.epoch) for lr in self._base()]


class ExponentialLR(LRScheduler):
    """Multiplies the rates by `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = of_kind("ExponentialLR", "gamma", gamma, float)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr * (self.gamma if self.epoch else 1.0) for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self.gamma**self.epoch for lr in self._base()]


class PolynomialLR(LRScheduler):
    """Multiplies the rates by (1 - epoch / total_iters)^power."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.power = of_kind("PolynomialLR", "power", power, float)
        if power < 0:
            raise ValueError(f"PolynomialLR: power must be >= 0, got {power}.")
        self.total_iters = of_kind("PolynomialLR", "total_iters", total_iters, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.epoch == 0 or self.epoch > self.total_iters:
            return self._now()
        left, before = (1 - e / self.total_iters for e in (self.epoch, self.epoch - 1))
        return [lr * (left / before) ** self.power for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        left = 1 - min(self.total_iters, self.epoch) / self.total_iters
        return [lr * left**self.power for lr in self._base()]


class ConstantLR(LRScheduler):
    """Multiplies the rates by `factor` until epoch `total_iters`."""

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"ConstantLR: factor must be in [0, 1], got {factor}.")
        self.factor = factor
        self.total_iters = of_kind("ConstantLR", "total_iters", total_iters, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        change = self.factor if self.epoch == 0 else 1 / self.factor if self.epoch == self.total_iters else 1.0
        return [lr * change for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * (1.0 if self.epoch >= self.total_iters else self.factor) for lr in self._base()]


class MultiStepLR(LRScheduler):
    """Multiplies the rates by `gamma` at each epoch of `milestones`."""

    def __init__(self, optimizer: Optimizer, milestones: list[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        for milestone in of_kind("MultiStepLR", "milestones", milestones, list):
            of_kind("MultiStepLR", "milestones", milestone, int)
        self.milestones = Counter(milestones)
        self.gamma = of_kind("MultiStepLR", "gamma", gamma, float, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr * self.gamma ** self.milestones[int(self.epoch)] for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        passed = sum(count for milestone, count in self.milestones.items() if milestone <= self.epoch)
        return [lr * self.gamma**passed for lr in self._base()]


def per_group(label: str, name: str, optimizer: Optimizer, value: object) -> list[Any]:
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{label}: {name} must be one value, or one for each of {count} groups, got {len(value)}.")
    return list(value)


class LambdaLR(LRScheduler):
    """Multiplies the first rates by `lr_lambda(epoch)`, one function or one for each group."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[Tensor], Any] | Sequence[Callable[[Tensor], Any]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = per_group("LambdaLR", "lr_lambda", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return [lr * fn(self.last_epoch) for fn, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(LRScheduler):
    """Multiplies the rates by `lr_lambda(epoch)` every epoch, one function or one for each group."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[Tensor], Any] | Sequence[Callable[[Tensor], Any]],
        last_epoch: int = -1,
    ) -> None:
        self.lr_lambdas = per_group("MultiplicativeLR", "lr_lambda", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.epoch == 0:
            return self._now()
        return [lr * fn(self.last_epoch) for fn, lr in zip(self.lr_lambdas, self.get_last_lr(), strict=True)]


class CosineAnnealingLR(LRScheduler):
    """eta_min + (lr - eta_min) · (1 + cos(π · epoch / T_max)) / 2, down and up again."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = of_kind("CosineAnnealingLR", "T_max", T_max, int)
        self.eta_min = of_kind("CosineAnnealingLR", "eta_min", eta_min, float, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.epoch == 0:
            return self._now()
        if (self.epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self._base(), self._now(), strict=True)
            return [lr + (base - self.eta_min) * rise for base, lr in pairs]
        now, before = (1 + math.cos(math.pi * e / self.T_max) for e in (self.epoch, self.epoch - 1))
        return [now / before * (lr - self.eta_min) + self.eta_min for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        part = (1 + math.cos(math.pi * self.epoch / self.T_max)) / 2
        return [self.eta_min + (lr - self.eta_min) * part for lr in self._base()]
