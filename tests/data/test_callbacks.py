"""Callbacks of `map`: events and numbers as MindSpore tells them."""

from typing import Any

import pytest
from noted_callbacks import read, rows

import sporax.dataset as ds

EVENTS = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")


def told(events: list[Any], step_size: int = 1, names: tuple[str, ...] = EVENTS) -> ds.DSCallback:
    """Return a callback that notes the events of `names`, each with its three numbers."""

    def note(event: str) -> Any:
        def method(self: Any, context: Any) -> None:
            events.append((event[3:], context.cur_epoch_num, context.cur_step_num_in_epoch, context.cur_step_num))

        return method

    return type("Told", (ds.DSCallback,), {name: note(name) for name in names})(step_size)


def test_events_have_the_numbers_of_epochs_and_rows() -> None:
    events: list[Any] = []
    read(rows(2).map(lambda x: x, callbacks=told(events)), 2)
    assert events == [
        ("begin", 0, 0, 0),
        ("epoch_begin", 1, 0, 0),
        ("step_begin", 1, 1, 1), ("step_end", 1, 1, 1), ("step_begin", 1, 2, 2), ("step_end", 1, 2, 2),
        ("epoch_end", 1, 2, 2),
        ("epoch_begin", 2, 0, 2),
        ("step_begin", 2, 1, 3), ("step_end", 2, 1, 3), ("step_begin", 2, 2, 4), ("step_end", 2, 2, 4),
        ("epoch_end", 2, 2, 4),
    ]  # fmt: skip


def test_steps_are_told_of_at_the_first_of_each_step_size_of_an_epoch() -> None:
    events: list[Any] = []
    read(rows().map(lambda x: x, callbacks=told(events, 2, ("ds_step_begin",))), 2)
    assert [event[1:] for event in events] == [(1, 1, 1), (1, 3, 3), (2, 1, 4), (2, 3, 6)]


def test_an_epoch_is_that_of_the_iterator_also_under_repeat() -> None:
    for data in (lambda c: rows(2).map(lambda x: x, callbacks=c).repeat(2),
                 lambda c: rows(2).repeat(2).map(lambda x: x, callbacks=c)):  # fmt: skip
        events: list[Any] = []
        read(data(told(events, names=("ds_epoch_begin", "ds_epoch_end"))), 2)
        assert events == [
            ("epoch_begin", 1, 0, 0), ("epoch_end", 1, 4, 4), ("epoch_begin", 2, 0, 4), ("epoch_end", 2, 4, 8),
        ]  # fmt: skip


def test_only_iterators_are_told_of() -> None:
    events: list[Any] = []
    data = rows().filter(lambda x: x > 0).map(lambda x: x, callbacks=[told(events)], num_parallel_workers=4)
    assert (data.get_dataset_size(), data.output_shapes(), events) == (2, [[]], [])
    for beginning in (1, 2):
        read(data, 1)
        assert [event[0] for event in events].count("begin") == beginning


def test_what_a_callback_raises_names_it() -> None:
    class Failing(ds.DSCallback):
        def ds_step_end(self, ds_run_context: Any) -> None:
            raise ValueError("no more")

    with pytest.raises(RuntimeError, match=r"map\(callbacks=...\): .*Failing.ds_step_end raised ValueError: no more"):
        read(rows().map(lambda x: x, callbacks=Failing()), 1)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: ds.DSCallback(0), ValueError, "DSCallback: step_size must be"),
        (lambda: ds.WaitedDSCallback(1.5), TypeError, "WaitedDSCallback: step_size must be an int, got float 1.5"),
        (lambda: rows().map(len, callbacks=[3]), TypeError, r"callbacks\[0\] must be a DSCallback, got 3"),
        (lambda: rows().map(len, callbacks=ds.DSCallback()), AttributeError, "DSCallback overrides none of ds_begin, "),
    ],
)
def test_errors(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()
