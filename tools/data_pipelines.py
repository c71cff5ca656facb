"""Data pipelines of public repositories: their rows under MindSpore and under sporax.

    git clone https://github.com/OWNER/NAME CLONES/OWNER__NAME        # for each repository of the tables
    pip install --no-deps --target SITE opencv-python-headless==4.11.0.86 'lmdb<2' pyyaml tqdm ...   # what the pipelines import
    python tools/data_pipelines.py CLONES --site SITE --python MINDSPORE_PYTHON             # all; the results and the page
    python tools/data_pipelines.py CLONES --site SITE --python MINDSPORE_PYTHON --only mindcv-classes
    python tools/data_pipelines.py --page                             # the table of docs/notes/data.md anew from the results

A pipeline is code of a repository, as it is: it runs under MindSpore 2.7.0 and under `python -m sporax run`, with the workers that
it asks for, on the same small files. Both sides get the same seeds. Compared are what the dataset says of itself (columns, size,
batch size, shapes and types), the number of rows, and each row.

Where MindSpore gives other rows in a second run, or its rows depend on random numbers that only MindSpore's own operations draw,
the dtypes and the axes of the rows are compared, and the mean, the spread and the range of each column over some seeds.

The tables are the files `tools/data_pipelines/*.toml`. Each pipeline is a table with these keys:

    repository  OWNER/NAME
    commit      of the clone
    shows       what of `mindspore.dataset` it uses
    paths       folders of the clone from which it is imported, "" for the clone itself; the process starts in the first one
    data        statements that write its files in an empty folder, with the names of `tools/data_pipelines/files.py`
    setup       statements that run once
    build       an expression of the dataset
    random      "operations" if MindSpore's own random operations are part of it; "workers" if worker processes draw random numbers:
                in MindSpore these depend on the number of workers, in sporax on the row; "files" if the order of files is drawn
    most        how many rows are read, if not all
    environment variables of both processes

In the statements, `{data}` is the folder of the files.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.atomic import replacing

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "tools" / "data_pipelines"
RESULTS = ROOT / "tools" / "results" / "data_pipelines.json"
PAGE = ROOT / "docs" / "notes" / "data.md"
SEEDS = [1, 2, 3, 4, 5]
SECONDS = 300
BOUND = 1e-5  # of the largest number of a column
FAR = 6.0  # standard errors
QUIET = {"GLOG_v": "4", "JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "2", "PYTHONWARNINGS": "ignore"}


@dataclass(frozen=True)
class Pipeline:
    """A pipeline of a repository; the docstring of this file explains the fields."""

    name: str
    repository: str
    commit: str
    build: str
    data: str
    shows: str
    paths: tuple[str, ...] = ("",)
    setup: str = ""
    random: str = ""
    most: int | None = None
    environment: dict[str, str] = field(default_factory=dict)


def table() -> list[Pipeline]:
    """Return the pipelines of all tables."""
    return [
        Pipeline(name, **row)
        for file in sorted(TABLES.glob("*.toml"))
        for name, row in tomllib.loads(file.read_text(encoding="utf-8")).items()
        if isinstance(row, dict)
    ]


@dataclass
class Places:
    """Where the clones and packages are, where the work is done, and the Python that has MindSpore."""

    clones: Path
    site: Path
    work: Path
    mindspore: str

    def make(self, pipeline: Pipeline) -> Path:
        """Write the files of a pipeline and return their folder."""
        folder = self.work / pipeline.name / "data"
        folder.mkdir(parents=True)
        text = f"from files import *\n{pipeline.data.replace('{data}', str(folder))}"
        self._run([self.mindspore, "-c", text], pipeline, folder, [TABLES, self.site])
        return folder

    def answer(
        self, side: str, pipeline: Pipeline, data: Path, turn: str = ""
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Run a pipeline on a side; return what it says, and its rows by number and column."""
        place = data.parent / f"{side}{turn}"
        job = {
            "setup": pipeline.setup.replace("{data}", str(data)), "build": pipeline.build.replace("{data}", str(data)),
            "seeds": SEEDS[:1] if turn else SEEDS, "most": pipeline.most, "rows": f"{place}.npz", "answer": f"{place}.json",
        }  # fmt: skip
        driver = [str(TABLES / "driver.py"), json.dumps(job)]
        start = [self.mindspore] if side == "mindspore" else [sys.executable, "-m", "sporax", "run"]
        clone = self.clones / pipeline.repository.replace("/", "__")
        paths = [clone / part for part in pipeline.paths]
        if side == "mindspore":
            self._run([*start, *driver], pipeline, paths[0], [*paths, self.site])
        else:
            self._run([*start, *driver], pipeline, paths[0], [*paths, ROOT, self.site])
        with np.load(f"{place}.npz") as rows:
            return json.loads(Path(f"{place}.json").read_text()), dict(rows)

    def tried(
        self, side: str, pipeline: Pipeline, data: Path, errors: dict[str, str]
    ) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """Return what `answer` does, or None with the error among `errors`."""
        try:
            return self.answer(side, pipeline, data)
        except RuntimeError as error:
            errors[side] = str(error).replace(str(self.work), "").replace(str(self.clones), "")[:300]
            return None, {}

    def _run(self, command: list[str], pipeline: Pipeline, folder: Path, paths: list[Path]) -> None:
        found = os.pathsep.join(map(str, [TABLES / "stand_ins", *paths]))
        environment = os.environ | QUIET | {"PYTHONPATH": found} | pipeline.environment
        try:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired as error:  # its own text is the command, with the paths of this machine
            raise RuntimeError(f"no end within {SECONDS} s") from error
        if done.returncode:
            (self.work / pipeline.name / "error.txt").write_text(done.stderr, encoding="utf-8")
            raise RuntimeError(_cause(done.stderr))


