"""How much of MindSpore 2.7.0's surface the installed sporax answers, weighted by how often real code uses it.

    python tools/coverage.py --census DIR                      # percentages by namespace, the most used missing names
    python tools/coverage.py --census DIR --namespace mindspore.nn --missing 100
    python tools/coverage.py --census DIR --json coverage.json
    python tools/coverage.py --census DIR --left-out docs/coverage.md             # every missing name is named there
    python tools/coverage.py --census DIR --used-by 3 --left-out docs/coverage.md # names 3 repositories use, public or not

Names are looked for as a program under `sporax run` would. DIR holds the census, which is data outside this repository:
`api_ranked.csv` (names and uses), `api_kwargs.csv` (keyword arguments and uses), `import_paths.csv` (modules and
imports), `api_used_not_in_27.csv` (other names in use).
"""

import argparse
import csv
import fnmatch
import functools
import importlib
import inspect
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sporax._src.compat import finder

ABSENT = object()


@dataclass
class Tally:
    """Counts of one namespace: names, and uses of names."""

    names: int = 0
    found: int = 0
    uses: int = 0
    uses_found: int = 0
    missing: list[tuple[int, str]] = field(default_factory=list)

    def add(self, name: str, uses: int, found: bool) -> None:
        """Count one name."""
        self.names += 1
        self.uses += uses
        if found:
            self.found += 1
            self.uses_found += uses
        else:
            self.missing.append((uses, name))


@functools.cache
def resolve(name: str) -> Any:
    """Return what `mindspore.x.y` stands for, or ABSENT.

    A function may hide the module of its name from `x.y`; `from mindspore.x.y import z` finds the module all the same.
    """
    parts = name.split(".")
    for start in (1, *range(len(parts), 1, -1)):
        item = imported(".".join(parts[:start]))
        for part in parts[start:]:
            item = ABSENT if item is ABSENT else attribute(item, part)
        if item is not ABSENT:
            return item
    return ABSENT


def attribute(item: Any, name: str) -> Any:
    """Return an attribute, or ABSENT; of a class also what its constructor sets and what a subclass adds to it."""
    if not hasattr(item, name) and inspect.ismodule(item):
        return imported(f"{item.__name__}.{name}")
    if hasattr(item, name) or not isinstance(item, type):
        return getattr(item, name, ABSENT)
    try:
        if re.search(rf"\bself\.{name}\b", inspect.getsource(item.__init__)):
            return property()
    except (TypeError, OSError):  # no Python source
        pass
    return next((getattr(sub, name) for sub in subclasses(item) if hasattr(sub, name)), ABSENT)


def subclasses(item: type) -> Iterator[type]:
    """Give the classes below a class."""
    for sub in item.__subclasses__():
        yield sub
        yield from subclasses(sub)


@functools.cache
def imported(path: str) -> Any:
    """Return a module, or ABSENT."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        return ABSENT


def accepts(item: Any, keyword: str) -> bool:
    """Tell whether a callable takes a keyword argument; builtins that do not say are trusted."""
    try:
        parameters = inspect.signature(item).parameters
    except (TypeError, ValueError):
        return True
    return keyword in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def rows(path: Path) -> Iterable[dict[str, str]]:
    """Give the rows of a census file."""
    with path.open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


def number(row: dict[str, str], *columns: str) -> int:
    """Return the first column that is filled."""
    return next((int(float(row[c])) for c in columns if row.get(c)), 0)


def count_names(census: Path) -> dict[str, Tally]:
    """Count documented names and those that code uses, by namespace."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for row in rows(census / "api_ranked.csv"):
        uses = number(row, "uses_strong", "uses")
        if row["kind"] in ("missing", "module") or (row["documented"] != "1" and not uses):
            continue
        tallies[row["ns"]].add(row["name"], uses, resolve(row["name"]) is not ABSENT)
    return tallies


def count_other_names(census: Path) -> Tally:
    """Count names that code uses and the public list of 2.7 does not have, where 2.7 still answers them."""
    tally = Tally()
    for row in rows(census / "api_used_not_in_27.csv"):
        if row["exists_in_2_7"] == "1":
            tally.add(row["name"], number(row, "uses") + number(row, "imports"), resolve(row["name"]) is not ABSENT)
    return tally


def count_keywords(census: Path) -> Tally:
    """Count keyword arguments of the names that are there."""
    tally = Tally()
    for row in rows(census / "api_kwargs.csv"):
        item = resolve(row["name"]) if row["kwarg"].isidentifier() else ABSENT
        if item is not ABSENT and callable(item):
            tally.add(f"{row['name']}({row['kwarg']}=)", number(row, "kw_uses"), accepts(item, row["kwarg"]))
    return tally


def count_modules(census: Path) -> Tally:
    """Count modules that can be imported."""
    tally = Tally()
    for row in rows(census / "import_paths.csv"):
        if row["in_2_7 (1=module 2=attribute only)"] in ("1", "2"):
            tally.add(row["module"], number(row, "imports"), resolve(row["module"]) is not ABSENT)
    return tally


