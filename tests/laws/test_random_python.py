"""Random programs of names, numbers, branches, loops and early exits mean in a graph what they mean to Python."""

from __future__ import annotations

import pytest
from programs.python_laws import Difference, PythonProgram, check_python, python_program, same, shrink_python

from sporax import Tensor

PROGRAMS = range(30)


@pytest.mark.parametrize("first", PROGRAMS[::6])
def test_results_types_and_errors_are_pythons(first) -> None:
    """`tools/fuzz.py --python N` walks more of them."""
    for seed in range(first, first + 6):
        program = python_program(seed, size=6)
        try:
            check_python(program)
        except Difference as difference:
            pytest.fail(f"seed {seed}: {difference}\n{program.source}")


def test_the_programs_have_every_kind_of_statement_and_end() -> None:
    """Together they branch, loop, leave early, delete, raise and handle."""
    sources = [python_program(seed).source for seed in range(100)]
    for word in (
        "if ",
        "elif ",
        "while ",
        "for ",
        "break",
        "continue",
        "del ",
        "try:",
        "raise ",
        "+=",
        "ops.assign(",
        "grad(",
    ):
        assert any(word in source for source in sources), word


@pytest.mark.parametrize(
    ("got", "want", "equal"),
    [
        (1, 1, True), (1, 1.0, False), (True, 1, False), (Tensor(1), 1, False), ((1, [2.0]), (1, [2.0]), True), ([1], (1,), False),
        ({"a": 1}, {"b": 1}, False), (Tensor([1.0]), Tensor([1]), False), (NameError("a"), NameError("b"), False),
    ],
)  # fmt: skip
def test_what_is_the_same(got, want, equal) -> None:
    """Types count, within containers too."""
    assert same(got, want) is equal


def test_a_difference_is_found_and_made_small() -> None:
    """A program that asks which of the two runs it comes to two results."""
    source = (
        "def program(x, y, n):\n    k = n + 1\n    if hasattr(x._data, '_trace'):\n        k = k * 2\n    return k\n"
    )
    program = PythonProgram(0, source, False)
    with pytest.raises(Difference, match="int became int") as caught:
        check_python(program)
    small = shrink_python(program, caught.value.kind, 20)
    assert len(small.source) < len(source)
