"""Learning rates that follow the step: schedules as Cells, and functions that return one rate per step as a list."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.nn.cell.cell import Cell


class LearningRateSchedule(Cell):
    """The base of learning rates that are a function of the step: a subclass defines `construct(global_step)`."""

    def construct(self, global_step: Tensor) -> Tensor:
        """Return the learning rate of a step."""
        raise NotImplementedError(f"{type(self).__name__} must implement construct(global_step).")

    def extend_repr(self) -> str:
        """Return the arguments of the constructor that are attributes of their names."""
        names = [name for name in inspect.signature(type(self)).parameters if name in vars(self)]
        values = [(name, getattr(self, name)) for name in names]
        return ", ".join(f"{name}={value}" for name, value in values if isinstance(value, (int, float, str)))


def _number(cls: str, name: str, value: object, *, low: float = 0.0, strict: bool = True, kind: type = float) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else int):
        raise TypeError(f"For '{cls}', the '{name}' must be {kind.__name__}, got {describe(value)}.")
    if not math.isfinite(value) or (value <= low if strict else value < low):
        raise ValueError(
            f"For '{cls}', the '{name}' must be {kind.__name__} and must {'>' if strict else '>='} {low:g}, got {value}."
        )
    return value


def _flag(cls: str, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"For '{cls}', the '{name}' must be a bool, got {describe(value)}.")
    return value


def _step(global_step: Tensor | int) -> Any:
    data = global_step._data if isinstance(global_step, Tensor) else jnp.asarray(global_step)
    return data.astype(jnp.float32)


class _Decay(LearningRateSchedule):
    """The base of the decays of the form learning_rate · decay(step / decay_steps)."""

    def __init__(self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False) -> None:
        super().__init__()
        cls = type(self).__name__
        self.learning_rate = _number(cls, "learning_rate", learning_rate)
        self.decay_rate = _number(cls, "decay_rate", decay_rate)
        self.decay_steps = _number(cls, "decay_steps", decay_steps, kind=int)
        self.is_stair = _flag(cls, "is_stair", is_stair)

    def _progress(self, global_step: Tensor | int) -> Any:
        p = _step(global_step) / np.float32(self.decay_steps)
        return jnp.floor(p) if self.is_stair else p


class ExponentialDecayLR(_Decay):
    """learning_rate · decay_rate^(step / decay_steps).

    Args:
        learning_rate: The first rate.
        decay_rate: The factor over `decay_steps` steps.
        decay_steps: The steps over which it applies.
        is_stair: Whether the exponent is rounded down.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.ExponentialDecayLR(0.1, 0.5, 2)(ms.Tensor(2, ms.int32)).item() == 0.05000000074505806
        True
    """

    pow, cast = holds("Pow"), holds("Cast")

    def construct(self, global_step: Tensor) -> Tensor:
        return wrap(
            np.float32(self.learning_rate) * jnp.power(np.float32(self.decay_rate), self._progress(global_step))
        )


class NaturalExpDecayLR(_Decay):
    """learning_rate · e^(-decay_rate · p), p = step (with `is_stair`: floor(step / decay_steps) · decay_steps)."""

    pow, cast, math_e = holds("Pow"), holds("Cast"), math.e

    def construct(self, global_step: Tensor) -> Tensor:
        p = (
            jnp.floor(_step(global_step) / np.float32(self.decay_steps)) * np.float32(self.decay_steps)
            if self.is_stair
            else _step(global_step)
        )
        return wrap(np.float32(self.learning_rate) * jnp.exp(-np.float32(self.decay_rate) * p))


class InverseDecayLR(_Decay):
    """learning_rate / (1 + decay_rate · step / decay_steps)."""

    cast = holds("Cast")

    def construct(self, global_step: Tensor) -> Tensor:
        return wrap(np.float32(self.learning_rate) / (1 + np.float32(self.decay_rate) * self._progress(global_step)))


class CosineDecayLR(LearningRateSchedule):
    """min_lr + (max_lr - min_lr) · (1 + cos(π · min(step, decay_steps) / decay_steps)) / 2.

    Args:
        min_lr: The last rate.
        max_lr: The first rate.
        decay_steps: The steps from first to last.
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        cls = type(self).__name__
        if not isinstance(min_lr, float):
            raise TypeError(f"For '{cls}', the argument 'min_lr' must be type of float, got {describe(min_lr)}.")
        self.min_lr = _number(cls, "min_lr", min_lr, strict=False)
        self.max_lr = _number(cls, "max_lr", max_lr)
        self.decay_steps = _number(cls, "decay_steps", decay_steps, kind=int)
        if min_lr >= max_lr:
            raise ValueError(
                f"For '{cls}', the 'max_lr' must be greater than the 'min_lr', got max_lr={max_lr}, min_lr={min_lr}."
            )

    cos, sin, min, cast, math_pi = holds("Cos"), holds("Sin"), holds("Minimum"), holds("Cast"), math.pi
    delta = cached_property(lambda self: 0.5 * (self.max_lr - self.min_lr))

    def construct(self, global_step: Tensor) -> Tensor:
        p = jnp.minimum(_step(global_step), np.float32(self.decay_steps)) / np.float32(self.decay_steps)
        half = np.float32(0.5 * (self.max_lr - self.min_lr))
        return wrap(np.float32(self.min_lr) + half * (1 + jnp.cos(np.float32(math.pi) * p)))