def _cause(text: str) -> str:
    """Return the line of a traceback that says most: of MindSpore's that before the lines for its developers."""
    lines = [line.strip() for line in text.splitlines()]
    named = [
        line
        for line in lines
        if re.match(r"(\[ERROR\]|\w+(\.\w+)*(Error|Exception)\b)", line) and "Traceback" not in line
    ]
    return next((line for line in reversed(named) if "Execute user Python code" not in line), "no message")


def far(theirs: list[dict[str, Any]], ours: list[dict[str, Any]]) -> list[str]:
    """Return in which columns the figures of two sides over some seeds cannot come from the same distribution."""
    found = []
    for name in theirs[0]:
        left = np.array([figures[name] for figures in theirs])
        right = np.array([figures[name] for figures in ours])
        error = np.sqrt((left.var(0, ddof=1) + right.var(0, ddof=1)) / len(left))
        scale = np.abs(left[:, :2]).max() + 1e-9
        apart = np.abs(left.mean(0) - right.mean(0))[:2]  # the mean and the spread
        if (apart > FAR * error[:2] + 1e-3 * scale).any():
            found.append(f"{name}: mean and spread {left.mean(0)[:2].tolist()}, here {right.mean(0)[:2].tolist()}")
        room = 0.25 * (left[:, 3].max() - left[:, 2].min()) + 1e-9
        if right[:, 2].min() < left[:, 2].min() - room or right[:, 3].max() > left[:, 3].max() + room:
            found.append(
                f"{name}: in [{left[:, 2].min()}, {left[:, 3].max()}], here in [{right[:, 2].min()}, {right[:, 3].max()}]"
            )
    return found


def difference(theirs: dict[str, Any], ours: dict[str, Any]) -> float:
    """Return how far the rows of two sides are apart: 0 if they are equal, infinity if they cannot be compared."""
    if theirs.keys() != ours.keys():
        return float("inf")
    most = 0.0
    for name, left in theirs.items():
        right = ours[name]
        if left.shape != right.shape or left.dtype.kind != right.dtype.kind:
            return float("inf")
        if left.dtype.kind not in "biufc":
            most = max(most, 0.0 if np.array_equal(left, right) else float("inf"))
        elif left.size and not np.array_equal(left, right, equal_nan=left.dtype.kind == "f"):
            wide = left.astype(np.float64), right.astype(np.float64)
            most = max(most, float(np.nanmax(np.abs(wide[0] - wide[1])) / max(np.nanmax(np.abs(wide[0])), 1e-9)))
    return most


