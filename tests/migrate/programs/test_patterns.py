"""Small programs of one construct each: converted, they answer what torch answered, or a TODO announces that they cannot."""

import json
from typing import Any

import pytest
from converted_programs import execute
from patterns import RECORDED, patterns, plain

from sporax._src.migrate.source.convert import convert

PROGRAMS = patterns()
ANSWERS = json.loads(RECORDED.read_text())

# Programs that do not convert, and a part of the TODO that says so.
REFUSED = {
    "functions_as_values: a method of Tensor with several arguments held as a value": "no counterpart",
    "gradients: retained gradients": "A gradient is a result of a function",
    "gradients: whether a result has a gradient": "does not record what depends on a Tensor",
    "layers: projections of an lstm": "proj_size=2 has no counterpart",
    "shapes_of_programs: a name of torch that is computed": "torch is a namespace",
}


def test_every_pattern_is_recorded():
    assert ANSWERS.keys() == PROGRAMS.keys()
    assert REFUSED.keys() <= PROGRAMS.keys()


@pytest.mark.parametrize("name", PROGRAMS)
def test_pattern(name):
    converted = convert(PROGRAMS[name])
    if name in REFUSED:
        assert any(REFUSED[name] in str(todo) for todo in converted.todo)
        return
    assert not converted.todo
    scope: dict[str, Any] = {}
    execute(converted, scope)
    _assert_close(plain(scope["answers"]), ANSWERS[name])


def _assert_close(value: Any, expected: Any) -> None:
    if isinstance(expected, dict):
        assert value.keys() == expected.keys()
        value, expected = list(value.values()), list(expected.values())
    assert type(value) is type(expected)
    if isinstance(expected, list):
        assert len(value) == len(expected)
        for one, other in zip(value, expected, strict=True):
            _assert_close(one, other)
    elif isinstance(expected, float):
        assert value == pytest.approx(expected, rel=1e-4, abs=1e-5, nan_ok=True)
    else:
        assert value == expected
