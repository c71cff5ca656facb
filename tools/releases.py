"""Write docs/releases.md and the examples of the table of changes, for `record_goldens.py releases`.

    python tools/releases.py
    MINDSPORE_2_7_PYTHON tools/record_goldens.py releases       # then with the Python of each release
    python tools/releases.py                                    # once more: the page shows what was recorded
    python tools/releases.py --compare PYTHON_A PYTHON_B        # names and signatures of two wheels that differ

The last command is where the rows of a new release come from: each difference is decided, and becomes a row of
`sporax/_src/compat/releases`, a name that sporax answers, or a line of docs/coverage.md.
"""

import argparse
import itertools
import json
import subprocess
import sys
from pathlib import Path

from sporax._src.base.release import RELEASES
from sporax._src.compat.releases import served  # noqa: F401  (fills the table)
from sporax._src.compat.releases.table import CHANGES

ROOT = Path(__file__).resolve().parent.parent
GOLDENS = ROOT / "tests" / "goldens"

HEAD = """# Releases of MindSpore

A process follows one release of MindSpore: `mindspore.__version__` names it. The default is {newest}. Another one is followed if

- the command says so: `sporax run --mindspore 2.7 train.py`;
- the environment does: `SPORAX_MINDSPORE=2.7`;
- a `requirements.txt` or `pyproject.toml` beside the program requires it, such as `mindspore==2.7.0`. Of the releases that a
  requirement allows, the newest is followed. If two files disagree, `sporax run` asks for `--mindspore`.

Names that a newer release brought are there whichever release is followed. The tables list what else differs; all of it follows the
release. The answers were recorded from MindSpore's wheels, and `tests/compat/releases` compares sporax with them.
"""


def examples() -> list[str]:
    """Return the examples of all rows."""
    return list(dict.fromkeys(_example(name) for change in CHANGES for name in change.examples))


def _example(text: str) -> str:
    """Return an example as an expression; one that is only a name is looked up."""
    if "(" in text or text.startswith(("ms.", "ops.", "nn.", "mint.")):
        return text
    return f"ms.{text}"


def page() -> str:
    """Return docs/releases.md."""
    recorded = json.loads((GOLDENS / "releases.json").read_text(encoding="utf-8"))
    parts = [HEAD.format(newest=RELEASES[-1].removesuffix(".0"))]
    for older, newer in itertools.pairwise(RELEASES):
        parts.append(f"\n## Since {newer.removesuffix('.0')}")
        for change in [change for change in CHANGES if change.since == newer]:
            names = ", ".join(f"`{name}`" for name in change.names)
            what = (
                change.what
                if change.newer
                else f"{change.what} {change.instead[0].upper()}{change.instead[1:]} instead."
            )
            parts.append(f"\n{names}\n\n{what}\n\n| | {older} | {newer} |\n|---|---|---|")
            for text in change.examples:
                example = _example(text)
                cells = [recorded.get(release, {}).get(example, "") for release in (older, newer)]
                parts.append(
                    "| "
                    + " | ".join(f"`{cell}`".replace("|", "\\|") for cell in (example.replace("\n", "; "), *cells))
                    + " |"
                )
    return "\n".join(parts) + "\n"


COMPARED = """
import inspect, json, re, sys, mindspore
found = {}
for space in sys.argv[1:]:
    try:
        module = __import__(space, fromlist=["x"])
    except ImportError:
        owner, _, name = space.rpartition(".")
        module = getattr(__import__(owner, fromlist=["x"]), name, None)
    for name in dir(module):
        if name.startswith("_"):
            continue
        value = getattr(module, name, None)
        try:
            signature = re.sub(r" at 0x\\w+| from '[^']*'", "", str(inspect.signature(value)))
        except (TypeError, ValueError):
            signature = ""
        found[f"{space}.{name}"] = signature
print(json.dumps(found))
"""
SPACES = (
    "mindspore mindspore.nn mindspore.ops mindspore.mint mindspore.mint.nn mindspore.mint.nn.functional mindspore.mint.optim "
    "mindspore.mint.linalg mindspore.mint.special mindspore.mint.distributed mindspore.communication mindspore.dataset "
    "mindspore.dataset.vision mindspore.dataset.transforms mindspore.dataset.text mindspore.dataset.audio mindspore.train "
    "mindspore.amp mindspore.numpy mindspore.parallel mindspore.runtime mindspore.utils mindspore.Tensor mindspore.Parameter "
    "mindspore.nn.Cell mindspore.dataset.Dataset"
).split()


def compare(before: str, after: str) -> str:
    """Return the public names, and the signatures, in which the wheels of two Pythons differ."""
    old, new = (
        json.loads(
            subprocess.run(
                [python, "-c", COMPARED, *SPACES], check=True, capture_output=True, text=True
            ).stdout.splitlines()[-1]
        )
        for python in (before, after)
    )
    lines = [f"gone   {name}" for name in sorted(old.keys() - new.keys())]
    lines += [f"new    {name}{new[name]}" for name in sorted(new.keys() - old.keys())]
    both = sorted(old.keys() & new.keys())
    lines += [f"other  {name}{old[name]} -> {new[name]}" for name in both if old[name] != new[name]]
    return "\n".join(lines)


def main() -> None:
    """Write the page and the examples, or compare two wheels."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--compare", nargs=2, metavar="PYTHON", help="the Pythons of two wheels")
    arguments = parser.parse_args()
    if arguments.compare:
        print(compare(*arguments.compare))
        return
    (GOLDENS / "releases_examples.json").write_text(json.dumps(examples(), indent=1) + "\n", encoding="utf-8")
    if (GOLDENS / "releases.json").exists():
        (ROOT / "docs" / "releases.md").write_text(page(), encoding="utf-8")
    else:
        print("no answers are recorded yet: run tools/record_goldens.py releases", file=sys.stderr)


if __name__ == "__main__":
    main()
