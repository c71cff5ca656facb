"""`sporax cache`: shows, clears and fills the disk cache of compiled graphs and of converted modules."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path

import click

from sporax._src.base import compile_cache, config
from sporax._src.migrate.running.disk_cache import FOLDER

_PATIENCE = 5  # seconds for a program to end after a signal
_INTERVAL = 0.2  # seconds between two looks at the cache
_ENDINGS = (compile_cache.ENDING, "-atime")  # those of JAX may be there too; other files are left alone


@click.group(invoke_without_command=True)
@click.option("--clear", is_flag=True, help="Delete the compiled graphs and the converted modules.")
@click.pass_context
def cache(ctx: click.Context, clear: bool) -> None:
    """Show the compile cache: its folder, files and size, and those of the modules that `sporax run --torch` converted."""
    if ctx.invoked_subcommand is not None:
        return
    folder = config.cache_dir()
    if folder is None:
        click.echo("The compile cache is off (SPORAX_CACHE_DIR).")
        return
    files = cached_files(folder)
    _show(folder, files)
    converted = cached_files(folder / FOLDER)
    if converted:
        _show(folder / FOLDER, converted)
    if clear:
        for path in [*files, *converted]:
            path.unlink(missing_ok=True)
        click.echo("cleared")


def _show(folder: Path, files: list[Path]) -> None:
    size = sum(path.stat().st_size for path in files) / 1e6
    click.echo(f"{folder}: {len(files)} files, {size:.1f} MB")


def cached_files(folder: Path) -> list[Path]:
    """Return the files of the cache."""
    return [path for path in folder.glob("*") if path.name.endswith(_ENDINGS)] if folder.is_dir() else []


@cache.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--quiet", default=20.0, show_default=True, help="Seconds without a new file, after which the program is ended."
)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def warm(quiet: float, program: tuple[str, ...]) -> None:
    """Fill the cache: run a program as `sporax run` does, and end it when it compiles nothing more.

    \b
    The image of a container is a place for it:
        ENV SPORAX_CACHE_DIR=/opt/sporax
        RUN sporax cache warm train.py --epochs 1
    """
    folder = config.cache_dir()
    if folder is None:
        raise click.ClickException("the compile cache is off (SPORAX_CACHE_DIR).")
    before = len(cached_files(folder))
    child = subprocess.Popen([sys.executable, "-m", "sporax", "run", *program])
    try:
        status = _ended(child, folder, quiet)
    finally:
        if child.poll() is None:
            child.kill()
    if status not in (None, 0):
        raise click.ClickException(f"{program[0]} ended with status {status}.")
    click.echo(f"{folder}: {len(cached_files(folder)) - before} new files")


def _ended(child: subprocess.Popen[bytes], folder: Path, quiet: float) -> int | None:
    """Wait until a program ends, and return its status; None if it was interrupted because it compiled nothing more."""
    count, since = -1, time.monotonic()
    while (status := child.poll()) is None:
        found = len(cached_files(folder))
        if found != count:
            count, since = found, time.monotonic()
        elif count > 0 and time.monotonic() - since > quiet:
            _interrupt(child)
            return None
        time.sleep(_INTERVAL)
    return status


def _interrupt(child: subprocess.Popen[bytes]) -> None:
    """End a program; one that was started in the background may ignore an interrupt."""
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        child.send_signal(sent)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_PATIENCE)
            return
