"""Interrupts training at random moments, and compares each state it leaves with the run that was left alone."""

import hashlib
import random
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
from killed_run import data, new_model

import sporax as ms
from sporax import nn, train


class Noisy(nn.Cell):
    """A network whose step writes weights, moments, running statistics and the random state."""

    def __init__(self):
        super().__init__()
        self.first, self.norm, self.drop, self.last = (
            nn.Dense(64, 64),
            nn.BatchNorm1d(64),
            nn.Dropout(p=0.1),
            nn.Dense(64, 64),
        )

    def construct(self, x):
        return self.last(self.drop(self.norm(self.first(x))))


def new_step(scaled: bool = False) -> nn.Cell:
    """Return a training step of `Noisy`, with a dynamic loss scale if asked, from the same random numbers each time."""
    ms.set_seed(1)
    net = Noisy()
    with_loss, optimizer = nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params())
    if scaled:
        scale = nn.DynamicLossScaleUpdateCell(2**10, 2, 10**6)  # never overflows: such steps are not counted
        return nn.TrainOneStepWithLossScaleCell(with_loss, optimizer, scale).set_train()
    return nn.TrainOneStepCell(with_loss, optimizer).set_train()


def state(step: nn.Cell) -> dict[str, np.ndarray]:
    """Return all that a step has written, by name."""
    return {p.name: p.asnumpy() for p in step.get_parameters()}


def by_hand(scaled: bool, times: int) -> dict[str, int]:
    """Call a step without end until it was interrupted so many times; return how many interrupts fell, and steps were done.

    Raises:
        AssertionError: If a state is not one that the run left alone was in.
    """
    x = ms.Tensor(np.random.default_rng(0).normal(size=(16, 64)).astype(np.float32))
    step, left = new_step(scaled), []
    step(x, x)

    def calls() -> None:
        while True:
            step(x, x)

    draw = random.Random(0)
    for _ in range(times):
        _interrupted(calls, draw.uniform(0.0005, 0.02))
        left.append((_count(step), _digest(step)))
    alone = new_step(scaled)
    states = {(_count(alone), _digest(alone)) for _ in range(left[-1][0]) if alone(x, x) is not None}
    assert states.issuperset(left)
    return {"interrupts": times, "steps": left[-1][0]}


class _Watch(train.Callback):
    """Asks for an alarm after a step."""

    def __init__(self):
        self.seconds = 0.0

    def on_train_step_end(self, run_context):
        if self.seconds:
            _alarm(self.seconds)
            self.seconds = 0.0


class _States(train.Callback):
    """Notes each state that a step leaves, and ends the run after so many."""

    def __init__(self, steps: int) -> None:
        self.steps, self.states = steps, set()

    def on_train_step_end(self, run_context):
        network = run_context.original_args().train_network
        self.states.add((_count(network), _digest(network)))
        if _count(network) >= self.steps:
            run_context.request_stop()


def by_model(folder: Path, times: int) -> dict[str, int]:
    """Train by `Model`, interrupted so many times and resumed from its last file; return how many interrupts fell, and steps.

    Every other interrupt falls while the run begins anew, the others within the steps after its first one.

    Raises:
        AssertionError: If a state is not one that the run left alone was in.
    """
    model, rows = new_model(1), data()
    config = train.CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=3, run_state=True)
    watch, left = _Watch(), []
    # The first alarm is asked for behind a file: without one the next run would begin its data anew.
    callbacks = [train.ModelCheckpoint("run", folder, config), watch, train.ResumeFrom(folder)]
    draw = random.Random(0)
    for number in range(times):
        at_once = number % 2 == 1
        watch.seconds = 0.0 if at_once else draw.uniform(0.0005, 0.05)
        _interrupted(lambda: model.train(10**6, rows, callbacks), draw.uniform(0.0005, 0.1) if at_once else 0.0)
        left.append((_count(model.train_network), _digest(model.train_network)))
    alone, states = new_model(1), _States(max(count for count, _ in left))
    alone.train(10**6, data(), [states])
    assert states.states.issuperset(left)
    return {"interrupts": times, "steps": states.steps}


def _alarm(seconds: float) -> None:
    """Ask for an alarm, and for others: Python loses what a handler raises where garbage is collected, as it says then."""
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.5)


def _interrupted(run: Callable[[], object], seconds: float) -> None:
    """Run until an alarm interrupts it, after so many seconds, or when `run` asks for it."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        if seconds:
            _alarm(seconds)
        run()
    except KeyboardInterrupt:
        return
    except ValueError as error:
        # JAX's caches give what interrupts the comparison of two keys as an error of their own, with its text.
        assert "KeyboardInterrupt" in str(error), error
        return
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    raise AssertionError("ended by itself")


def _count(step: nn.Cell) -> int:
    return int(next(p for p in step.get_parameters() if p.name == "global_step").asnumpy()[0])


def _digest(step: nn.Cell) -> str:
    values = hashlib.sha256(ms.get_rng_state().asnumpy().tobytes())
    for parameter in step.get_parameters():
        values.update(parameter.asnumpy().tobytes())
    return values.hexdigest()