def unlike(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Return which columns have other dtypes or other numbers of axes."""
    found = {}
    for name, left in theirs.items():
        right, column = ours.get(name), name.partition("/")[2]
        if right is None:
            found[column] = f"{column}: row {name.partition('/')[0]} is missing"
        elif left.dtype.kind not in "US" and left.dtype != right.dtype:
            found[column] = f"{column}: {left.dtype}, here {right.dtype}"
        elif left.ndim != right.ndim:
            found[column] = f"{column}: shape {left.shape}, here {right.shape}"
    return list(found.values())


def has_other_order(theirs: dict[str, Any], ours: dict[str, Any]) -> bool:
    """Return whether two sides have the same rows in another order."""

    def rows(found: dict[str, Any]) -> list[bytes]:
        whole: dict[str, bytes] = {}
        for name, array in found.items():
            number = name.partition("/")[0]
            whole[number] = whole.get(number, b"") + array.tobytes()
        return sorted(whole.values())

    return rows(theirs) == rows(ours)


def compare(places: Places, pipeline: Pipeline) -> dict[str, Any]:
    """Run a pipeline on both sides and return what differs."""
    found: dict[str, Any] = {"rows": 0, "outcome": "", "differences": [], "errors": {}}
    data = places.make(pipeline)
    theirs, rows = places.tried("mindspore", pipeline, data, found["errors"])
    ours, own = places.tried("sporax", pipeline, data, found["errors"])
    if theirs is None or ours is None:
        raises = {(True, False): "MindSpore raises", (False, True): "raises", (True, True): "both raise"}
        return found | {"outcome": raises[theirs is None, ours is None]}
    again = {} if pipeline.random else places.answer("mindspore", pipeline, data, "_again")[1]
    found |= {"rows": theirs["count"][0], "mindspore_seconds": _typical(theirs)}
    found["seconds"] = _typical(ours)
    found["differences"] = [
        f"{name}: {value}, here {ours['facts'][name]}"
        for name, value in theirs["facts"].items()
        if value != ours["facts"][name]
    ]
    if theirs["count"] != ours["count"]:
        found["differences"].append(f"rows: {theirs['count']}, here {ours['count']}")
    found["differences"] += unlike(rows, own)
    apart = difference(rows, own)
    if apart <= BOUND:
        found["outcome"] = "equal"
    elif pipeline.random or difference(rows, again) > 0:
        found["outcome"] = "alike"
        found["differences"] += far(theirs["figures"], ours["figures"])
    elif has_other_order(rows, own):
        found["differences"].append("the rows are equal, their order is not")
    else:
        found["differences"].append(f"the rows are {apart:.1e} apart")
    if found["differences"]:
        found["outcome"] = "differs"
    return found


def _typical(answer: dict[str, Any]) -> float:
    """Return the median of the seconds of one pass."""
    return round(float(np.median(answer["seconds"])), 4)


def run(places: Places, pipelines: list[Pipeline]) -> Iterator[dict[str, Any]]:
    """Compare pipelines; give the result of each."""
    for pipeline in pipelines:
        found = compare(places, pipeline)
        seconds = [found.get(name) for name in ("mindspore_seconds", "seconds")]
        print(f"{pipeline.name}: {found['outcome']}, {found['rows']} rows, {seconds}", flush=True)
        for line in [*found["differences"], *found["errors"].values()]:
            print(f"    {line}", flush=True)
        yield {pipeline.name: found}


HEAD = """{count} pipelines of {repositories} public repositories, as they are, on small synthetic files; `tools/data_pipelines` has
{known}. `equal`: all rows are MindSpore's. `alike`: random numbers are drawn that MindSpore draws in another way (operations in
C++, worker processes, threads that share a generator); dtypes, axes and counts are equal, and the mean, the spread and the range of
each column agree over {seeds} seeds. The seconds are for one pass on a machine with two busy processors.
`tools/data_pipelines.py` writes this section.

| pipeline | repository | what it uses | rows | outcome | MindSpore (s) | sporax (s) |
|---|---|---|---|---|---|---|
"""
START, END = "<!-- pipelines: begin -->\n", "<!-- pipelines: end -->\n"


def page(results: dict[str, Any]) -> str:
    """Return the section of docs/notes/data.md."""
    known = {one.name: one for one in table()}
    rows, others = "", ""
    for name, found in results.items():
        one = known[name]
        seconds = [
            f"{found[key]:.3f}" if found.get(key) is not None else "" for key in ("mindspore_seconds", "seconds")
        ]
        cells = [name, one.repository, one.shows, found["rows"], found["outcome"], *seconds]
        rows += f"| {' | '.join(map(str, cells))} |\n"
        others += "".join(f"- {name}: {text}\n" for text in [*found["differences"], *found["errors"].values()])
    repositories = len({known[name].repository for name in results})
    head = HEAD.format(count=len(results), repositories=repositories, known=len(known), seeds=len(SEEDS))
    return head + rows + (f"\nWhat differs or raises:\n\n{others}" if others else "")


def write_page(results: dict[str, Any]) -> None:
    """Write the section between its marks."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    PAGE.write_text(before + START + "\n" + page(results) + "\n" + END + after, encoding="utf-8")


def updated(before: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Return earlier results with newer ones in their places, in the order of the tables."""
    found = before | newer
    return {one.name: found[one.name] for one in table() if one.name in found}


def _known() -> dict[str, Any]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path, nargs="?", help="the folder of the clones, as OWNER__NAME")
    parser.add_argument(
        "--site", type=Path, default=Path(), help="the folder in which packages of the pipelines are installed"
    )
    parser.add_argument("--python", default=sys.executable, metavar="PYTHON", help="a Python that has MindSpore")
    parser.add_argument("--only", nargs="*", default=[], help="names of pipelines, or repositories")
    parser.add_argument("--work", type=Path, help="where files and rows are kept; else they are removed")
    parser.add_argument(
        "--page", action="store_true", help="write the table of the page from the results that there are"
    )
    options = parser.parse_args()
    if not options.page and options.clones is None:
        parser.error("say in which folder the clones are")
    chosen = [one for one in table() if not options.only or {one.name, one.repository} & {*options.only}]
    with contextlib.ExitStack() as stack:
        work = options.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if not options.page:
            places = Places(options.clones.resolve(), options.site.resolve(), work.resolve(), options.python)
            for results in run(places, chosen):
                text = json.dumps(updated(_known(), results), indent=1) + "\n"
                with replacing(RESULTS) as temporary:
                    temporary.write_text(text)
        write_page(_known())


if __name__ == "__main__":
    main()
