"""The law of threads: what a thread computes does not depend on what others do, and what they share they change in turn."""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from thread_jobs import Job, given, jobs

import sporax as ms
from sporax import nn, ops
from sporax._src.core.execution import Execution, current
from sporax._src.core.generator import default_generator
from sporax._src.transform import capture

INPUTS = 2
MODES = (ms.PYNATIVE_MODE, ms.GRAPH_MODE)


def plain(value: Any) -> Any:
    """Return a result in a form that is equal for equal results: arrays as dtype, shape and bytes."""
    if isinstance(value, ms.Tensor):
        array = value.asnumpy()
        return str(value.dtype), array.shape, array.tobytes()
    if isinstance(value, (tuple, list)):
        return tuple(plain(v) for v in value)
    return value


def outcome(job: Job, i: int) -> Any:
    """Return what a job gives: its result, or its error."""
    try:
        return plain(job(i))
    except Exception as error:
        return type(error).__name__, str(error)


@contextlib.contextmanager
def often_switched() -> Iterator[None]:
    """Have Python change threads a thousand times as often as it does."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def beside(parts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run functions in threads that begin at once; return what they return, or the error that one let out."""
    gate = threading.Barrier(len(parts))
    found: list[Any] = [None] * len(parts)

    def run(place: int) -> None:
        gate.wait()
        try:
            found[place] = parts[place]()
        except BaseException as error:
            found[place] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(parts))]
    with often_switched():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return found


class Shared:
    """What threads change together: a counter, an attribute, a training step and random state, each in a jitted function.

    All numbers are whole, so that the total does not depend on the order.
    """

    def __init__(self) -> None:
        self.count = ms.Parameter(ms.Tensor(0, ms.int32), name="count", requires_grad=False)
        self.net = nn.Dense(3, 1, ms.Tensor(np.zeros((1, 3), np.float32)), has_bias=False)
        self.other = nn.Dense(3, 1, ms.Tensor(np.zeros((1, 3), np.float32)), has_bias=False)
        self.train = nn.TrainOneStepCell(_Summed(self.other), nn.SGD(self.other.trainable_params(), 1.0))
        self.cell = _Counting()
        update = nn.SGD(self.net.trainable_params(), learning_rate=1.0)
        gradients = ms.value_and_grad(lambda x: self.net(x).sum(), None, self.net.trainable_params())

        def counted(x: ms.Tensor) -> ms.Tensor:
            ops.assign_add(self.count, ms.Tensor(1, ms.int32))
            return x + self.count

        def step(x: ms.Tensor) -> ms.Tensor:
            loss, found = gradients(x)
            update(found)
            return loss

        self.counted, self.step, self.noise = ms.jit(counted), ms.jit(step), ms.jit(lambda x: ops.dropout(x, 0.5))
        self.rounds = 0
        self.run()  # once alone: the graphs are there

    def run(self) -> Any:
        """Change everything once; return the number that the counter showed."""
        number = int(self.counted(ms.Tensor(0, ms.int32)).asnumpy())
        self.step(ms.Tensor(np.ones((2, 3), np.float32)))
        self.train(ms.Tensor(np.ones((2, 3), np.float32)))
        self.cell(ms.Tensor(0.0))
        self.noise(ms.Tensor(np.ones(4, np.float32)))
        ops.standard_normal((2,))
        return number

    def watch(self) -> Any:
        """Read, in PyNative mode, what other threads are changing: whole numbers, and not by turns greater and less."""
        seen = [(int(self.count.asnumpy()), float(self.net.weight.asnumpy()[0, 0])) for _ in range(20)]
        return all(a[0] <= b[0] and a[1] >= b[1] for a, b in itertools.pairwise(seen))

    def totals(self) -> dict[str, Any]:
        """Return how often each was changed."""
        return {
            "the counter": int(self.count.asnumpy()),
            "training steps": float(self.net.weight.asnumpy()[0, 0]) / -2.0,
            "steps of a Cell": float(self.other.weight.asnumpy()[0, 0]) / -2.0,
            "an attribute": float(self.cell.total.asnumpy()),
            "draws": int(np.asarray(default_generator.state.concrete())[2]),
        }


