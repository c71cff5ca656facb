"""Write `docs/api.md`: every public name of `ops` with what the tests know of it, and the names of `nn`, `mint` and `numpy`.

python tools/api_page.py            # write the page
python tools/api_page.py --check    # exit status 1 if it is old
"""

import argparse
import inspect
import json
import os
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
os.environ["SPORAX_MINDSPORE"] = "2.7.0"  # it has all names; docs/releases.md says what later releases change

import layer_cases
import numpy as np
import table_differences as differences
import table_goldens
from laws.arrays import SPARSE
from laws.operators import FLOATS, OTHERS, float_positions
from laws.samples import parse

import sporax as ms
import sporax.ops  # (fills the tables)
from sporax._src.api import (
    collectives,
    transforms,
)
from sporax._src.api.ops import PUBLIC
from sporax._src.base.public_names import defined_in
from sporax._src.bindings.primitive import PRIMITIVES
from sporax._src.engine.table import TABLE, Op

PAGE = ROOT / "docs" / "api.md"

_INTRODUCTION = """\
# The public names, and what is known of each

Written by `python tools/api_page.py` from the table of operators, the cases of the tests and what was recorded from MindSpore
2.7.0 on the CPU (`tests/goldens`); a test fails when this page is old.

## `ops`

A row of these tables is a row of the table of operators. What the columns say is asserted by `tests/support/laws/rows.py`:

- **Name**: the function of `ops` with its signature, and further names; or the class, of what is a class only.
- **Tensor**, **class**: the method of Tensor (or property), and the Primitive class, that are views of the same row.
- **dtypes**: of operands, in a test. f: float16, bfloat16, float32 and float64; i: int32 or int64; u: uint8; b: bool; c:
  complex64. Of the dtypes beside those of a row's own cases, the test compares the dtypes and shapes of results with MindSpore's.
- **graph**: *yes*: the compiled call gives the values of the eager one, and a second call does not compile; *no*: the shape of
  the result depends on values, or the call writes, and a graph runs the call eagerly.
- **grad**: the order of derivative that is compared with central differences in float64, eagerly and compiled; – if there is none.
- **values of**: what the values are compared with; *own*: a function written for the tests in NumPy or torch; **M**: those
  recorded from MindSpore, too; *finite*: the laws ask for no more than finite values.
- **otherwise in MindSpore**: the differences that are known and meant.
"""
_LETTERS = {"f": "float16 bfloat16 float32 float64", "i": "int32 int64", "u": "uint8", "b": "bool", "c": "complex64"}


# --- a row ----------------------------------------------------------------------------------------------------------


def signature(fn: Any) -> str:
    """Return the parameters of a function without their annotations."""
    try:
        found = inspect.signature(fn)
    except ValueError:
        return "(...)"
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=found.empty)).replace("|", "\\|")


