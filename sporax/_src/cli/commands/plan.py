"""`sporax plan`: what a training step of a program needs on a number of devices, computed without these devices."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from sporax._src.base import config
from sporax._src.processes import cards, dry_run

MACHINE = "H200"  # the default
_MACHINES = Path(__file__).with_name("machines.json")
_ERROR = re.compile(r"[\w.]+(Error|Exception|Interrupt|Exit|Warning)\b")  # the line of an error message
_SHOWN = 20  # lines of a failed program's output
_PARTS = {"weights": 1, "moments": 1, "inputs": 1, "other": 1, "results": 1, "temporary": 2, "total": 2}  # by level


class Numbers(click.ParamType):
    """Numbers of devices, such as `8,64`."""

    name = "N,N,..."

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:
        """Return the numbers."""
        parts = str(value).split(",")
        if not all(part.strip().isdecimal() and int(part) for part in parts):
            self.fail(f"{value!r} must be numbers of devices with commas between, such as 8,64,1024.", param, ctx)
        return [int(part) for part in parts]


class PlanCommand(click.Command):
    """A command whose own options may stand before the program or behind `--devices`; the program keeps the rest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command's own options, wherever they are."""
        own, rest, i = [], [], 0
        takes = {
            name: not option.is_flag
            for option in self.params
            if isinstance(option, click.Option)
            for name in option.opts
        }
        while i < len(args):
            name = args[i].partition("=")[0]
            if args[i] == "--":
                rest += args[i + 1 :]
                break
            if name in takes or args[i] in ("-h", "--help"):
                width = 2 if takes.get(name) and "=" not in args[i] else 1
                own += args[i : i + width]
                i += width
            else:
                rest.append(args[i])
                i += 1
        return super().parse_args(ctx, [*own, "--", *rest])


@click.command(cls=PlanCommand)
@click.option("--devices", type=Numbers(), help="Numbers of devices to plan for.  [default: 8; 1 with --kernels]")
@click.option("--machine", default=MACHINE, show_default=True, help="Whose speeds give the time of a step.")
@click.option(
    "--sim_level", type=click.IntRange(0, 3), default=3, show_default=True,
    help="0: exchanges; 1: weights, inputs and results too; 2: all memory too; 3: operations and time too.",
)  # fmt: skip
@click.option("--kernels", is_flag=True, help="Compile for the machine's own card, and show kernels and memory there.")
@click.option("--json", "as_json", is_flag=True, help="Write data instead of a table.")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def plan(
    devices: list[int] | None, machine: str, sim_level: int, kernels: bool, as_json: bool, program: Sequence[str]
) -> None:
    """Show memory, operations, exchanges and time of a training step, compiled for devices that need not be there.

    The program runs on this machine's CPU up to its first training step, which is compiled and not run; large Parameters
    take no memory. With --kernels the step is compiled for one card of the machine by JAX's CUDA plugin. Options of
    `sporax plan` end at `--`.
    """
    if kernels:
        show_kernels(program, devices or [1], machine, as_json)
    else:
        show(program, devices or [8], machine, sim_level, as_json)


def show(program: Sequence[str], devices: Sequence[int], machine: str, level: int, as_json: bool = False) -> None:
    """Print what a training step needs (see `planned`), for several numbers of devices side by side."""
    plans = [planned(program, number, machine, level) for number in devices]
    if as_json:
        click.echo(json.dumps(plans, indent=1))
    else:
        Console(soft_wrap=True, highlight=False).print(table(plans))
    if max(devices) > 1 and not any(plan["exchanges"] for plan in plans):
        click.echo(
            f"sporax plan: the devices exchange nothing, so that each trains alone: {program[0]} divides its work where it calls "
            "init() of mindspore.communication and names a parallel mode.",
            err=True,
        )


