"""The command line: `sporax run`, `check`, `demo`, `cache`; one module for each command, named like it.

A command's module is loaded when the command is asked for: `sporax run` then starts without what others need.
"""

from __future__ import annotations

import importlib

import click

import sporax

COMMANDS = ("run", "check", "demo", "cache")


class Commands(click.Group):
    """A group that finds the command `name` in the module `sporax._src.cli.name`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        return getattr(importlib.import_module(f"sporax._src.cli.{cmd_name}"), cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(sporax.__version__, package_name="sporax")
def main() -> None:
    """Run MindSpore programs on JAX/XLA: CPU, NVIDIA GPU, TPU."""
