"""Training scripts of public repositories: the losses of a script, of its conversions and of `sporax run --torch`.

    git clone https://github.com/OWNER/NAME CHECKOUTS/OWNER/NAME        # for each repository of the tables
    pip install --no-deps --target SITE torchvision pandas              # what scripts import under torch, besides torch
    python tools/scripts.py CHECKOUTS --site SITE                       # all; writes the results and docs/models.md
    python tools/scripts.py CHECKOUTS --mindspore PYTHON                # the same, and the classic target under MindSpore
    python tools/scripts.py CHECKOUTS --only sfujim/TD3                 # one repository; or a script: sfujim/TD3:main.py
    python tools/scripts.py --page                                      # docs/models.md anew from the results

A script is converted as `sporax migrate` does it, without a manual change. It runs for some steps on these sides, each in a process
of its own (`tools/scripts/driver.py`):

    torch       the script, under torch
    mint        its conversion, under sporax
    run         the script, by `sporax run --torch`
    mindspore   its conversion for the target "classic", under MindSpore; PYTHON is a Python that has MindSpore

All sides start with the same weights and draw the same random numbers. Small seeded arrays replace the data that a script
downloads (`tools/scripts/data.py`). A script is equal on a side if each loss differs from torch's by at most 1e-4 of it.

The tables are the files `tools/scripts/*.toml`. A repository is a table of scripts, by their paths, with these keys:

    arguments   the arguments of the script
    folder      the folder that is converted; without it the script alone is converted
    edits       [text, replacement] pairs: what is changed in the script before all sides, such as the rate of a dropout
    data        statements that write data in the folder of the script, such as "mnist('data')"
    steps       how many losses are compared (20)
    target      "classic" also runs the script under MindSpore (the default), "mint" does not
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from models import write_section

from sporax._src.base.atomic import replacing
from sporax.migrate import Report, convert, migrate

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "tools" / "scripts"
RESULTS = ROOT / "tools" / "results" / "scripts.json"
VERIFIED_RUN = ROOT / "sporax" / "_src" / "cli" / "verified_run.py"
BOUND = 1e-4
SECONDS = 600  # the longest run of a script
NAMES = "import torch\ndef named_parameters(net: torch.nn.Module):\n    return list(net.named_parameters())\n"
QUIET = {
    "GLOG_v": "4", "JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
    "PYTHONWARNINGS": "ignore",
}  # fmt: skip


@dataclass(frozen=True)
class Script:
    """A training script of a repository; the docstring of this file explains the fields."""

    repository: str
    path: str
    arguments: str = ""
    folder: str | None = None
    edits: tuple[tuple[str, str], ...] = ()
    data: str = ""
    steps: int = 20
    target: str = "classic"

    @property
    def name(self) -> str:
        """The repository and the path."""
        return f"{self.repository}:{self.path}"

    @property
    def inside(self) -> Path:
        """The folder of the script in its repository."""
        return Path(self.path).parent


def table() -> list[Script]:
    """Return the scripts of all tables."""
    return [
        Script(repository, path, **row)
        for file in sorted(TABLES.glob("*.toml"))
        for repository, scripts in tomllib.loads(file.read_text(encoding="utf-8")).items()
        for path, row in scripts.items()
    ]


def _edited(text: str, edits: tuple[tuple[str, str], ...], name: str) -> str:
    for old, new in edits:
        if old not in text:
            raise ValueError(f"{name} does not have the text {old!r}")
        text = text.replace(old, new)
    return text


@dataclass
class Places:
    """Where the sources are, where the work is done, and the Python that has MindSpore, if any."""

    checkouts: Path
    site: Path
    work: Path
    mindspore: str = ""

    def source(self, script: Script) -> Path:
        """Copy what belongs to a script, edit the script, and return the folder of the copy."""
        checkout, copy = self.checkouts / script.repository, self.work / re.sub("[/:]", "+", script.name) / "source"
        part = script.inside if script.folder is None else Path(script.folder)
        shutil.rmtree(copy.parent, ignore_errors=True)
        shutil.copytree(checkout / part, copy / part)
        path = copy / script.path
        path.write_text(_edited(path.read_text(encoding="utf-8"), script.edits, script.name), encoding="utf-8")
        return copy

    def converted(self, script: Script, source: Path, target: str) -> Report:
        """Convert a copy for a target, into a folder that is named after it, with the files that are no programs."""
        out = source.parent / target
        shutil.copytree(source, out)
        part = script.path if script.folder is None else script.folder
        return migrate(source / part, out / part, target, force=True)

    def losses(self, side: str, script: Script, folder: Path) -> list[float]:
        """Run a script on a side in its folder and return its losses."""
        _write_data(script, folder / script.inside)
        with tempfile.TemporaryDirectory() as names:
            if side == "mindspore":
                convert(NAMES, target="classic").write(f"{names}/names.py")
            return self._run(side, script, folder, names)

    def _run(self, side: str, script: Script, folder: Path, names: str) -> list[float]:
        found = folder.parent / f"losses_{side}.json"
        weights = folder.parent / "weights"
        weights.mkdir(exist_ok=True)
        job = {
            "weights": str(weights), "steps": script.steps, "losses": str(found), "names": names,
            "verified_run": str(VERIFIED_RUN),
        }  # fmt: skip
        python = self.mindspore if side == "mindspore" else sys.executable
        words = [Path(script.path).name, *shlex.split(script.arguments)]
        kind = "sporax" if side == "mint" else side
        command = [python, str(TABLES / "driver.py"), kind, json.dumps(job), *words]
        paths = [folder, *([self.site] if side == "torch" else []), TABLES / "stand_ins"]
        paths += [] if side == "mindspore" else [ROOT]
        environment = os.environ | QUIET | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
        try:
            done = subprocess.run(
                command, cwd=folder / script.inside, env=environment, capture_output=True, text=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired as error:  # its own text is the command, with the paths of this machine
            raise RuntimeError(f"no end within {SECONDS} s") from error
        if done.returncode:
            (folder.parent / f"error_{side}.txt").write_text(done.stderr)
            raise RuntimeError((done.stderr.strip().splitlines() or [f"status {done.returncode}, no message"])[-1])
        return json.loads(found.read_text())


def _write_data(script: Script, folder: Path) -> None:
    """Write the data of a script in its folder."""
    spec = importlib.util.spec_from_file_location("data", TABLES / "data.py")
    assert spec is not None and spec.loader is not None
    data = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(data)
    with contextlib.chdir(folder):
        exec(script.data, vars(data))


def difference(expected: list[float], found: list[float]) -> float:
    """Return the largest difference of losses, relative to the expected ones."""
    if len(expected) != len(found):
        raise ValueError(f"{len(found)} losses instead of {len(expected)}")
    return max(abs(a - b) / max(abs(a), 1e-12) for a, b in zip(expected, found, strict=True))


def compare(places: Places, script: Script) -> dict[str, Any]:
    """Run a script on all sides and return how far its losses are from torch's."""
    source = places.source(script)
    report = places.converted(script, source, "mint")
    found: dict[str, Any] = {
        "converted": sum(report.used.values()), "todo": len(report.todo), "edits": len(script.edits),
        "losses": 0, "differences": {}, "errors": {},
    }  # fmt: skip
    sides = {"mint": source.parent / "mint", "run": source}
    if places.mindspore and script.target == "classic":
        places.converted(script, source, "classic")
        sides["mindspore"] = source.parent / "classic"
    try:
        expected = places.losses("torch", script, source)
    except (RuntimeError, OSError) as error:
        return found | {"errors": {"torch": str(error)}}
    found["losses"] = len(expected)
    for side, folder in sides.items():
        try:
            found["differences"][side] = difference(expected, places.losses(side, script, folder))
        except (RuntimeError, ValueError, OSError) as error:
            found["errors"][side] = str(error)
    return found


