"""Error text: how values, files and lines are shown."""

import warnings

import numpy as np
import pytest

import sporax as ms
from sporax._src.base import errors


def test_operands_are_shown_by_dtype_and_shape() -> None:
    assert errors.describe(np.zeros((2, 3), np.float32)) == "float32[2, 3]"
    assert errors.describe(ms.Tensor([1, 2])) == "int64[2]"
    assert errors.describe([np.zeros(2, np.int8), "a"]) == "[int8[2], 'a']"
    assert errors.describe(tuple(range(9))) == "(0, 1, 2, 3, 4, 5, 6, 7, ...)"
    text = errors.describe("x" * 100)
    assert len(text) == 80 and text.endswith("...")
    assert errors.signature("ops.add", [np.zeros(2, np.float32)], {"axis": 1}) == "ops.add(float32[2], axis=1)"


def test_names_out_of_files_take_one_line() -> None:
    assert errors.shown("a\nb\x1b") == r"a\nb\x1b"
    long = errors.shown("a" * 100 + "b" * 100, 40)
    assert len(long) == 40 and long.startswith("aaaaaaaaaa...") and long.endswith("b")
    assert errors.shown("a" * 1000, None) == "a" * 1000


class _Own(IndexError):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(one, two)


def test_a_head_keeps_the_class_of_an_error() -> None:
    found = errors.with_head(ValueError(" too large "), "ops.f(3)")
    assert type(found) is ValueError and str(found) == "ops.f(3): too large"
    assert type(errors.with_head(_Own(1, 2), "ops.f")) is IndexError
    assert type(errors.with_head(OSError("gone"), "ops.f")) is RuntimeError


def test_files_may_have_other_names() -> None:
    assert errors.at("train.py", 12) == "train.py:12"
    with errors.files_called(lambda file: "Cell In[3]" if file == "cell" else None):
        assert errors.at("cell", 2) == "Cell In[3], line 2"
        assert errors.at("train.py", 12) == "train.py:12"
    assert errors.at("cell", 2) == "cell:2"


def test_warnings_are_given_at_the_line_of_the_program() -> None:
    assert errors.is_own(errors.__file__) and not errors.is_own(__file__)
    assert errors.user_line().startswith(f"{__file__}:")
    with pytest.warns(UserWarning, match="told") as seen:
        errors.warn_user("told")
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(errors.CompileFallback):
            errors.warn_user("told", errors.CompileFallback)


def test_the_message_of_a_key_error_has_no_quotes():
    assert errors.message(KeyError("a sentence")) == "a sentence"
    assert errors.message(KeyError("key")) == "'key'"
