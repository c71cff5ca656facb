"""The command line: `sporax run` and the other `COMMANDS`; one module for each, named like it.

What is none of these names is run: `sporax train.py` is `sporax run train.py`, and `python -m sporax` takes what `python` takes.
A command's module is loaded when the command is asked for: `sporax run` then starts without what others need.
"""

from __future__ import annotations

import importlib

import click

import sporax

COMMANDS = ("run", "launch", "check", "demo", "cache", "api", "migrate", "weights", "compare", "plan")
OPTIONS = ("-h", "--help", "--version")


class Commands(click.Group):
    """A group that finds the command `name` in the module `sporax._src.cli.name`, and runs what is no command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command's name, which may be left out of `run`."""
        return super().parse_args(ctx, args if not args or args[0] in (*COMMANDS, *OPTIONS) else ["run", *args])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        return getattr(importlib.import_module(f"sporax._src.cli.{cmd_name}"), cmd_name)


@click.group(
    cls=Commands,
    subcommand_metavar="[COMMAND | SCRIPT] [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(sporax.__version__, package_name="sporax")
def main() -> None:
    """Run MindSpore programs on JAX/XLA: CPU, NVIDIA GPU, TPU.

    What is no command is a program: `sporax train.py`, `sporax -m pytest`, `sporax -c CODE`, as `python` takes them.
    """
