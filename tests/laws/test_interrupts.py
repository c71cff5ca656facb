"""A step happens or does not: what a signal's handler raises leaves states as they were before a step or after it."""

import itertools
import signal
import threading

import numpy as np
import pytest
from interrupts import Noisy, by_hand, by_model, state

import sporax as ms
from sporax import nn, ops
from sporax._src.base.signals import uninterrupted
from sporax._src.core.execution import Execution, current, running


@pytest.fixture
def alarm():
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


# An interrupt may come between an open() or scandir() and the block that closes it: Python then does so itself, and warns.
leaves_files_to_python = pytest.mark.filterwarnings("ignore:unclosed (file|scandir iterator):ResourceWarning")
# Another may come while Python closes a generator that nobody holds any more: Python drops it, and says so.
may_fall_where_python_drops_it = pytest.mark.filterwarnings(
    "ignore:(?s)Exception ignored in.*KeyboardInterrupt:pytest.PytestUnraisableExceptionWarning"
)


@pytest.mark.parametrize("scaled", [False, True])
def test_interrupted_steps_go_on_as_if_nothing_had_been(mode, scaled):
    assert by_hand(scaled, 40 if mode == ms.GRAPH_MODE else 20)["steps"] > 20


@leaves_files_to_python
@may_fall_where_python_drops_it
def test_an_interrupted_model_goes_on_from_its_last_file(mode, tmp_path):
    assert by_model(tmp_path, 8)["steps"] >= 1


def test_a_step_that_fails_has_changed_nothing():
    """In PyNative mode, too: what ran before the error is undone."""

    class Fails(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner, self.fails = Noisy(), False
            self.count = ms.Parameter(ms.Tensor([0.0]), name="count", requires_grad=False)

        def construct(self, x):
            self.count += 1
            out = self.inner(x)
            if self.fails:
                raise ValueError("no more")
            return out

    net = Fails()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params())).set_train()
    x = ms.Tensor(np.ones((16, 64), np.float32))
    step(x, x)
    before, drawn = state(step), ms.get_rng_state().asnumpy()
    net.fails = True
    with pytest.raises(ValueError, match="no more"):
        step(x, x)
    for name, value in state(step).items():
        np.testing.assert_array_equal(value, before[name], name)
    np.testing.assert_array_equal(ms.get_rng_state().asnumpy(), drawn)
    net.fails = False
    step(x, x)
    assert net.count.asnumpy() == 2


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("block", range(2))
def test_an_interrupt_as_a_block_is_left_leaves_no_trace(mode, block, monkeypatch):
    ms.set_context(mode=mode)
    left, leave = itertools.count(), running.__exit__

    def interrupted(self, *error):
        if next(left) == block:
            raise KeyboardInterrupt
        leave(self, *error)

    net, x = nn.Dense(3, 2), ms.Tensor(np.ones((2, 3), np.float32))
    gradient = ms.grad(net, grad_position=0)
    monkeypatch.setattr(running, "__exit__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        gradient(x)
    monkeypatch.undo()
    assert current.get() == Execution()
    assert gradient(x).shape == (2, 3) and net(x).shape == (2, 2)


@pytest.mark.of_cpus("other devices do not look at indices")
def test_a_graph_that_finds_an_index_out_of_range_has_changed_nothing():
    class Picks(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = ms.Parameter(ops.ones((3, 2)), name="table")

        def construct(self, x):
            return (self.table[(x * 2).astype(ms.int32)] ** 2).sum()

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Picks()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.1))
    step(ms.Tensor([1.0]))
    before = state(step)
    with pytest.raises(IndexError, match=r"\[-3, 3\), but got 18"):
        step(ms.Tensor([9.0]))
    for name, value in state(step).items():
        np.testing.assert_array_equal(before[name], value, name)
    step(ms.Tensor([1.0]))
    assert not np.array_equal(before["table"], net.table.asnumpy())


class TestUninterrupted:
    def test_a_handler_runs_at_the_end_and_is_the_programs_again(self, alarm):
        seen = []
        with pytest.raises(KeyboardInterrupt), uninterrupted():
            signal.raise_signal(signal.SIGALRM)
            seen.append("to the end")
        assert seen == ["to the end"]
        assert signal.getsignal(signal.SIGALRM) is signal.default_int_handler

    def test_all_that_came_is_handled_though_handlers_raise(self, alarm):
        handled = []

        def note(number, _):
            handled.append(number)
            raise InterruptedError

        before = signal.signal(signal.SIGUSR1, note)
        try:
            with pytest.raises((KeyboardInterrupt, InterruptedError)), uninterrupted():
                signal.raise_signal(signal.SIGALRM)
                signal.raise_signal(signal.SIGUSR1)
                assert handled == []
            assert handled == [signal.SIGUSR1]
            assert signal.getsignal(signal.SIGUSR1) is note
        finally:
            signal.signal(signal.SIGUSR1, before)

    def test_a_block_within_a_block_waits_for_the_outer_one(self, alarm):
        seen = []
        with pytest.raises(KeyboardInterrupt), uninterrupted():
            with uninterrupted():
                signal.raise_signal(signal.SIGALRM)
            seen.append("outer")
        assert seen == ["outer"]

    def test_an_error_of_the_block_passes_through(self):
        before = signal.getsignal(signal.SIGINT)
        with pytest.raises(ValueError, match="own"), uninterrupted():
            raise ValueError("own")
        assert signal.getsignal(signal.SIGINT) is before

    def test_other_threads_change_no_handler(self):
        seen = []

        def run():
            with uninterrupted():
                seen.append(signal.getsignal(signal.SIGINT))

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert seen == [signal.getsignal(signal.SIGINT)]
