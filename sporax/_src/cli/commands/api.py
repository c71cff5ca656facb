"""`sporax api`: what a name takes, the counterparts of torch's names, and the names that a program uses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Column, Table

from sporax._src.cli.public_api import close_public, described
from sporax._src.migrate.page import page
from sporax._src.migrate.source.lookup import SCHEMA, close_matches, find
from sporax._src.migrate.source.scan import Scan
from sporax._src.migrate.source.scan import scan as scanned

TARGET = click.option(
    "--target", type=click.Choice(["mint", "classic"]), default="mint", help="Which of MindSpore's names."
)


class NameOrCommand(click.Group):
    """A group whose first word may be a name to look up."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command, which may be left out before a name."""
        known = not args or args[0] in (*self.commands, "--help", "-h")
        return super().parse_args(ctx, args if known else ["show", *args])


@click.group(cls=NameOrCommand)
def api() -> None:
    """Look up a name of torch or of MindSpore (`sporax api torch.cat`), or scan a program (`sporax api scan PATH`)."""


@api.command()
@click.argument("name")
@TARGET
@click.option("--json", "as_json", is_flag=True, help="Write data instead of text.")
def show(name: str, target: str, as_json: bool) -> None:
    """Show what a name of sporax takes, and the entry of a name in the map, argument by argument."""
    entries, public = find(name, target), described(name)
    if not entries and not public:
        near = [*close_public(name), *close_matches(name)]
        hint = f"; near are {', '.join(near)}" if near else ""
        raise click.ClickException(f"neither sporax nor the map has {name}{hint}.")
    if as_json:
        data = {"schema": SCHEMA, "entries": list(map(vars, entries)), "public": [one._asdict() for one in public]}
        click.echo(json.dumps(data, indent=1))
        return
    console = Console(soft_wrap=True, markup=False, emoji=False, highlight=False)
    for one in public:
        console.print(f"\n{one.name}{one.signature}\n  {one.summary}")
    for entry in entries:
        console.print(f"\n{entry.torch}\n  -> {entry.mindspore}   ({entry.state})", markup=False)
        if entry.arguments:
            arguments = Table("torch", "MindSpore", box=None)
            for one, other in entry.arguments:
                arguments.add_row(one, other)
            console.print(arguments)
        for text in entry.differs:
            console.print(f"  differs: {text}", markup=False)
        for text in entry.notes:
            console.print(f"  note: {text}", markup=False)
        if entry.example[0]:
            console.print(f"  torch:     {entry.example[0]}\n  MindSpore: {entry.example[1]}", markup=False)


@api.command()
@click.argument("path", type=click.Path(path_type=Path))
@TARGET
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Write the scan as data to this file.")
@click.option(
    "--html", "html_file", type=click.Path(path_type=Path), help="Write one page with search and filters to this file."
)
def scan(path: Path, target: str, json_file: Path | None, html_file: Path | None) -> None:
    """Show which of torch's names a file or folder uses, and what becomes of each."""
    try:
        result = scanned(path, target)
    except OSError as error:
        raise click.ClickException(str(error)) from None
    console = Console(soft_wrap=True, markup=False, emoji=False, highlight=False)
    names = Table(Column("torch", overflow="fold"), "state", "uses", Column("becomes, or why not", overflow="fold"))
    for use in result.uses:
        names.add_row(use.name, use.state, str(use.count), use.why or use.becomes)
    console.print(names)
    for error in result.errors:
        console.print(error)
    console.print(_summary(result))
    if json_file:
        json_file.write_text(json.dumps(result.json(), indent=1) + "\n", encoding="utf-8")
    if html_file:
        fields = [(u.name, u.state, u.count, " ".join(u.places), u.why, u.becomes) for u in result.uses]
        rows: list[dict[str, Any]] = [dict(zip(COLUMNS, values, strict=True)) for values in fields]
        text = page(f"torch in {path}", _summary(result), COLUMNS, rows, good=("identical", "renamed"))
        html_file.write_text(text, encoding="utf-8")


COLUMNS = ("torch", "status", "uses", "places", "why", "becomes")


def _summary(result: Scan) -> str:
    return ", ".join(f"{count} {name}" for name, count in result.counts().items())