def is_equal(outcome: dict[str, Any], side: str) -> bool:
    """Return whether the losses of a side are those of torch."""
    return outcome["differences"].get(side, 1.0) <= BOUND


def run(places: Places, scripts: list[Script]) -> Iterator[dict[str, Any]]:
    """Compare scripts; give the result of each."""
    for script in scripts:
        found = compare(places, script)
        shown = [f"{side} {value:.1e}" for side, value in found["differences"].items()]
        shown += [f"{side}: {text}" for side, text in found["errors"].items()]
        print(f"{script.name}: {found['losses']} losses; {'; '.join(shown)}", flush=True)
        yield {script.name: found}


HEAD = """# Training scripts of public repositories

Each script runs for some steps under torch, as its conversion, and by `sporax run --torch`. The conversion for the classic target
also runs under MindSpore 2.7.0. All sides have the same weights, random numbers and data. The numbers are the largest relative
difference of a loss from torch's. {equal} of {count} scripts have equal losses, to {bound:.0e}, as a conversion and by
`sporax run --torch`; {mindspore} have equal losses under MindSpore. The column `edits` counts changes to a script before all runs,
such as the rate of a dropout. `tools/scripts.py` writes this section from the tables in `tools/scripts`.

| repository | script | uses converted | left to do | edits | losses | converted | `run --torch` | MindSpore |
|---|---|---|---|---|---|---|---|---|
"""
SIDES = ("mint", "run", "mindspore")