def show_kernels(program: Sequence[str], devices: Sequence[int], machine: str, as_json: bool = False) -> None:
    """Print the kernels and the memory of a training step on a card of a machine."""
    if list(devices) != [1]:
        raise click.ClickException("--kernels compiles for one device.")
    found = on_card(program, machine)
    if as_json:
        click.echo(json.dumps(found, indent=1))
    else:
        Console(soft_wrap=True, highlight=False).print(kernel_table(found))


def on_card(program: Sequence[str], machine: str) -> dict[str, Any]:
    """Return what the graphs of a training step are on a card: their kernels, and the memory of the largest.

    Args:
        program: A script and its arguments.
        machine: A name of `machines.json`.

    Raises:
        ClickException: If there is no such file or machine or no CUDA plugin, the program fails, or it trains nothing.
    """
    name, _ = _checked(program, machine)
    if not cards.has_plugin():
        raise click.ClickException(
            "--kernels needs JAX's CUDA plugin, which compiles without a GPU: pip install 'sporax[cuda12]'."
        )
    graphs = _run(program, 1, name)
    sums = {part: sum(g["kernels"][part] for g in graphs) for part in ("all", "fusions", "converts", "copies")}
    calls = Counter[str]()
    for graph in graphs:
        calls.update(graph["kernels"]["custom_calls"])
    memory = max((g["memory"] for g in graphs), key=lambda memory: memory["total"])
    return {
        "card": cards.CARDS[name].name, "kernels": {**sums, "custom_calls": dict(calls)}, "memory": memory,
        "fits": memory["total"] <= cards.CARDS[name].memory, "seconds": sum(g["seconds"] for g in graphs),
    }  # fmt: skip


def kernel_table(found: dict[str, Any]) -> Table:
    """Return what `on_card` finds for readers."""
    shown, kernels = Table("a training step", found["card"]), found["kernels"]
    shown.columns[1].justify = "right"
    for part, text in (("all", "kernels"), ("fusions", "fused by XLA"), ("converts", "casts"), ("copies", "copies")):
        shown.add_row(text, f"{kernels[part]:,}")
    for name, count in sorted(kernels["custom_calls"].items()):
        shown.add_row(name, f"{count:,}")
    for part, size in found["memory"].items():
        shown.add_row(f"memory: {part}", _size(size))
    shown.add_row("fits", "yes" if found["fits"] else "no")
    shown.add_row("time to compile", f"{found['seconds']:,.1f} s")
    return shown


def _checked(program: Sequence[str], machine: str) -> tuple[str, dict[str, Any]]:
    """Return the name and figures of a machine, whose name may be in small letters."""
    machines = json.loads(_MACHINES.read_text())
    name = next((known for known in machines if known.lower() == machine.lower()), None)
    if name is None:
        raise click.ClickException(f"there is no machine {machine!r} in the table; known are {', '.join(machines)}.")
    if not Path(program[0]).exists():
        raise click.ClickException(f"there is no file {program[0]!r}.")
    return name, machines[name]


def planned(program: Sequence[str], devices: int, machine: str, level: int = 3) -> dict[str, Any]:
    """Return what a training step needs on each device.

    Args:
        program: A script and its arguments.
        devices: The number of devices.
        machine: A name of `machines.json`.
        level: The level of detail, that of `--sim_level`.

    Raises:
        ClickException: If there is no such file or machine, the program fails, or it trains nothing.
    """
    name, figures = _checked(program, machine)
    graphs = _run(program, devices)
    needs: dict[str, Any] = {"devices": devices, "exchanges": _exchanges(graphs)}
    largest = max(graphs, key=lambda graph: graph["memory"]["total"])
    if level >= 1:
        needs["memory"] = {name: largest["memory"][name] for name, at in _PARTS.items() if level >= at}
    if level >= 3:
        needs["flops"] = sum(graph["flops"] for graph in graphs)
        needs["machine"] = name
        needs["fits"] = largest["memory"]["total"] <= figures["memory"]
        needs["seconds"] = seconds(graphs, figures)
    return needs


