"""Conversion of a file, a notebook or a folder into a separate folder, which is written completely or not at all."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.diagnostics import Converted
from sporax._src.migrate.source.helper_modules import files as helper_files
from sporax._src.migrate.source.import_roots import ImportRoots
from sporax._src.migrate.source.nodes import parse
from sporax._src.migrate.source.program import (
    Program,
    has_complex,
    imported_names,
    mixins,
    module_classes,
    starred_names,
)
from sporax._src.migrate.source.review import points
from sporax._src.migrate.source.source_text import ConversionFault
from sporax._src.migrate.source.tracing import trace as run_traced

_SKIPPED = frozenset(
    {".git", "__pycache__", ".venv", "venv", "node_modules", ".ipynb_checkpoints", ".mypy_cache", ".pytest_cache"}
)


@dataclass
class FileReport:
    """The outcome of the conversion of one file.

    Args:
        path: Its path below the source.
        lines: How many lines it has.
        used: The names of torch that were converted, each with how often.
        todo: The code that was not converted: line and reason.
        notes: How results differ: line, name of torch, text.
        error: Why the file was copied unchanged, "" if it was converted.
        text: The converted text.
        source: The text before.
        review: What to look at although it was converted: line and text.
        helpers: The folder below the output whose package `_from_torch` it imports helpers from, and their names.
    """

    path: str
    lines: int = 0
    used: dict[str, int] = field(default_factory=dict)
    todo: list[tuple[int, str]] = field(default_factory=list)
    notes: list[tuple[int, str, str]] = field(default_factory=list)
    error: str = ""
    text: str = ""
    source: str = ""
    review: list[tuple[int, str]] = field(default_factory=list)
    helpers: tuple[str, list[str]] = ("", [])


@dataclass
class Report:
    """The outcome for a source: its files, and the counts over all of them."""

    files: list[FileReport]

    @property
    def used(self) -> Counter[str]:
        """How often each name of torch was converted."""
        return sum((Counter(file.used) for file in self.files), Counter())

    @property
    def todo(self) -> list[tuple[str, int, str]]:
        """What was not converted: file, line, reason."""
        whole = [(file.path, 1, file.error) for file in self.unconverted]
        return whole + [(file.path, line, reason) for file in self.files for line, reason in file.todo]

    @property
    def review(self) -> dict[str, list[str]]:
        """What to look at although it was converted: each text with its places, as `file:line`."""
        places: dict[str, list[str]] = {}
        for file in self.files:
            for line, text in file.review:
                places.setdefault(text, []).append(f"{file.path}:{line}")
        return places

    @property
    def unconverted(self) -> list[FileReport]:
        """The files that name torch and were copied unchanged."""
        return [file for file in self.files if file.error and "torch" in file.source]

    @property
    def rate(self) -> float:
        """The share of the uses of torch that were converted."""
        done, left = sum(self.used.values()), len(self.todo)
        return done / (done + left) if done + left else 1.0


def migrate(
    source: str | Path,
    out: str | Path | None = None,
    target: str = "mint",
    force: bool = False,
    trace: Sequence[str] = (),
) -> Report:
    """Convert a file, a notebook or a folder, and write the result.

    Args:
        source: The file or folder; it is only read.
        out: The folder (or, for one file, the file) to write; None: nothing is written.
        target: "mint" or "classic".
        force: Whether an `out` that exists is replaced.
        trace: A script of the source and its arguments: it runs with torch, and the recorded kinds of values are used
            if the text does not show them.

    Raises:
        FileNotFoundError: If there is no such source, or no such script in it.
        FileExistsError: If `out` exists and is not empty.
        RuntimeError: If the script to trace fails.
        ValueError: If `out` lies inside the source, or the source inside `out`.
    """
    source = Path(source)
    if not source.exists():
        raise FileNotFoundError(f"there is no {source} to convert.")
    destination = None if out is None else _destination(source, Path(out), force)
    files = [source] if source.is_file() else sorted(_files(source))
    trees: dict[PurePath, ast.Module] = {file: tree for file in files if file.suffix == ".py" and (tree := _tree(file))}
    modules = module_classes([*trees.values()])
    mixed = mixins([*trees.values()], modules)
    traces = run_traced(source, trace) if trace else {}
    is_complex = any(map(has_complex, trees.values()))
    names, stars = imported_names(trees), starred_names(trees)
    parsed = {_path(file, source): tree for file, tree in trees.items()}
    program = Program(modules, _packages(source), names, stars, mixed, traces, is_complex, parsed)
    roots = ImportRoots(source, trees)
    reports = [_converted(file, source, target, program, roots) for file in files]
    for file, report in zip(files, reports, strict=True):
        if report is not None and file in trees and (report.used or report.todo):
            report.review = points(trees[file], modules, program.packages)
    if destination is not None:
        _write(source, files, reports, destination, target)
    return Report([report for report in reports if report is not None])


def _destination(source: Path, out: Path, force: bool) -> Path:
    if source.is_file() and (out.is_dir() or out.suffix not in (".py", ".ipynb")):
        out = out / source.name
    inner, outer = out.resolve(), source.resolve()
    if inner == outer or (source.is_dir() and (outer in inner.parents or inner in outer.parents)):
        raise ValueError(
            f"{out} and the source {source} contain one another; give an output folder outside of the source."
        )
    if out.exists() and not force and (out.is_file() or any(out.iterdir())):
        raise FileExistsError(f"{out} exists already; give another folder, or --force to replace it.")
    return out


def _files(folder: Path) -> list[Path]:
    paths = []
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED)
        paths += [Path(base, name) for name in names]
    return paths


def _tree(file: Path) -> ast.Module | None:
    """Return the syntax tree of a file; None if it has none, which its conversion then reports."""
    try:
        return parse(file.read_bytes().decode("utf-8-sig"))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _packages(source: Path) -> frozenset[str]:
    """Return the names of the packages that are converted: the source itself, or those in it."""
    folders = [source, *source.iterdir()] if source.is_dir() else []
    return frozenset(folder.resolve().name for folder in folders if (folder / "__init__.py").exists())


def _converted(file: Path, source: Path, target: str, program: Program, roots: ImportRoots) -> FileReport | None:
    """Convert a Python file or a notebook; None for every other file, which is copied."""
    path = _path(file, source)
    if file.suffix not in (".py", ".ipynb"):
        return None
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return FileReport(path, error=f"is not UTF-8 text ({error}); save it as UTF-8")
    report = FileReport(path, lines=text.count("\n") + 1, source=text)
    folder, package = roots.helpers_of(file)
    try:
        if file.suffix == ".py":
            done = convert(text, path, target, program, package)
        else:
            done = _notebook(text, path, target)
    except SyntaxError as error:
        report.error = f"line {error.lineno}: {error.msg}; the file is not Python {_VERSION} and is copied unchanged"
        return report
    except ConversionFault as fault:
        report.error = f"{fault}; this is an error of the converter, and the file is copied unchanged"
        return report
    except RecursionError:
        report.error = "is nested too deeply to be read; the file is copied unchanged"
        return report
    report.text, report.used, report.todo, report.notes = done.text, done.used, done.todo, done.notes
    report.helpers = (folder, done.helpers)
    return report


def _path(file: PurePath, source: Path) -> str:
    """Return the path of a file below the source."""
    return file.relative_to(_root(source)).as_posix()


def _root(source: Path) -> Path:
    return source.parent if source.is_file() else source


def _notebook(text: str, path: str, target: str) -> Converted:
    """Convert the code cells of a notebook as one program, each line in its cell; a cell that is not Python stays as it is."""
    book = json.loads(text)
    cells = [cell for cell in book.get("cells", []) if cell.get("cell_type") == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    joint = "\n# %% cell of the notebook\n"
    hidden = [_without_magics(source) for source in sources]
    bad = _no_python(hidden)
    done = convert(joint.join("pass" if i in bad else text for i, text in enumerate(hidden)) + "\n", path, target)
    parts = done.text.removesuffix("\n").split(joint)
    for i, (cell, part) in enumerate(zip(cells, parts, strict=True)):
        cell["source"] = (sources[i] if i in bad else _with_magics(part)).splitlines(keepends=True)
        cell["outputs"], cell["execution_count"] = [], None
    done.todo += [(1, f"code cell {i + 1}, {why}; the cell is copied unchanged") for i, why in bad.items()]
    done.text = json.dumps(book, indent=1, ensure_ascii=False) + "\n"
    return done


def _no_python(cells: list[str]) -> dict[int, str]:
    """Return the cells that are not Python, by their position, each with the line and the reason."""
    found = {}
    for i, text in enumerate(cells):
        try:
            ast.parse(text)
        except SyntaxError as error:
            found[i] = f"line {error.lineno}: {error.msg}"
    return found


_VERSION = "{}.{}".format(*sys.version_info)  # whose grammar is read
_MAGIC = "pass  # magic: "
_CELL_MAGIC = re.compile(r"\s*%%(?!(?:time|timeit|capture|prun)\b)")  # of a cell in another language
_ASSIGNED_MAGIC = re.compile(r"[\w., ]+=\s*[!%]")  # `files = !ls`


def _without_magics(source: str) -> str:
    """Return a cell in which lines for IPython are statements that do nothing."""
    lines = source.split("\n")
    is_other = _CELL_MAGIC.match(source) is not None
    for i, line in enumerate(lines):
        bare = line.lstrip()
        if is_other:
            lines[i] = f"{_MAGIC}{line}"
        elif bare.startswith(("%", "!", "?")) or bare.endswith("?") or _ASSIGNED_MAGIC.match(bare):
            lines[i] = f"{line[: len(line) - len(bare)]}{_MAGIC}{bare}"
    return "\n".join(lines)


def _with_magics(source: str) -> str:
    return source.replace(_MAGIC, "")


def _write(source: Path, files: list[Path], reports: list[FileReport | None], out: Path, target: str) -> None:
    """Write everything beside the destination, and then move it to the destination."""
    out.parent.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        root = _root(source)
        for file, report in zip(files, reports, strict=True):
            path = stage / file.relative_to(root)
            path.parent.mkdir(parents=True, exist_ok=True)
            if report is None or report.error:
                shutil.copy2(file, path)
            else:
                path.write_bytes(report.text.encode("utf-8"))
                shutil.copymode(file, path)
        helpers = _helpers(reports, target)
        for name, text in helpers.items():
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / name).write_text(text, encoding="utf-8")
        if source.is_file():
            for name in helpers:
                (out.parent / name).parent.mkdir(parents=True, exist_ok=True)
                os.replace(stage / name, out.parent / name)
            os.replace(stage / source.name, out)
        else:
            if out.is_dir():
                shutil.rmtree(out)
            os.replace(stage, out)
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _helpers(reports: list[FileReport | None], target: str) -> dict[str, str]:
    """Return the files of the helper packages: path below the output, and text.

    A folder has the helpers of the folders below it too, so that a program that imports from both finds all of them in either.
    """
    names: dict[PurePath, set[str]] = {}
    for folder, members in (report.helpers for report in reports if report is not None):
        if members:
            names.setdefault(PurePath(folder), set()).update(members)
    every = {
        folder: {name for other, members in names.items() if other.is_relative_to(folder) for name in members}
        for folder in names
    }
    return {
        (folder / path).as_posix(): text
        for folder, members in every.items()
        for path, text in helper_files(members, target).items()
    }
