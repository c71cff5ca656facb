"""A comparison for the terminal."""

from comparisons import comparison
from rich.console import Console

from sporax._src.migrate.compare.report import Comparison, Row
from sporax._src.migrate.compare.terminal import tree


def shown(result: Comparison) -> list[str]:
    """Return the lines of a tree without colours."""
    console = Console(width=120, color_system=None)
    with console.capture() as capture:
        console.print(tree(result))
    return [line.rstrip() for line in capture.get().splitlines()]


def layer(name: str, **more) -> Row:
    return Row("forward", name, name, "output", "Linear", **more)


def test_layers_stand_below_those_that_hold_them() -> None:
    rows = [layer("a.b.c", relative=0.5, status="different"), layer("a"), layer("d", relative=0.0, note="[one]")]
    assert shown(comparison(*rows)) == [
        "Net (sporax) agrees with Net (torch 2).",
        "└── forward  1 different, 2 same",
        "    ├── a  Linear  same",
        "    │   └── b.c  Linear  5.0e-01  different",
        "    └── d  Linear  0.0e+00  same  [one]",
    ]


def test_of_other_stages_what_differs_is_shown() -> None:
    rows = [Row("parameters", "a.weight", "a", "weight", "Linear", status=s) for s in ("same", "missing")]
    rows.append(Row("loss", "loss", "Net", "value", "Net", relative=1e-7, status="rounding"))
    result = comparison(*rows, first_difference="a", stage="parameters", cause="weight is missing here")
    assert shown(result) == [
        "Net (sporax) differs from Net (torch 2) first at a (parameters): weight is missing here.",
        "├── parameters  1 same, 1 missing",
        "│   └── a.weight weight  Linear  missing",
        "└── loss  1 rounding",
    ]