def _run(program: Sequence[str], devices: int, card: str = "") -> list[dict[str, Any]]:
    """Run a program up to its training step, and return what its graphs need: on devices like the CPU, or on a card."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        flags = f"{config.environ('XLA_FLAGS')} --xla_force_host_platform_device_count={devices}".strip()
        changes = {dry_run.DEVICES: str(devices), dry_run.FILE: str(file), "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
        changes |= {config.CARD: card} if card else {}
        command = [sys.executable, "-m", "sporax", "run", "--device", "CPU", "--mode", "graph", *program]
        done = subprocess.run(command, env=config.environment(changes), capture_output=True, text=True)
        if file.exists():
            return json.loads(file.read_text())
    lines = (done.stdout + done.stderr).rstrip().splitlines()
    if done.returncode == 0:
        raise click.ClickException(f"{program[0]} ended without a compiled training step.")
    click.echo("\n".join(lines[-_SHOWN:]), err=True)
    why = next((line for line in reversed(lines) if _ERROR.match(line)), f"it ended with status {done.returncode}")
    raise click.ClickException(f"with {devices} devices, {program[0]} failed: {why}")


def _exchanges(graphs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the exchanges by kind and number of devices, the largest first."""
    totals: dict[tuple[str, int], Counter[str]] = {}
    for each in (e for graph in graphs for e in graph["exchanges"]):
        sums = totals.setdefault((each["kind"], len(each["devices"])), Counter())
        sums.update({name: each[name] for name in ("count", "bytes", "moved")})
    ordered = sorted(totals.items(), key=lambda item: -item[1]["bytes"])
    return [{"kind": kind, "group": group, **sums} for (kind, group), sums in ordered]


def seconds(graphs: Sequence[dict[str, Any]], machine: dict[str, Any]) -> dict[str, float]:
    """Return the time of a step: its products at a share of the peak, and its exchanges at the speed of the slowest link.

    A group within a machine uses its links. In a group over several machines each device has its own network card, so the devices
    of one machine share the traffic between machines. Nothing overlaps.
    """
    computing = exchanging = 0.0
    for graph in graphs:
        whole = sum(graph["flops_by_dtype"].values())
        for dtype, part in graph["flops_by_dtype"].items():
            computing += graph["flops"] * part / whole / machine["operations"][dtype] / machine["share"]
        for each in graph["exchanges"]:
            here = {device // machine["in_machine"] for device in each["devices"]}
            speed = machine["link"]
            if len(here) > 1:
                speed = min(speed, machine["network"] * len(each["devices"]) / len(here))
            exchanging += each["moved"] / speed
    return {"computing": computing, "exchanging": exchanging, "step": computing + exchanging}


def table(plans: Sequence[dict[str, Any]]) -> Table:
    """Return plans side by side."""
    shown = Table("on each device", *[f"{p['devices']:,} devices" for p in plans])
    for column in shown.columns[1:]:
        column.justify = "right"
    for part in plans[0].get("memory", {}):
        shown.add_row(f"memory: {part}", *[_size(p["memory"][part]) for p in plans])
    if "flops" in plans[0]:
        shown.add_row("products", *[f"{p['flops'] / 1e12:,.4g} TFLOP" for p in plans])
    kinds = dict.fromkeys((e["kind"], e["group"]) for p in plans for e in p["exchanges"])
    for kind, group in kinds:
        cells = [next((e for e in p["exchanges"] if (e["kind"], e["group"]) == (kind, group)), None) for p in plans]
        shown.add_row(
            f"{kind} of {group}", *["" if e is None else f"{_size(e['bytes'])} in {e['count']}" for e in cells]
        )
    if "seconds" in plans[0]:
        for name, text in (
            ("computing", "time of products"),
            ("exchanging", "time of exchanges"),
            ("step", "time of a step"),
        ):
            shown.add_row(text, *[f"{1e3 * p['seconds'][name]:,.4g} ms" for p in plans])
        name = plans[0]["machine"]
        shown.add_row(f"fits into {name}", *["yes" if p["fits"] else "no" for p in plans])
    return shown


def _size(number: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:,.4g} {unit}"
    return f"{number} B"