def missing_names(census: Path, used_by: int | None) -> list[tuple[int, str]]:
    """Return the missing names with the number of repositories that use them, the most used first.

    Args:
        census: The folder of the census files.
        used_by: Names and modules that so many repositories use, public or not; None for all documented names.
    """
    least = 0 if used_by is None else used_by
    found: dict[str, int] = {}
    for row in rows(census / "api_ranked.csv"):
        if row["kind"] != "missing" and (used_by is not None or row["documented"] == "1"):
            found[row["name"]] = number(row, "repos_strong", "repos")
    if used_by is not None:
        found.update({row["name"]: number(row, "repos") for row in rows(census / "api_used_not_in_27.csv")})
        found.update({row["module"]: number(row, "repos") for row in rows(census / "import_paths.csv")})
    missing = [(n, name) for name, n in found.items() if n >= least and resolve(name) is ABSENT]
    return sorted(missing, key=lambda item: (-item[0], item[1]))


def named(document: Path) -> list[str]:
    """Return the names in a document, as patterns: ``a.{b, c}`` in backquotes names a.b and a.c, ``a.*`` all below a."""
    patterns = []
    for span in re.findall(r"`([^`]+)`", document.read_text(encoding="utf-8")):
        before, brace, rest = span.partition("{")
        inside, _, after = rest.partition("}")
        patterns += [before + part.strip() + after for part in inside.split(",")] if brace else [span]
    return patterns


def unnamed(missing: Iterable[tuple[int, str]], document: Path) -> list[tuple[int, str]]:
    """Return the missing names that a document does not name, with or without `mindspore.` before them."""
    patterns = named(document)
    exact = set(patterns)
    wide = [p for p in patterns if "*" in p]

    def is_named(name: str) -> bool:
        forms = (name, name.removeprefix("mindspore."))
        return not exact.isdisjoint(forms) or any(fnmatch.fnmatchcase(form, p) for form in forms for p in wide)

    return [(n, name) for n, name in missing if not is_named(name)]


def percent(part: int, whole: int) -> str:
    """Return a percentage, or a dash of nothing."""
    return f"{100 * part / whole:5.1f} %" if whole else "      –"


def line(title: str, tally: Tally) -> str:
    """Return one line of the table."""
    names = f"{tally.found:5d} of {tally.names:5d} {percent(tally.found, tally.names)}"
    return f"{title:48s} {names}   {percent(tally.uses_found, tally.uses)} of {tally.uses} uses"


def total(tallies: Iterable[Tally]) -> Tally:
    """Add tallies up."""
    whole = Tally()
    for tally in tallies:
        whole.names += tally.names
        whole.found += tally.found
        whole.uses += tally.uses
        whole.uses_found += tally.uses_found
        whole.missing += tally.missing
    return whole


def report(tallies: dict[str, Tally], extras: dict[str, Tally], missing: int) -> None:
    """Print the table and the missing names, most used first."""
    for namespace, tally in sorted(tallies.items(), key=lambda item: -item[1].uses):
        print(line(namespace, tally))
    print()
    print(line("all names", total(tallies.values())))
    for title, tally in extras.items():
        print(line(title, tally))
    for title, tally in {"names": total(tallies.values()), **extras}.items():
        print(f"\nmissing {title}, by use:")
        for uses, name in sorted(tally.missing, reverse=True)[:missing]:
            print(f"{uses:7d}  {name}")


def main(argv: list[str] | None = None) -> int:
    """Count, print, and write the counts if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--census", type=Path, required=True, help="folder of the census files")
    parser.add_argument("--namespace", default="mindspore", help="only names below this one")
    parser.add_argument("--missing", type=int, default=40, help="how many missing names to list")
    parser.add_argument("--json", type=Path, help="write all counts and missing names here")
    parser.add_argument("--used-by", type=int, help="list missing names that so many repositories use, fail if any")
    parser.add_argument("--left-out", type=Path, help="a document; missing names that it names do not count")
    args = parser.parse_args(argv)
    finder.install()
    if args.used_by is not None or args.left_out:
        missing = missing_names(args.census, args.used_by)
        missing = unnamed(missing, args.left_out) if args.left_out else missing
        for repositories, name in missing:
            print(f"{repositories:7d}  {name}")
        return 1 if missing else 0
    inside = f"{args.namespace}."
    tallies = {n: t for n, t in count_names(args.census).items() if f"{n}.".startswith(inside)}
    extras = {
        "names outside the public list": count_other_names(args.census),
        "keyword arguments": count_keywords(args.census),
        "importable modules": count_modules(args.census),
    }
    report(tallies, extras if args.namespace == "mindspore" else {}, args.missing)
    if args.json:
        data = {name: vars(tally) for name, tally in {**tallies, **extras}.items()}
        args.json.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