def page(results: dict[str, Any]) -> str:
    """Return the section of docs/models.md."""
    rows, others = "", ""
    for name, outcome in results.items():
        repository, _, path = name.partition(":")
        counts = [outcome[key] for key in ("converted", "todo", "edits", "losses")]
        apart = [_cell(outcome, side) for side in SIDES]
        rows += f"| {' | '.join(map(str, [repository, path, *counts, *apart]))} |\n"
        others += "".join(f"- {repository} {path}, {side}: {text}\n" for side, text in outcome["errors"].items())
    equal = sum(is_equal(outcome, "mint") and is_equal(outcome, "run") for outcome in results.values())
    mindspore = sum(is_equal(outcome, "mindspore") for outcome in results.values())
    text = HEAD.format(equal=equal, count=len(results), mindspore=mindspore, bound=BOUND) + rows
    return text + (f"\nScripts that do not run:\n\n{others}" if others else "")


def _cell(outcome: dict[str, Any], side: str) -> str:
    value = outcome["differences"].get(side)
    return ("raises" if side in outcome["errors"] else "") if value is None else f"{value:.1e}"


def updated(before: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Return earlier results with newer ones in their places, in the order of the tables."""
    found = before | newer
    return {script.name: found[script.name] for script in table() if script.name in found}


def _known() -> dict[str, Any]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs="?", help="the folder of the checkouts, as OWNER/NAME")
    parser.add_argument(
        "--site", type=Path, default=Path(), help="the folder in which packages of scripts are installed"
    )
    parser.add_argument("--mindspore", default="", metavar="PYTHON", help="a Python that has MindSpore")
    parser.add_argument("--only", nargs="*", default=[], help="repositories, or scripts as OWNER/NAME:PATH")
    parser.add_argument("--work", type=Path, help="where copies and conversions are kept; else they are removed")
    parser.add_argument("--page", action="store_true", help="write docs/models.md from the results that there are")
    options = parser.parse_args()
    if not options.page and options.checkouts is None:
        parser.error("say in which folder the checkouts are")
    chosen = [s for s in table() if not options.only or {s.repository, s.name} & {*options.only}]
    with contextlib.ExitStack() as stack:
        work = options.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if not options.page:
            places = Places(options.checkouts.resolve(), options.site.resolve(), work.resolve(), options.mindspore)
            for results in run(places, chosen):
                text = json.dumps(updated(_known(), results), indent=1) + "\n"
                with replacing(RESULTS) as temporary:
                    temporary.write_text(text)
        write_section(page(_known()))


if __name__ == "__main__":
    main()
