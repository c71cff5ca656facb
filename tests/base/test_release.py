"""Which release of MindSpore is followed."""

import subprocess
import sys

import pytest

from sporax._src.base import release


@pytest.mark.parametrize(
    ("text", "expected"), [("2.7", "2.7.0"), ("2.7.1", "2.7.0"), ("2.10", "2.10.0"), ("2.10.0", "2.10.0")]
)
def test_a_release_is_named_by_two_or_three_numbers(text, expected):
    assert release.named(text) == expected


@pytest.mark.parametrize("text", ["2.6", "2.11.0", "3", "new"])
def test_an_unknown_release(text):
    with pytest.raises(ValueError, match=rf"must be one of 2.7, 2.8, 2.9, 2.10, but got '{text}'"):
        release.named(text)


def test_the_newest_is_the_default_and_the_environment_names_another(monkeypatch):
    code = "from sporax._src.base import release; print(release.followed(), release.is_before('2.9.0'))"

    def found():
        return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()

    monkeypatch.delenv(release.VARIABLE)
    assert found() == ["2.10.0", "False"]
    monkeypatch.setenv(release.VARIABLE, "2.8")
    assert found() == ["2.8.0", "True"]
