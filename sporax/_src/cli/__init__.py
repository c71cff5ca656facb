"""The command line: a module of `commands` for each command, with a function of its name; `notebook` is `%load_ext sporax`;
`versions` is what `sporax --version` shows; `verified_run` is a process of `sporax migrate --verify`; `asked_release` finds the
release of MindSpore that a program asks for; `public_api` describes public names; `hosts` starts launchers on other machines.

Anything else is run as a program: `sporax train.py` is `sporax run train.py`, and `python -m sporax` takes the arguments of
`python`. A command's module is imported when the command is called, so that `sporax run` does not wait for imports of the others.
"""

from __future__ import annotations

import importlib
import pkgutil

import click

from sporax._src.cli import commands

COMMANDS = tuple(module.name for module in pkgutil.iter_modules(commands.__path__))
OPTIONS = ("-h", "--help", "--version")


class Commands(click.Group):
    """A group that finds the command `name` in the module `commands.name`, and runs anything else as a program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command's name; `run` may be left out."""
        return super().parse_args(ctx, args if not args or args[0] in (*COMMANDS, *OPTIONS) else ["run", *args])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        return getattr(importlib.import_module(f"{commands.__name__}.{cmd_name}"), cmd_name)


def _show_version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(importlib.import_module(f"{__name__}.versions").line())
        ctx.exit()


@click.group(
    cls=Commands,
    subcommand_metavar="[COMMAND | SCRIPT] [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show versions and devices.",
)
def main() -> None:
    """Run MindSpore programs on JAX/XLA: CPU, NVIDIA GPU, TPU.

    What is no command is a program: `sporax train.py`, `sporax -m pytest`, `sporax -c CODE`, as `python` takes them.
    """