class PolynomialDecayLR(LearningRateSchedule):
    """(learning_rate - end_learning_rate) · (1 - p)^power + end_learning_rate, p = min(step, decay_steps) / decay_steps.

    Args:
        learning_rate, end_learning_rate: The first and the last rate.
        decay_steps: The steps from first to last.
        power: The exponent.
        update_decay_steps: Whether decay_steps grows to its next multiple beyond the step.
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        cls = type(self).__name__
        self.learning_rate = _number(cls, "learning_rate", learning_rate)
        if not isinstance(end_learning_rate, float):
            raise TypeError(f"For '{cls}', the 'end_learning_rate' must be float, got {describe(end_learning_rate)}.")
        self.end_learning_rate = _number(cls, "end_learning_rate", end_learning_rate, strict=False)
        self.decay_steps = _number(cls, "decay_steps", decay_steps, kind=int)
        if isinstance(power, (int, float)) and not isinstance(power, float):
            raise TypeError(f"For '{cls}', the 'power' must be float, got {describe(power)}.")
        self.power = _number(cls, "power", power)
        self.update_decay_steps = _flag(cls, "update_decay_steps", update_decay_steps)

    min, max, ceil, pow = holds("Minimum"), holds("Maximum"), holds("Ceil"), holds("Pow")
    start_learning_rate = cached_property(lambda self: self.learning_rate)
    diff_learning_rate = cached_property(lambda self: self.learning_rate - self.end_learning_rate)

    def construct(self, global_step: Tensor) -> Tensor:
        step, steps = _step(global_step), jnp.float32(self.decay_steps)
        if self.update_decay_steps:
            steps = steps * jnp.maximum(jnp.ceil(step / steps), 1)
        p = jnp.minimum(step, steps) / steps
        span = np.float32(self.learning_rate - self.end_learning_rate)
        return wrap(span * jnp.power(1 - p, np.float32(self.power)) + np.float32(self.end_learning_rate))


class WarmUpLR(LearningRateSchedule):
    """learning_rate · min(step, warmup_steps) / warmup_steps.

    Args:
        learning_rate: The rate after the warm-up.
        warmup_steps: The steps until the full rate.
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        cls = type(self).__name__
        if not isinstance(learning_rate, float):
            raise TypeError(f"For '{cls}', the 'learning_rate' must be float, got {describe(learning_rate)}.")
        self.learning_rate = _number(cls, "learning_rate", learning_rate, strict=False)
        self.warmup_steps = _number(cls, "warmup_steps", warmup_steps, kind=int)

    min, cast = holds("Minimum"), holds("Cast")

    def construct(self, global_step: Tensor) -> Tensor:
        p = jnp.minimum(_step(global_step), np.float32(self.warmup_steps)) / np.float32(self.warmup_steps)
        return wrap(np.float32(self.learning_rate) * p)


# --- lists ----------------------------------------------------------------------------------------------------------------------


