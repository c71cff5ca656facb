"""`sporax compare`: compares a torch module with its Cell, layer by layer, in one process or by recordings of two."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console

import sporax as ms
from sporax import compat
from sporax._src.migrate.compare.cell_recorder import CellRecorder, load_inputs
from sporax._src.migrate.compare.dump_script import script
from sporax._src.migrate.compare.live import compare as compared
from sporax._src.migrate.compare.live import is_module, recorded
from sporax._src.migrate.compare.report import Comparison, written
from sporax._src.migrate.compare.stages import Stages
from sporax._src.migrate.compare.storage import load
from sporax._src.migrate.compare.terminal import tree
from sporax._src.migrate.compare.torch_recorder import TorchRecorder
from sporax._src.migrate.loading import load_function

FUNCTION = "FILE.py:NAME"


class Compare(click.Group):
    """A group whose options compare two networks, and whose arguments, if they name no command, compare two recordings."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Pass arguments without a command to the command that compares."""
        named = args and (args[0] in self.commands or args[0] in ("-h", "--help"))
        return super().parse_args(ctx, args if named else ["networks", *args])


@click.group(cls=Compare, context_settings={"help_option_names": ["-h", "--help"]})
def compare() -> None:
    """Compare a torch module with the Cell it became, and name the first layer that differs.

    \b
    sporax compare --torch-net net.py:build --net cell.py:build --shape 2,3,32,32
    sporax compare dump --net net.py:build --inputs inputs.npz -o a.zip     on one machine
    sporax compare a.zip b.zip                                              on any other
    sporax compare dump-script -o dump.py    records under MindSpore itself, without sporax

    `sporax compare networks --help` shows the options. The exit status is 1 if they differ.
    """


