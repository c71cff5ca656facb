"""`sporax cache`: shows and clears the disk cache of compiled graphs and of converted modules."""

from __future__ import annotations

from pathlib import Path

import click

from sporax._src.base import compile_cache, config
from sporax._src.migrate.running.disk_cache import FOLDER

_ENDINGS = (compile_cache.ENDING, "-atime")  # those of JAX may be there too; other files are left alone


@click.command()
@click.option("--clear", is_flag=True, help="Delete the compiled graphs and the converted modules.")
def cache(clear: bool) -> None:
    """Show the compile cache: its folder, files and size, and those of the modules that `sporax run --torch` converted."""
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
