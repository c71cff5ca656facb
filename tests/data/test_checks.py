"""Checks of arguments that several datasets share."""

from pathlib import Path

import pytest

from sporax._src.data import checks


def test_values_that_fit_are_returned() -> None:
    assert checks.integer("take", "count", 3, 1) == 3
    assert checks.chosen("USPS", "usage", None, ("all", "train")) == "all"
    assert checks.chosen("USPS", "usage", "train", ("all", "train")) == "train"
    assert checks.file("CSV", Path(__file__)) == __file__
    assert checks.columns("map", "input_columns", "a") == ["a"]
    assert checks.columns("map", "input_columns", ("b", "a")) == ["b", "a"]
    assert checks.positions("project", ["c", "a"], ["a", "b", "c"]) == [2, 0]


REFUSED = [
    (lambda: checks.integer("take", "count", True, 1), TypeError, "take: count must be an int, got bool True."),
    (lambda: checks.integer("take", "count", 2.0, 1), TypeError, "take: count must be an int, got float 2.0."),
    (lambda: checks.integer("take", "count", 0, 1, 9), ValueError, "take: count must be in [1, 9], got 0."),
    (lambda: checks.count("repeat", 0), ValueError, "repeat: count must be -1 or a positive int, got 0."),
    (lambda: checks.count("repeat", "1"), TypeError, "repeat: count must be an int, got str '1'."),
    (
        lambda: checks.workers("map", 0),
        ValueError,
        "map: num_parallel_workers must be in [1, 2147483647], got 0.",
    ),
    (
        lambda: checks.multiprocessing("map", False, [6]),
        TypeError,
        "map: max_rowsize must be an int or a list of two, got [6].",
    ),
    (lambda: checks.no_more("map", {"foo": 1}), TypeError, "map() got an unexpected keyword argument 'foo'"),
    (lambda: checks.boolean("CSV", "shuffle", 1), TypeError, "CSV: shuffle must be a bool, got int 1."),
    (lambda: checks.function("filter", "predicate", 1), TypeError, "filter: predicate must be callable, got int 1."),
    (
        lambda: checks.chosen("USPS", "usage", "dev", ("all", "train")),
        ValueError,
        "USPS: usage must be one of ['all', 'train'], got 'dev'.",
    ),
    (lambda: checks.chosen("USPS", "usage", 1, ("all",)), TypeError, "USPS: usage must be a str, got int 1."),
    (lambda: checks.file("CSV", 1), TypeError, "CSV: expected the path of a file, got 1."),
    (lambda: checks.file("CSV", "/none"), ValueError, "CSV: the file /none does not exist."),
    (lambda: checks.file("CSV", "/"), ValueError, "CSV: / is a folder; expected a file."),
    (
        lambda: checks.columns("map", "columns", {"a"}),
        TypeError,
        "map: columns must be a str or a list of str, got {'a'}.",
    ),
    (lambda: checks.columns("map", "columns", [1]), TypeError, "map: columns must hold str, got int 1."),
    (lambda: checks.columns("map", "columns", ""), ValueError, "map: columns must hold names, got ''."),
    (
        lambda: checks.columns("map", "columns", ["a", "a"]),
        ValueError,
        "map: columns must hold every name once, got ['a', 'a'].",
    ),
    (
        lambda: checks.positions("project", ["x"], ["a"]),
        RuntimeError,
        "project: column 'x' does not exist; the dataset has ['a'].",
    ),
]


@pytest.mark.parametrize("call, kind, text", REFUSED, ids=[text for *_, text in REFUSED])
def test_values_that_do_not_fit_are_refused(call, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as error:
        call()
    assert str(error.value) == text


def test_no_number_of_workers_is_the_configured_one() -> None:
    assert checks.workers("map", None) is None
    assert checks.count("repeat", -1) is None


def test_functions_are_called_by_the_name_that_a_user_knows() -> None:
    def scale(x: int) -> int:
        return x

    class Twice:
        def __call__(self, x: int) -> int:
            return 2 * x

    anonymous = lambda x: x
    line = anonymous.__code__.co_firstlineno
    assert checks.called(scale) == "scale"
    assert checks.called(Twice()) == "Twice"
    assert checks.called(anonymous) == f"<lambda> in test_checks.py, line {line},"
    assert checks.called(len) == "len"


def test_an_error_of_a_function_names_its_row() -> None:
    error = checks.failed("map", len, 7, KeyError("x"))
    assert isinstance(error, RuntimeError)
    assert str(error) == "map: len raised KeyError at row 7: 'x'"
    assert str(checks.failed("map", len, None, ValueError("no"))) == "map: len raised ValueError: no"


def test_a_size_of_rows_is_said_to_be_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(checks._log, "warning", said.append)
    checks._say_unused.cache_clear()
    for size in (None, 6, [6, -1], -1):
        assert checks.multiprocessing("map", True, size) is True
    assert said == ["max_rowsize of datasets is not used: memory between processes grows as rows need."]