@compare.command()
@click.argument("dumps", nargs=-1, type=click.Path(path_type=Path), metavar="[DUMP_A DUMP_B]")
@click.option("--torch-net", metavar=FUNCTION, help="The function that makes the torch module.")
@click.option("--net", metavar=FUNCTION, help="The function that makes the Cell.")
@click.option("--inputs", metavar="FILE.npz", help="The inputs of the networks, then the labels of the loss.")
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="N,N,...[:HIGH]",
    help="An input of random numbers; below HIGH, integers.",
)
@click.option("--loss", metavar="NAME", help=f"A function of nn.functional, or {FUNCTION} that returns the pair.")
@click.option("--optimizer", metavar=FUNCTION, help="A function of both networks that returns the pair of optimizers.")
@click.option("--single-step", is_flag=True, help="Give each Cell the inputs that its counterpart had.")
@click.option("--no-carry", is_flag=True, help="The Cell has the weights already.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the result as JSON.")
@click.option(
    "--html", "html_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the result as a page."
)
def networks(
    dumps: tuple[Path, ...],
    torch_net: str | None,
    net: str | None,
    inputs: str | None,
    shapes: tuple[str, ...],
    loss: str | None,
    optimizer: str | None,
    single_step: bool,
    no_carry: bool,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Compare a torch module with a Cell, or two recordings."""
    with errors():
        if dumps:
            if len(dumps) != 2 or torch_net or net:
                raise click.UsageError("give two recordings, or --torch-net and --net.")
            result = Stages(load(dumps[0]), load(dumps[1])).run()
        else:
            if not torch_net or not net:
                raise click.UsageError("give --torch-net and --net, or two recordings.")
            compat.install()
            reference, cell = built(torch_net), built(net)
            optimizer_factory = load_function(optimizer) if optimizer else None
            result = compared(
                reference, cell, arrays(inputs, shapes), loss=losses(loss), optimizer=optimizer_factory, single_step=single_step,
                carry=not no_carry,
            )  # fmt: skip
        report(result, json_file, html_file)


@compare.command()
@click.option("--net", required=True, metavar=FUNCTION, help="The function that makes the torch module or the Cell.")
@click.option("--inputs", metavar="FILE.npz", help="The inputs of the network, then the labels of the loss.")
@click.option("--shape", "shapes", multiple=True, metavar="N,N,...[:HIGH]", help="An input of random numbers.")
@click.option("--loss", metavar=FUNCTION, help="The function that makes the loss.")
@click.option("--optimizer", metavar=FUNCTION, help="The function that makes the optimizer of the Parameters.")
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), help="A folder, or a file that ends in .zip."
)
def dump(
    net: str, inputs: str | None, shapes: tuple[str, ...], loss: str | None, optimizer: str | None, out: Path
) -> None:
    """Record a network, for a comparison with another recording on any machine."""
    with errors():
        if out.exists():
            raise ValueError(f"{out} exists: name another, or delete it.")
        compat.install()
        network = built(net)
        if not is_module(network) and not isinstance(network, ms.nn.Cell):
            raise ValueError(f"{net} returned a {type(network).__name__}: expected a torch.nn.Module or a Cell.")
        recorder = TorchRecorder(network) if is_module(network) else CellRecorder(network, ms)
        loss_fn = load_function(loss)() if loss else None
        optimizer_factory = load_function(optimizer) if optimizer else None
        recorded(recorder, arrays(inputs, shapes), loss_fn, optimizer_factory).save(out)
    click.echo(f"{out}: written")


@compare.command("dump-script")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="The file to write.")
def dump_script(out: Path) -> None:
    """Write a script that records a Cell under MindSpore, without sporax."""
    with errors():
        if out.exists():
            raise ValueError(f"{out} exists: name another, or delete it.")
        written(out, script())
    click.echo(f"{out}: written; `python {out} --help` shows its options")


def report(result: Comparison, json_file: Path | None, html_file: Path | None) -> None:
    """Show the result, write the requested files, and exit with its status."""
    Console().print(tree(result))
    if json_file is not None:
        result.json(json_file)
    if html_file is not None:
        result.html(html_file)
    sys.exit(0 if result.agrees else 1)


class errors:
    """Shows errors that a user can fix as one line."""

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Turn errors of files, values and types into errors of the command."""
        if isinstance(error, (ValueError, TypeError, OSError)) and not isinstance(error, click.ClickException):
            raise click.ClickException(str(error)) from error


def built(path: str) -> Any:
    """Return the network that a function creates.

    Raises:
        ValueError: If the function fails, or there is none.
    """
    function: Callable[[], Any] = load_function(path)
    try:
        return function()
    except Exception as error:
        raise ValueError(f"{path} fails: {type(error).__name__}: {error}") from error


def arrays(inputs: str | None, shapes: tuple[str, ...]) -> list[np.ndarray]:
    """Return the inputs: those of a file, or random ones.

    Raises:
        ValueError: If neither or both are given, or a shape is invalid.
    """
    if (inputs is None) == (not shapes):
        raise ValueError("give the inputs by --inputs FILE.npz or by --shape 2,3,32,32, one of both.")
    if inputs is not None:
        return load_inputs(inputs)
    rng = np.random.default_rng(0)
    values = []
    for text in shapes:
        axes, _, high = text.partition(":")
        try:
            shape = [int(n) for n in axes.split(",")]
            values.append(rng.integers(int(high), size=shape) if high else rng.normal(size=shape).astype(np.float32))
        except ValueError as error:
            raise ValueError(
                f"--shape {text}: expected sizes such as 2,3,32,32, or 2,16:100 for integers below 100."
            ) from error
    return values


def losses(name: str | None) -> Any:
    """Return the pair of losses: of `nn.functional` by name, or what a function returns.

    Raises:
        ValueError: If there is no such loss.
    """
    if name is None or ":" in name:
        return None if name is None else built(name)
    import torch

    modules = torch.nn.functional, ms.mint.nn.functional
    if not all(hasattr(module, name) for module in modules):
        raise ValueError(
            f"--loss {name}: there is no such function in nn.functional; expected cross_entropy, mse_loss, ..."
        )
    return tuple(getattr(module, name) for module in modules)