def arrays(value: Any) -> Iterator[Any]:
    """Give the arrays of nested arguments."""
    if isinstance(value, (np.ndarray, *SPARSE)):
        yield value
    elif isinstance(value, (tuple, list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from arrays(item)


def dtypes(row: Op) -> str:
    """Return the letters of the dtypes that operands have in tests."""
    found: set[str] = set()
    for case in row.cases:
        given = {array.dtype.name for array in arrays(parse(case))}
        found |= given | ({*FLOATS} if "float32" in given else set())
        told = answers(row, case).get("dtypes", {})
        known = table_goldens.listed(differences.DTYPES, row.name, row.name, case)
        left_out = known[0].split() if known else []
        found |= {d for d in OTHERS if d in told and not told[d].startswith("!") and d not in left_out}
    return "".join(letter for letter, names in _LETTERS.items() if found & set(names.split())) or "–"


def answers(row: Op, case: str) -> dict[str, Any]:
    """Return what MindSpore answered to a case under the first of the row's names."""
    names = table_goldens.names_of(row.name)
    return table_goldens.entry(names[0], case, row.name) if names else {}


def order(row: Op) -> str:
    """Return the order of derivative that the laws check."""
    checked = row.grad and row.jit and any(float_positions(parse(case)[0]) for case in row.cases)
    return str(row.grad) if checked else "–"


def compared(row: Op) -> str:
    """Return what the values of a row are compared with."""
    own = "own" if (row.ref or "").startswith("references.") else f"`{row.ref}`" if row.ref else ""
    recorded = [case for case in row.cases if "result" in answers(row, case)]
    kept = [c for c in recorded if table_goldens.listed(differences.VALUES, row.name, row.name, c) is None]
    return (
        ", ".join(part for part in (own, "M" if kept and row.name not in differences.DRAWS else "") if part) or "finite"
    )


def otherwise(row: Op) -> str:
    """Return the differences from MindSpore that the tests know of."""
    names = {row.name, *table_goldens.names_of(row.name)}
    said = []
    for what, table in (("values", differences.VALUES), ("gradient", differences.GRADIENTS), ("dtypes", differences.DTYPES),
                        ("empty", differences.EMPTY)):  # fmt: skip
        for key, text in table.items():
            name, _, call = key.partition("(")
            if name in names:
                case = f" of `({call}`" if call else ""
                reason = text if isinstance(text, str) else text[1]
                said.append(f"{what}{case}: {reason}".replace("|", "\\|"))
    return "; ".join(said)


def line(row: Op) -> str:
    """Return the line of a row in its table."""
    classes = [spec.split("(")[0] for spec in row.primitive]
    hidden = row.name.startswith("_")
    if hidden:
        shown, classes = ", ".join(f"`{spec}`" for spec in row.primitive), []
    else:
        shown = ", ".join(
            [f"`{row.name}{signature(row.public)}`", *(f"`{n}`" for n in row.aliases if not n.startswith("_"))]
        )
    cells = (shown, ", ".join(row.method), ", ".join(classes), dtypes(row), "yes" if row.jit else "no", order(row), compared(row),
             otherwise(row))  # fmt: skip
    return f"| {' | '.join(cells)} |"


# --- the page -------------------------------------------------------------------------------------------------------


def families() -> Iterator[str]:
    """Give the tables of the families, by module."""
    rows: dict[str, dict[str, Op]] = defaultdict(dict)
    for row in TABLE.values():
        if row.primitive or not row.name.startswith("_"):
            rows[defined_in(row.public)][row.name] = row
    for module in sorted(rows):
        title = (inspect.getdoc(sys.modules[module]) or "").splitlines()[0]
        room = module.removeprefix("sporax._src.").removeprefix("ops.")
        yield f"\n### {room}: {title[0].lower()}{title[1:].rstrip('.')}\n"
        yield "| Name | Tensor | class | dtypes | graph | grad | values of | otherwise in MindSpore |"
        yield "|---|---|---|---|---|---|---|---|"
        yield from sorted((line(row) for row in rows[module].values()), key=lambda text: text.casefold())


def listing(names: Iterable[str]) -> str:
    """Return names as wrapped lines."""
    text = ", ".join(sorted(set(names), key=lambda n: (n.casefold(), n))) or "none"
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def others() -> Iterator[str]:
    """Give the names of `ops` that no row makes."""
    views = {spec.split("(")[0] for row in TABLE.values() for spec in row.primitive}
    left = [n for n in PUBLIC if n not in views and n not in TABLE]
    yield "\n### Names that are no rows\n"
    yield "Primitive classes with signatures of their own, each tested by name:\n"
    yield listing(n for n in left if n in PRIMITIVES and n not in collectives.__all__)
    yield "\nFunctions over functions, types and Python values:\n"
    yield listing(n for n in left if n not in PRIMITIVES and n not in collectives.__all__)
    yield "\nTransforms:\n"
    yield listing(transforms.__all__)
    yield "\nCollective operators:\n"
    yield listing(collectives.__all__)


def recorded(file: str, prefix: str) -> set[str]:
    """Return the classes under `prefix` of which MindSpore's values are recorded."""
    cases = json.loads((ROOT / "tests" / "goldens" / file).read_text(encoding="utf-8"))["cases"]
    calls = (name for name, told in cases.items() if "error" not in told)
    return {found[1] for name in calls if (found := re.match(rf"{re.escape(prefix)}(\w+)\(", name))}


def layers() -> Iterator[str]:
    """Give the names of `nn`."""
    told = recorded("layers.json", "nn.") | recorded("losses.json", "nn.") | recorded("wraps.json", "nn.")
    lawful = {constructor.split("(")[0] for constructor, _ in layer_cases.ALL}
    names = set(ms.nn.__all__)
    yield "\n## `nn`\n"
    yield "Cells under the laws of layers (eager as compiled, gradients, mixed precision, save and load), with values recorded from"
    yield "MindSpore:\n"
    yield listing(names & told & lawful)
    yield "\nThe same, compared with NumPy or torch, or drawn at random:\n"
    yield listing((names & lawful) - told)
    yield "\nWith recorded values, and tests of their own in place of the laws:\n"
    yield listing((names & told) - lawful)
    yield "\nOptimizers, schedules, metrics and the rest, with tests of their own:\n"
    yield listing(names - told - lawful)


def namespaces() -> Iterator[str]:
    """Give the names of `mint` and `numpy`."""
    cells = recorded("mint_layers.json", "mint.nn.")
    for space, module in (("mint", ms.mint), ("mint.nn.functional", ms.mint.nn.functional), ("numpy", ms.numpy)):
        calls = {key.removeprefix(f"{space}."): cases for key, cases in table_goldens.recorded().items()
                 if key.startswith(f"{space}.")}  # fmt: skip
        told = {
            name for name, cases in calls.items() if any(case == "=" or "error" not in case for case in cases.values())
        }
        names = {n for n in module.__all__ if not inspect.ismodule(getattr(module, n))}
        yield f"\n## `{space}`\n\nWith values recorded from MindSpore:\n"
        yield listing(names & told)
        yield f"\nCompared with {'NumPy' if space == 'numpy' else 'torch'}, or with tests of their own:\n"
        yield listing(names - told)
        differs = {key.removeprefix(f"{space}."): text for key, text in differences.VALUES.items()
                   if key.startswith(f"{space}.") and key.removeprefix(f"{space}.") in names}  # fmt: skip
        yield from (f"\n`{name}` is otherwise in MindSpore: {text}." for name, text in sorted(differs.items()))
        if space == "mint.nn.functional":
            layers = {n for n in ms.mint.nn.__all__ if n != "functional"}
            yield "\n## `mint.nn`\n\nWith values recorded from MindSpore:\n"
            yield listing(layers & cells)
            yield "\nCompared with torch, or with tests of their own:\n"
            yield listing(layers - cells)


def page() -> str:
    """Return the text of the page."""
    return "\n".join([_INTRODUCTION, *families(), *others(), *layers(), *namespaces(), ""]).replace("\n\n\n", "\n\n")


def main(arguments: list[str] | None = None) -> int:
    """Write the page, or with `--check` tell whether it is old."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if the page is old")
    check = parser.parse_args(arguments).check
    text = page()
    old = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text
    if old and not check:
        PAGE.write_text(text, encoding="utf-8")
    return int(check and old)


if __name__ == "__main__":
    sys.exit(main())
