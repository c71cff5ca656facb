"""`sporax stubs`: tells editors and type checkers what `import mindspore` finds."""

from __future__ import annotations

from pathlib import Path

import click

from sporax._src.compat.editor_stubs import editor_stubs


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path("typings"))
def stubs(folder: Path) -> None:
    """Write stubs of the name `mindspore` below FOLDER, for programs that say `import mindspore`.

    An editor that uses Pyright (such as Visual Studio Code) looks for them in `typings`; its setting
    `reportMissingModuleSource = "none"` keeps it from telling that there are stubs only. For mypy, set `mypy_path = "typings"`.
    """
    texts = editor_stubs()
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    click.echo(f"{folder / 'mindspore'}: {len(texts)} stubs")
