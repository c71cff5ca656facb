"""Schedulers: what changes the learning rates of an optimizer with `param_groups` from epoch to epoch."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.optim.grouped.optimizer import Optimizer


def _check(label: str, name: str, value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"{label}: {name} must be {' or '.join(k.__name__ for k in kinds)}, got {describe(value)}.")
    return value


def _as_rate(value: Any) -> Tensor:
    return Tensor(np.float32(value.asnumpy() if isinstance(value, Tensor) else value))


class LRScheduler:
    """The base of schedulers; a subclass defines `get_lr()`, the learning rates of the groups at `self.last_epoch`.

    Args:
        optimizer: An optimizer with `param_groups`.
        last_epoch: The number of the last epoch; -1 begins anew.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `last_epoch` is less than -1.
        KeyError: If `last_epoch` is given and the groups hold no `initial_lr`.

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

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        label = type(self).__name__
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{label}: optimizer must be an optimizer with param_groups, got {describe(optimizer)}.")
        _check(label, "last_epoch", last_epoch, int)
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

    def get_lr(self) -> Sequence[Any]:
        """Return the learning rates of the groups."""
        raise NotImplementedError(f"{type(self).__name__} must implement get_lr().")

    def get_last_lr(self) -> list[Tensor]:
        """Return the learning rates of the groups as they are."""
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
        """Set the learning rates of the next epoch, or of the one given."""
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

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = _check("StepLR", "step_size", step_size, int)
        self.gamma = _check("StepLR", "gamma", gamma, float)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        turn = self.epoch != 0 and self.epoch % self.step_size == 0
        return [lr * (self.gamma if turn else 1.0) for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self.gamma ** (self.epoch // self.step_size) for lr in self._base()]


class LinearLR(LRScheduler):
    """Lets the factor of the rates go from `start_factor` to `end_factor` over `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Any,
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
        self.total_iters = _check("LinearLR", "total_iters", total_iters, int)
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

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = _check("ExponentialLR", "gamma", gamma, float)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr * (self.gamma if self.epoch else 1.0) for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * self.gamma**self.epoch for lr in self._base()]


class PolynomialLR(LRScheduler):
    """Multiplies the rates by (1 - epoch / total_iters)^power."""

    def __init__(self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.power = _check("PolynomialLR", "power", power, float)
        if power < 0:
            raise ValueError(f"PolynomialLR: power must be >= 0, got {power}.")
        self.total_iters = _check("PolynomialLR", "total_iters", total_iters, int)
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

    def __init__(self, optimizer: Any, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        if not 0 <= factor <= 1:
            raise ValueError(f"ConstantLR: factor must be in [0, 1], got {factor}.")
        self.factor = factor
        self.total_iters = _check("ConstantLR", "total_iters", total_iters, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        change = self.factor if self.epoch == 0 else 1 / self.factor if self.epoch == self.total_iters else 1.0
        return [lr * change for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        return [lr * (1.0 if self.epoch >= self.total_iters else self.factor) for lr in self._base()]


class MultiStepLR(LRScheduler):
    """Multiplies the rates by `gamma` at each epoch of `milestones`."""

    def __init__(self, optimizer: Any, milestones: list[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        for milestone in _check("MultiStepLR", "milestones", milestones, list):
            _check("MultiStepLR", "milestones", milestone, int)
        self.milestones = Counter(milestones)
        self.gamma = _check("MultiStepLR", "gamma", gamma, float, int)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr * self.gamma ** self.milestones[int(self.epoch)] for lr in self._now()]

    def _get_closed_form_lr(self) -> list[float]:
        passed = sum(count for milestone, count in self.milestones.items() if milestone <= self.epoch)
        return [lr * self.gamma**passed for lr in self._base()]


def _per_group(label: str, name: str, optimizer: Any, value: Any) -> list[Any]:
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"{label}: {name} must be one value, or one for each of {count} groups, got {len(value)}.")
    return list(value)


class LambdaLR(LRScheduler):
    """Multiplies the first rates by `lr_lambda(epoch)`, one function or one for each group."""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.lr_lambdas = _per_group("LambdaLR", "lr_lambda", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        return [lr * fn(self.last_epoch) for fn, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(LRScheduler):
    """Multiplies the rates by `lr_lambda(epoch)` every epoch, one function or one for each group."""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.lr_lambdas = _per_group("MultiplicativeLR", "lr_lambda", optimizer, lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        if self.epoch == 0:
            return self._now()
        return [lr * fn(self.last_epoch) for fn, lr in zip(self.lr_lambdas, self.get_last_lr(), strict=True)]


class CosineAnnealingLR(LRScheduler):
    """eta_min + (lr - eta_min) · (1 + cos(π · epoch / T_max)) / 2, down and up again."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = _check("CosineAnnealingLR", "T_max", T_max, int)
        self.eta_min = _check("CosineAnnealingLR", "eta_min", eta_min, float, int)
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


class CosineAnnealingWarmRestarts(LRScheduler):
    """eta_min + (lr - eta_min) · (1 + cos(π · T_cur / T_i)) / 2, from the start again after T_0, T_0 · T_mult, ... epochs."""

    def __init__(self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch: int = -1) -> None:
        label = "CosineAnnealingWarmRestarts"
        for name, value in (("T_0", T_0), ("T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{label}: {name} must be an int >= 1, got {describe(value)}.")
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min = T_mult, _check(label, "eta_min", eta_min, float, int)
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        part = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (lr - self.eta_min) * part for lr in self._base()]

    def step(self, epoch: float | None = None) -> bool:
        """Set the learning rates of the next epoch, or of the (part of an) epoch given."""
        epoch = self.epoch + 1 if epoch is None else float(epoch)
        if epoch < 0:
            raise ValueError(f"CosineAnnealingWarmRestarts: epoch must be >= 0, got {epoch}.")
        self.T_cur, self.T_i = epoch, self.T_0
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        self.last_epoch.set_data(Tensor(np.float32(math.floor(epoch))))
        self._assign(self.get_lr())
        return True


class CyclicLR(LRScheduler):
    """Rates between `base_lr` and `max_lr`: up over `step_size_up` steps, down over `step_size_down`.

    Args:
        optimizer: An optimizer with `param_groups`.
        base_lr, max_lr: The least and the largest rate, one or one for each group.
        step_size_up, step_size_down: Steps; down as up if None.
        mode: `"triangular"`; `"triangular2"` halves the height each cycle; `"exp_range"` scales it by gamma^step.
        gamma: See `mode`.
        scale_fn: A function that scales the height instead, of the cycle or the step.
        scale_mode: `"cycle"` or `"iterations"`: what `scale_fn` receives.
        last_epoch: The number of the last step.
    """

    def __init__(
        self,
        optimizer: Any,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[Any], Any] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        lows = _per_group("CyclicLR", "base_lr", optimizer, base_lr)
        self.max_lrs = _per_group("CyclicLR", "max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for low, group in zip(lows, optimizer.param_groups, strict=True):
                group["lr"].set_data(Tensor(np.float32(low)))
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(f"CyclicLR: mode must be triangular, triangular2 or exp_range, got {mode!r}.")
        down = step_size_up if step_size_down is None else step_size_down
        self.total_step_size = float(step_size_up + down)
        self.step_up_ratio = step_size_up / self.total_step_size
        self.mode, self.gamma, self._scale_fn = mode, gamma, scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.base_lrs: list[Any] = lows
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def scale_fn(self, x: Any) -> Any:
        """Return the factor of the height in a cycle (or at a step)."""
        if self._scale_fn is not None:
            return self._scale_fn(x)
        return {"triangular": 1.0, "triangular2": 0.5 ** (x - 1), "exp_range": self.gamma**x}[self.mode]

    def get_lr(self) -> list[Any]:
        place = self.epoch / self.total_step_size
        cycle = math.floor(1 + place)
        x = 1 + place - cycle
        height = x / self.step_up_ratio if x <= self.step_up_ratio else (x - 1) / (self.step_up_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.epoch)
        return [low + (high - low) * height * scale for low, high in zip(self._base(), self.max_lrs, strict=True)]


class SequentialLR:
    """Several schedulers, one after the other: the next begins at each epoch of `milestones`.

    Args:
        optimizer: The optimizer of all of them.
        schedulers: The schedulers.
        milestones: Epochs, one fewer than schedulers.
        last_epoch: The number of the last epoch.

    Raises:
        ValueError: If a scheduler has another optimizer, or numbers do not fit.
    """

    def __init__(self, optimizer: Any, schedulers: list[Any], milestones: list[int], last_epoch: int = -1) -> None:
        for i, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(f"SequentialLR: schedulers[{i}] belongs to another optimizer.")
        if len(milestones) != len(schedulers) - 1:
            counts = f"{len(schedulers)} schedulers and {len(milestones)} milestones"
            raise ValueError(f"SequentialLR: expected one milestone fewer than schedulers, got {counts}.")
        self._schedulers, self.milestones, self.optimizer = schedulers, milestones, optimizer
        self.last_epoch = Parameter(Tensor(last_epoch + 1, mstype.float32), name="last_epoch_SequentialLR")
        for group in optimizer.param_groups:
            group["lr"].set_data(group["initial_lr"])
        for scheduler in schedulers:
            scheduler.last_epoch.set_data(Tensor(np.float32(scheduler.epoch - 1)))
        schedulers[0].step()
        self._last_lr = schedulers[0]._last_lr

    def step(self) -> None:
        """Set the learning rates of the next epoch."""
        epoch = int(self.last_epoch.asnumpy()) + 1
        self.last_epoch.set_data(Tensor(np.float32(epoch)))
        now = bisect_right(self.milestones, epoch)
        begins = now > 0 and self.milestones[now - 1] == epoch
        self._schedulers[now].step(0) if begins else self._schedulers[now].step()

    def get_last_lr(self) -> list[Tensor]:
        """Return the learning rates of the groups as they are."""
        return [lr.value() for lr in self._last_lr]


class ReduceLROnPlateau:
    """Multiplies the rates by `factor` once a result has not become better for more than `patience` epochs.

    Args:
        optimizer: An optimizer with `param_groups`.
        mode: `"min"` or `"max"`: what is better.
        factor: The factor, < 1.
        patience: Epochs.
        threshold, threshold_mode: By how much a result must be better, `"rel"` or `"abs"`.
        cooldown: Epochs after a change that do not count.
        min_lr: The least rate, one or one for each group.
        eps: Changes of the rate below it are left out.

    Raises:
        TypeError: If `optimizer` has no `param_groups`.
        ValueError: If an argument is out of range.
    """

    def __init__(
        self,
        optimizer: Any,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:
        label = type(self).__name__
        if factor >= 1.0:
            raise ValueError(f"{label}: factor must be less than 1, got {factor}.")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{label}: optimizer must be an optimizer with param_groups, got {describe(optimizer)}.")
        for name, value, known in (("mode", mode, ("min", "max")), ("threshold_mode", threshold_mode, ("rel", "abs"))):
            if value not in known:
                raise ValueError(f"{label}: {name} must be {known[0]!r} or {known[1]!r}, got {value!r}.")
        self.min_lrs = _per_group(label, "min_lr", optimizer, min_lr)
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        self.best = math.inf if mode == "min" else -math.inf
        self.last_epoch = self.wait = self.cooldown_counter = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def step(self, metrics: Any) -> bool:
        """Take in the result of an epoch."""
        current = float(np.float32(metrics.asnumpy() if isinstance(metrics, Tensor) else metrics))
        self.last_epoch += 1
        better = self._is_improvement(current, self.best)
        self.best, self.wait = (current, 0) if better else (self.best, self.wait + 1)
        if self.in_cooldown():
            self.cooldown_counter, self.wait = self.cooldown_counter - 1, 0
        if self.wait > self.patience:
            self._reduce()
            self.cooldown_counter, self.wait = self.cooldown, 0
        return True

    def in_cooldown(self) -> bool:
        """Tell whether epochs do not count now."""
        return self.cooldown_counter > 0

    def _is_improvement(self, current: float, best: float) -> bool:
        f = np.float32
        sign = f(-1 if self.mode == "min" else 1)
        bound = (
            f(best) * (f(1) + sign * f(self.threshold))
            if self.threshold_mode == "rel"
            else f(best) + sign * f(self.threshold)
        )
        return bool(sign * f(current) > sign * bound)

    def _reduce(self) -> None:
        for lr, least in zip(self._last_lr, self.min_lrs, strict=True):
            old = np.float32(lr.asnumpy())
            new = max(old * np.float32(self.factor), np.float32(least))
            if old > new + np.float32(self.eps):
                lr.set_data(Tensor(new))

    def get_last_lr(self) -> list[Tensor]:
        """Return the learning rates of the groups as they are."""
        return [lr.value() for lr in self._last_lr]
