"""JSON of any origin: what is no JSON is a ValueError."""

import pytest

from sporax._src.base.json_text import parse_json


def test_values() -> None:
    assert parse_json(b'{"a": [1, null]}') == {"a": [1, None]}
    assert parse_json('{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize(
    ("text", "unique", "said"),
    [
        ("{", False, "Expecting property name"),
        ("[" * 100_000, False, "its JSON is nested too deep"),
        ('[{"a": 1, "b": 2, "a": 3}]', True, "the name 'a' comes twice"),
    ],
)
def test_what_is_refused(text: str, unique: bool, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_json(text, unique=unique)
