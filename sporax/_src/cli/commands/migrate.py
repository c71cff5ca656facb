"""`sporax migrate`: a file, notebook or folder of torch programs as MindSpore programs."""

from __future__ import annotations

import difflib
import shlex
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table

from sporax._src.migrate.source.project import Report
from sporax._src.migrate.source.project import migrate as convert
from sporax._src.migrate.verify import verify

SHOWN = 5  # places of each point to look at


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The folder, or for one file the file, to write.")
@click.option(
    "--target", type=click.Choice(["mint", "classic"]), default="mint", help="Which of MindSpore's names to write."
)
@click.option(
    "--trace", default="", help="Run this script of the source, with its arguments, to see what its values are."
)
@click.option("--diff", is_flag=True, help="Show what changes, and write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; fail if anything cannot be converted.")
@click.option(
    "--verify",
    "command",
    default="",
    metavar="CMD",
    help='Run source and conversion, as in "python train.py --steps 5".',
)
@click.option("--timeout", type=float, help="How many seconds each run of --verify may take.")
@click.option("--force", is_flag=True, help="Replace the output if it exists.")
def migrate(
    source: Path,
    out: Path | None,
    target: str,
    trace: str,
    diff: bool,
    check: bool,
    command: str,
    timeout: float | None,
    force: bool,
) -> None:
    """Convert torch programs. The source is only read; the output is whole or absent.

    The program runs only if you ask for it, by --trace or --verify.
    """
    if command and (out is None or diff or check):
        raise click.UsageError("--verify runs what is written: give -o OUT, without --diff and --check.")
    if out is None and not (diff or check):
        raise click.UsageError("say where to write with -o OUT, or look first with --diff or --check.")
    try:
        report = convert(source, None if diff or check else out, target, force, shlex.split(trace))
    except (OSError, ValueError, RuntimeError) as error:
        raise click.ClickException(str(error)) from None
    if diff:
        _show_changes(report)
    else:
        _show(report)
    is_same = not command or out is None or _verified(source, out, command, timeout)
    if not is_same or report.unconverted or (check and (report.todo or any(file.error for file in report.files))):
        sys.exit(1)


def _verified(source: Path, out: Path, command: str, timeout: float | None) -> bool:
    """Run source and conversion, say where they differ, and return whether they agree."""
    folders = [path if path.is_dir() else path.parent for path in (source, out)]
    try:
        result = verify(folders[0], folders[1], command, timeout=timeout)
    except (ValueError, RuntimeError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(result.summary())
    return not result.line


def _show_changes(report: Report) -> None:
    for file in report.files:
        before, after = file.source.splitlines(keepends=True), file.text.splitlines(keepends=True)
        if not file.error:
            click.echo("".join(difflib.unified_diff(before, after, file.path, file.path)), nl=False)


def _show(report: Report) -> None:
    console = Console(soft_wrap=True, markup=False, emoji=False, highlight=False)
    files = Table(Column("file", overflow="fold"), "lines", "calls converted", Column("left to do", overflow="fold"))
    for file in report.files:
        files.add_row(file.path, str(file.lines), str(sum(file.used.values())), file.error or str(len(file.todo)))
    console.print(files)
    for path, line, reason in report.todo:
        console.print(f"{path}:{line}: {reason}")
    done = sum(report.used.values())
    console.print(
        f"{len(report.files)} files, {done} uses of torch converted, {len(report.todo)} left ({report.rate:.1%})."
    )
    if whole := [file.path for file in report.files if file.error]:
        console.print(f"Copied as they are, not converted: {', '.join(whole)}.")
    if report.review:
        console.print("To be looked at:")
    for text, places in report.review.items():
        more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
        console.print(f"  {text}: {', '.join(places[:SHOWN])}{more}")
