"""Random programs of operators and control flow agree in NumPy, PyNative mode and graphs; so do their gradients."""

import pytest
from programs.calls import some_entries
from programs.laws import Difference, Unusable, cause, check_program, shrink
from programs.writer import Program, Writer

SEEDS = range(12)


def make(seed: int) -> Program:
    """Return the program of a seed, of few operators, so that most are compiled once for all programs."""
    return Writer(seed, some_entries(0, 40), size=9).program()


@pytest.mark.parametrize("seed", SEEDS)
def test_program(seed) -> None:
    """Values, gradients and the Parameter agree, and everything compiles."""
    program = make(seed)
    try:
        found = check_program(program)
    except Unusable:
        return  # its values are too large, or jump
    assert not found, f"seed {seed}: {found}\n{program.source}"


def test_most_programs_are_used() -> None:
    """Few programs are set aside, and together they have every kind of statement."""
    from programs.laws import OnNumpy, inputs_of

    used = []
    for seed in range(100):
        program = make(seed)
        try:
            OnNumpy(program).run("program", inputs_of(program)[0])
        except Unusable:
            continue
        used.append(program.source)
    assert len(used) > 75
    for word in (
        "while ",
        "for ",
        "if ",
        "else:",
        "break",
        "continue",
        "def f",
        "lambda",
        ".append(",
        "ops.assign(",
        "+=",
    ):
        assert any(word in source for source in used), word


def test_a_difference_is_found_and_made_small(monkeypatch) -> None:
    """An operator that is wrong in graphs alone shows as a difference, in a program of few lines."""
    from sporax._src.core.scope import tracing
    from sporax._src.engine.table import TABLE

    row = TABLE["tanh"]
    right = row.public
    monkeypatch.setitem(row.__dict__, "public", lambda x: right(x) + 1.0 if tracing() else right(x))
    source = """def program(x, y, s, n):
    v1 = x * 2.0
    v2 = s + 1.0
    if s > 0.125:
        v1 = ops.tanh(v1)
    else:
        v1 = ops.tanh(v1 * y)
    for i3 in range(3):
        v2 = v2 * 0.5
    return v1, v2

def loss(x, y, s, n):
    a, b = program(x, y, s, n)
    return a.sum() + b
"""
    program = Program(1, source, {}, frozenset(), frozenset())
    with pytest.raises(Difference, match="graph and PyNative") as error:
        check_program(program)
    small = shrink(program, error.value.kind, 20).source
    assert "tanh" in small and "range" not in small and small.count("\n") < source.count("\n") - 2


def test_causes() -> None:
    """The cause of a fallback is told without the names of variables."""
    text = "f runs in PyNative mode: it needs a value while the graph is built (NeedsValue: 'v1' is 1). Use ops.cond"
    assert cause(text) == "NeedsValue: _ is 1"
