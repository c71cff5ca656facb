"""Each of a beginner's mistakes ends, in both modes, in a short traceback whose last line says what is wrong and what to do."""

import warnings
from collections import Counter
from pathlib import Path

import mistakes
import pytest

MISTAKES = mistakes.mistakes()
MOST_LINES = 12


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.title)
def test_the_message_is_the_last_line(mode: int, mistake: mistakes.Mistake, tmp_path: Path) -> None:
    """The program's own line is right above it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lines = mistakes.shown(mistake.code, tmp_path / "program.py")
    assert len(lines) <= MOST_LINES
    assert lines[0] == "Traceback (most recent call last):"
    assert mistake.is_message(lines[-1]), lines[-1]
    assert lines[-2].strip() in map(str.strip, mistake.code.split("\n"))


def test_grades() -> None:
    """There are 150 mistakes and more; few messages say the cause alone, and none says less."""
    grades = Counter(mistake.grade for mistake in MISTAKES)
    assert len({mistake.code for mistake in MISTAKES}) == len(MISTAKES) >= 150
    assert grades.keys() <= {"A", "B"}
    assert grades["B"] <= 10
