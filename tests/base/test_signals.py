"""Blocks that no handler of a signal can split."""

import signal
import threading

import pytest

from sporax._src.base.signals import uninterrupted


@pytest.fixture
def came(monkeypatch):
    """Have a handler note what comes, and raise at the second signal."""
    seen: list[int] = []

    def handler(number, frame):
        seen.append(number)
        if len(seen) == 2:
            raise KeyError("second")

    before = signal.signal(signal.SIGUSR1, handler)
    yield seen
    signal.signal(signal.SIGUSR1, before)


def test_handlers_run_at_the_end_of_the_block(came) -> None:
    handler = signal.getsignal(signal.SIGUSR1)
    with uninterrupted():
        signal.raise_signal(signal.SIGUSR1)
        assert came == []
    assert came == [signal.SIGUSR1] and signal.getsignal(signal.SIGUSR1) is handler


def test_what_a_handler_raises_comes_after_the_block(came) -> None:
    done = []
    with pytest.raises(KeyError, match="second"):
        with uninterrupted():
            for _ in range(3):
                signal.raise_signal(signal.SIGUSR1)
            done.append(True)
    assert done == [True] and len(came) == 3


def test_other_threads_have_nothing_to_hold_back() -> None:
    found = []

    def run() -> None:
        with uninterrupted() as block:
            found.append(block)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [None]
