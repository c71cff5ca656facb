"""The stopwatch adds up seconds by kind, while it runs."""

import pytest

from sporax._src.base import stopwatch as module
from sporax._src.base.stopwatch import Stopwatch


@pytest.fixture
def watch(monkeypatch) -> Stopwatch:
    ticks = iter(range(100))
    monkeypatch.setattr(module.time, "perf_counter", lambda: float(next(ticks)))
    return Stopwatch()


def test_nothing_is_measured_before_the_start(watch: Stopwatch) -> None:
    assert watch.measured("a", lambda x: x + 1, 1) == 2
    watch.add("a", 1.0)
    assert dict(watch.seconds) == {}


def test_kinds_add_up_and_inner_calls_of_a_kind_are_a_part(watch: Stopwatch) -> None:
    watch.start()
    assert watch.measured("a", lambda: watch.measured("a", lambda: watch.measured("b", lambda: 5))) == 5
    watch.add("c", 2.5)
    assert dict(watch.seconds) == {"a": 3.0, "b": 1.0, "c": 2.5}
    with pytest.raises(KeyError):
        watch.measured("b", {}.__getitem__, "none")
    assert watch.seconds["b"] == 2.0
    watch.stop()
    watch.add("c", 1.0)
    assert watch.seconds["c"] == 2.5
    watch.start()
    assert dict(watch.seconds) == {}