def _rates(
    cls: str, total_step: int, step_per_epoch: int, decay_epoch: int, rate: Callable[[int], float]
) -> list[float]:
    _number(cls, "total_step", total_step, kind=int)
    _number(cls, "step_per_epoch", step_per_epoch, kind=int)
    _number(cls, "decay_epoch", decay_epoch, kind=int)
    return [rate(i // step_per_epoch) for i in range(total_step)]


def _check_rates(cls: str, learning_rate: object, decay_rate: object, is_stair: object) -> None:
    _number(cls, "learning_rate", learning_rate)
    _number(cls, "decay_rate", decay_rate)
    _flag(cls, "is_stair", is_stair)


def piecewise_constant_lr(milestone: Sequence[int], learning_rates: Sequence[float]) -> list[float]:
    """Return `learning_rates[k]` for the steps before `milestone[k]`.

    Args:
        milestone: Rising step counts.
        learning_rates: As many rates.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.piecewise_constant_lr([1, 3], [0.1, 0.05])
        [0.1, 0.05, 0.05]
    """
    cls = "piecewise_constant_lr"
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"For '{cls}', '{name}' must be a list or tuple, got {describe(value)}.")
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"For '{cls}', milestone and learning_rates must have one length, got {len(milestone)} and {len(learning_rates)}."
        )
    rates: list[float] = []
    for step, rate in zip(milestone, learning_rates, strict=True):
        _number(cls, "milestone", step, kind=int)
        if not isinstance(rate, float):
            raise TypeError(f"For '{cls}', learning rates must be floats, got {describe(rate)}.")
        if step < len(rates):
            raise ValueError(f"For '{cls}', milestone must rise, got {list(milestone)}.")
        rates += [rate] * (step - len(rates))
    return rates


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return learning_rate · decay_rate^(epoch / decay_epoch) for every step."""
    cls = "exponential_decay_lr"
    _check_rates(cls, learning_rate, decay_rate, is_stair)
    return _rates(
        cls,
        total_step,
        step_per_epoch,
        decay_epoch,
        lambda e: learning_rate * decay_rate ** _part(e, decay_epoch, is_stair),
    )


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return learning_rate · e^(-decay_rate · epoch) for every step (with `is_stair` in steps of `decay_epoch`)."""
    cls = "natural_exp_decay_lr"
    _check_rates(cls, learning_rate, decay_rate, is_stair)

    def rate(epoch: int) -> float:
        p = epoch // decay_epoch * decay_epoch if is_stair else epoch
        return learning_rate * math.exp(-decay_rate * p)

    return _rates(cls, total_step, step_per_epoch, decay_epoch, rate)


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return learning_rate / (1 + decay_rate · epoch / decay_epoch) for every step."""
    cls = "inverse_decay_lr"
    _check_rates(cls, learning_rate, decay_rate, is_stair)
    return _rates(
        cls,
        total_step,
        step_per_epoch,
        decay_epoch,
        lambda e: learning_rate / (1 + decay_rate * _part(e, decay_epoch, is_stair)),
    )


def _part(epoch: int, decay_epoch: int, is_stair: bool) -> float:
    return epoch // decay_epoch if is_stair else epoch / decay_epoch


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """Return min_lr + (max_lr - min_lr) · (1 + cos(π · min(epoch, decay_epoch) / decay_epoch)) / 2 for every step."""
    cls = "cosine_decay_lr"
    if not isinstance(min_lr, float):
        raise TypeError(f"For '{cls}', the argument 'min_lr' must be type of float, got {describe(min_lr)}.")
    _number(cls, "min_lr", min_lr, strict=False)
    _number(cls, "max_lr", max_lr)
    if min_lr >= max_lr:
        raise ValueError(
            f"For '{cls}', the 'max_lr' must be greater than the 'min_lr', got max_lr={max_lr}, min_lr={min_lr}."
        )
    delta = 0.5 * (max_lr - min_lr)
    return _rates(cls, total_step, step_per_epoch, decay_epoch,
                  lambda e: min_lr + delta * (1 + math.cos(math.pi * min(e, decay_epoch) / decay_epoch)))  # fmt: skip


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """Return (learning_rate - end) · (1 - min(epoch, decay_epoch) / decay_epoch)^power + end for every step."""
    cls = "polynomial_decay_lr"
    _number(cls, "learning_rate", learning_rate)
    if not isinstance(end_learning_rate, float):
        raise TypeError(
            f"For '{cls}', the argument 'end_learning_rate' must be type of float, got {describe(end_learning_rate)}."
        )
    _number(cls, "end_learning_rate", end_learning_rate, strict=False)
    _number(cls, "power", power)
    _flag(cls, "update_decay_epoch", update_decay_epoch)

    def rate(epoch: int) -> float:
        span = decay_epoch * max(math.ceil(epoch / decay_epoch), 1) if update_decay_epoch else decay_epoch
        return (learning_rate - end_learning_rate) * (1 - min(epoch, span) / span) ** power + end_learning_rate

    return _rates(cls, total_step, step_per_epoch, decay_epoch, rate)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
    """Return learning_rate · min(epoch, warmup_epoch) / warmup_epoch for every step."""
    cls = "warmup_lr"
    if not isinstance(learning_rate, float):
        raise TypeError(
            f"For '{cls}', the argument 'learning_rate' must be type of float, got {describe(learning_rate)}."
        )
    _number(cls, "learning_rate", learning_rate, strict=False)
    _number(cls, "warmup_epoch", warmup_epoch, kind=int)
    return _rates(
        cls, total_step, step_per_epoch, warmup_epoch, lambda e: learning_rate * min(e, warmup_epoch) / warmup_epoch
    )