class _Summed(nn.Cell):
    def __init__(self, net: nn.Cell) -> None:
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return self.net(x).sum()


class _Counting(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.total = ms.Tensor(0.0)
        self._graph = ms.jit(self._add)

    def _add(self, x: ms.Tensor) -> ms.Tensor:
        self.total = self.total + 1.0
        return x + self.total

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return self._graph(x)


class Law:
    """The law, round by round.

    Args:
        seed: Chooses what runs beside what.
        threads: How many threads a round has.
    """

    def __init__(self, seed: int = 0, threads: int = 4) -> None:
        self._random = random.Random(seed)
        self._threads = threads
        self.jobs = jobs()
        self.alone: dict[int, dict[tuple[str, int], Any]] = {}
        for mode in MODES:
            ms.set_context(mode=mode)
            self.alone[mode] = {(name, i): outcome(job, i) for name, job in self.jobs.items() for i in range(INPUTS)}
        ms.set_context(mode=ms.PYNATIVE_MODE)
        self._shared = {}
        for mode in MODES:
            ms.set_context(mode=mode)
            self._shared[mode] = Shared()
        ms.set_context(mode=ms.PYNATIVE_MODE)

    def round(self, number: int) -> list[str]:
        """Run one round and return what came out otherwise than alone."""
        mode = MODES[number % 2]
        ms.set_context(mode=mode)
        try:
            kind = number // 2 % 5
            found = self._sharing(mode) if kind == 3 else self._building() if kind == 4 else self._beside(mode)
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)
        if current.get() != Execution():
            found.append(f"something is left running: {current.get()}")
        return [f"round {number}: {text}" for text in found]

    def _beside(self, mode: int) -> list[str]:
        """Jobs in threads, twice each, against what they give alone."""
        chosen = [(self._random.choice(list(self.jobs)), self._random.randrange(INPUTS)) for _ in range(self._threads)]
        parts = [lambda n=name, i=i: [outcome(self.jobs[n], i) for _ in range(2)] for name, i in chosen]
        found = beside(parts)
        return [
            f"{name} beside {', '.join(n for n, _ in chosen)}: {shown(got)} instead of {shown(self.alone[mode][name, i])}"
            for (name, i), outs in zip(chosen, found, strict=True)
            for got in (outs if isinstance(outs, list) else [outs])
            if got != self.alone[mode][name, i]
        ]

    def _sharing(self, mode: int) -> list[str]:
        """A counter, a training step, an attribute and random state, changed by all threads but one, which looks."""
        shared, count = self._shared[mode], 3
        before = shared.totals()
        writers = self._threads - 1
        *numbers, calm = beside([lambda: [shared.run() for _ in range(count)]] * writers + [shared.watch])
        wrong = [f"a thread stopped: {n!r}" for n in (*numbers, calm) if isinstance(n, BaseException)]
        if not wrong and (each := [n for ns in numbers for n in ns]) and len(set(each)) < len(each):
            wrong.append(f"calls saw the same count: {sorted(each)}")
        if calm is False:
            wrong.append("a reader saw a state go back")
        per_run = {"draws": 2}
        for name, total in shared.totals().items():
            if total - before[name] != writers * count * per_run.get(name, 1):
                wrong.append(f"{name}: {total - before[name]} changes instead of {writers * count}")
        return wrong

    def _building(self) -> list[str]:
        """A function that all threads call first at once: it is built once."""
        scale = self._random.random()
        fresh = ms.jit(lambda x: ops.sin(x) * scale)
        before = capture.compilations
        found = beside([lambda: outcome(lambda i: fresh(given(i)), 0)] * self._threads)
        wrong = [] if len(set(map(repr, found))) == 1 else [f"calls of one function differ: {found}"]
        if capture.compilations != before + 1:
            wrong.append(f"a function was built {capture.compilations - before} times")
        return wrong


def shown(value: Any) -> str:
    """Return a result as short text."""
    return f"{value!r:.120}"
