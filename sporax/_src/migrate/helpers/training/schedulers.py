"""Schedulers of learning rates that MindSpore lacks, and methods that only torch's have."""

import math

import sporax as mindspore
from sporax import ops


def _of_whole_epochs(lr_lambda):
    """Return functions of an epoch, wrapped so that they get the epoch as an int."""
    if isinstance(lr_lambda, (list, tuple)):
        return [_of_whole_epochs(function) for function in lr_lambda]
    return lambda epoch: lr_lambda(int(epoch))


_NOT_KEPT = ("optimizer", "schedulers", "groups_num")
_KEYS = {"wait": "num_bad_epochs"}  # MindSpore's names, each with torch's


def _scheduler_state(scheduler):
    """Return what a scheduler has to remember, by torch's keys."""
    own = {name: value for name, value in vars(scheduler).items() if name not in _NOT_KEPT}
    state = {name: value for name, value in own.items() if not callable(value) or isinstance(value, mindspore.Tensor)}
    numbers = {_KEYS.get(name, name): _plain_numbers(value) for name, value in state.items()}
    if "base_lrs" in numbers:
        numbers["_step_count"] = numbers["last_epoch"] + 1
        numbers.update(_is_initial=False, _get_lr_called_within_step=False)
    return numbers


def _plain_numbers(value):
    """Return Tensors of one element as numbers, also inside lists."""
    if isinstance(value, mindspore.Tensor):
        number = float(value)
        return int(number) if number.is_integer() else number
    return [_plain_numbers(v) for v in value] if isinstance(value, (list, tuple)) else value


def _load_scheduler_state(scheduler, state):
    """Let a scheduler go on from what another remembered."""
    names = {key: name for name, key in _KEYS.items()}
    for name, value in ((names.get(key, key), value) for key, value in state.items()):
        if name not in vars(scheduler):
            continue
        current = vars(scheduler).get(name)
        pairs = zip(current, value, strict=True) if isinstance(current, (list, tuple)) else [(current, value)]
        for target, number in pairs:
            if isinstance(target, mindspore.Parameter):
                ops.assign(target, mindspore.Tensor(number, target.dtype))
        if not isinstance(current, (list, tuple, mindspore.Parameter)):
            setattr(scheduler, name, value)


def _set_momentum(group, momentum):
    """Set the momentum, or the first beta, of a group of Parameters."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


def _per_group(optimizer, value):
    """Return a value for each group of an optimizer."""
    return list(value) if isinstance(value, (list, tuple)) else [value] * len(optimizer.param_groups)


class _Cycle(mindspore.experimental.optim.lr_scheduler.LRScheduler):
    """A scheduler that knows the learning rate and the momentum of each group at each step."""

    def _start(self, optimizer, rates, last_epoch, momenta):
        if momenta is not None and not any(name in optimizer.param_groups[0] for name in ("momentum", "betas")):
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                ops.assign(group["lr"], mindspore.Tensor(rate, mindspore.float32))
        self.cycled = momenta is not None
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        step = int(self.last_epoch)
        if self.cycled:
            for number, group in enumerate(self.optimizer.param_groups):
                _set_momentum(group, self._momentum_at(step, number))
        return [self._rate_at(step, number) for number in range(len(self.optimizer.param_groups))]


class _OneCycleLR(_Cycle):
    """One rise and fall of the learning rate."""

    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps=None,
        epochs=None,
        steps_per_epoch=None,
        pct_start=0.3,
        anneal_strategy="cos",
        cycle_momentum=True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor=25.0,
        final_div_factor=1e4,
        three_phase=False,
        last_epoch=-1,
    ):
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = epochs * steps_per_epoch if total_steps is None else total_steps
        self.anneal_strategy = anneal_strategy
        highest = _per_group(optimizer, max_lr)
        first = [rate / div_factor for rate in highest]
        last = [rate / final_div_factor for rate in first]
        low, high = _per_group(optimizer, base_momentum), _per_group(optimizer, max_momentum)
        rise = float(pct_start * self.total_steps) - 1
        if three_phase:
            self.ends = [rise, 2 * rise, self.total_steps - 1]
            self.rates, self.momenta = [first, highest, first, last], [high, low, high, high]
        else:
            self.ends = [rise, self.total_steps - 1]
            self.rates, self.momenta = [first, highest, last], [high, low, high]
        self._start(optimizer, first, last_epoch, self.momenta if cycle_momentum else None)

    def _at(self, step, values, number):
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        start = 0.0
        for phase, end in enumerate(self.ends):
            if step <= end or phase == len(self.ends) - 1:
                break
            start = end
        a, b, part = values[phase][number], values[phase + 1][number], (step - start) / (end - start)
        if self.anneal_strategy == "cos":
            return b + (a - b) / 2 * (math.cos(math.pi * part) + 1)
        return (b - a) * part + a

    def _rate_at(self, step, number):
        return self._at(step, self.rates, number)

    def _momentum_at(self, step, number):
        return self._at(step, self.momenta, number)


class _CyclicLR(_Cycle):
    """The learning rate up and down between two bounds, and the momentum in the opposite direction."""

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up=2000,
        step_size_down=None,
        mode="triangular",
        gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        cycle_momentum=True,
        base_momentum=0.8,
        max_momentum=0.9,
        last_epoch=-1,
    ):
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size, self.step_ratio = float(step_size_up + down), step_size_up / float(step_size_up + down)
        self.low, self.high = _per_group(optimizer, base_lr), _per_group(optimizer, max_lr)
        self.low_momentum = _per_group(optimizer, base_momentum)
        self.high_momentum = _per_group(optimizer, max_momentum)
        ways = {
            "triangular": (lambda x: 1.0, "cycle"),
            "triangular2": (lambda x: 1 / 2.0 ** (x - 1), "cycle"),
            "exp_range": (lambda x: gamma**x, "iterations"),
        }
        if scale_fn is None and mode not in ways:
            raise ValueError("mode is invalid and scale_fn is None")
        self.scale_fn, self.scale_mode = ways[mode] if scale_fn is None else (scale_fn, scale_mode)
        self._start(optimizer, self.low, last_epoch, self.low_momentum if cycle_momentum else None)

    def _height(self, step):
        cycle = math.floor(1 + step / self.total_size)
        x = 1.0 + step / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        return height * self.scale_fn(cycle if self.scale_mode == "cycle" else step)

    def _rate_at(self, step, number):
        return self.low[number] + (self.high[number] - self.low[number]) * self._height(step)

    def _momentum_at(self, step, number):
        high = self.high_momentum[number]
        return high - (high - self.low_momentum[number]) * self._height(step)


class _ChainedScheduler:
    """Schedulers that step together."""

    def __init__(self, schedulers, optimizer=None):
        self.schedulers = list(schedulers)
        self.optimizer = optimizer or self.schedulers[0].optimizer

    def step(self):
        for scheduler in self.schedulers:
            scheduler.step()

    def get_last_lr(self):
        return [group["lr"].value() for group in self.optimizer.param_groups]
