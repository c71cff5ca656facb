"""`sporax weights`: converts weight files between PyTorch and MindSpore."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from sporax import compat
from sporax._src.migrate.weights import files
from sporax._src.migrate.weights.convert import failure, prepare
from sporax._src.migrate.weights.nets import build
from sporax._src.migrate.weights.report import WeightsReport
from sporax._src.migrate.weights.verify import verified


@click.command()
@click.argument("src", type=click.Path(path_type=Path))
@click.argument("dst", type=click.Path(path_type=Path))
@click.option("--source-net", metavar="FILE.py:FUNCTION", help="Makes the net that the weights of SRC are of.")
@click.option("--target-net", metavar="FILE.py:FUNCTION", help="Makes the net that DST is for.")
@click.option("--target", type=click.Choice(["classic", "mint"]), default="classic", show_default=True,
              help="Without --target-net: whether its layers are those of nn or of mint.nn.")  # fmt: skip
@click.option(
    "--rules", type=click.Path(path_type=Path), metavar="FILE.toml", help="Renames, transposes, reshapes, drops."
)
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE.json", help="Write what became of each name.")
@click.option(
    "--verify", "run", is_flag=True, help="Run both nets on one input in eval mode and compare what they return."
)
@click.option("--input", "inputs", multiple=True, metavar="SHAPE[:DTYPE]",
              help="An input for --verify, such as 1,3,224,224 or 2,16:int64; once for each.")  # fmt: skip
@click.option("--partial", is_flag=True, help="Write what could be carried, even if something could not.")
@click.option("--force", is_flag=True, help="Replace DST if it exists.")
def weights(
    src: Path,
    dst: Path,
    source_net: str | None,
    target_net: str | None,
    target: str,
    rules: Path | None,
    report: Path | None,
    run: bool,
    inputs: tuple[str, ...],
    partial: bool,
    force: bool,
) -> None:
    """Carry weights from SRC to DST, from PyTorch to MindSpore or back.

    PyTorch's files: .pth, .pt, .bin, .safetensors, *.index.json of their parts. MindSpore's: .ckpt, .safetensors.

    With a net on either side its layers give names and layouts, matched by place, roles and shapes; a function that returns
    (net, optimizer) has the optimizer's state carried too. Without nets they follow from names and shapes. The exit code is 1 when
    something is missing, unexpected, of another shape, or (with --verify) differs; DST is then written with --partial only.

    \b
    RULES is a TOML file about names of SRC; * is text without a dot, ** any text:
      drop = ["aux_head.**"]
      [rename]
      "backbone.*.weight" = "features.*.weight"
      [transpose]
      "h.*.attn.c_attn.weight" = [1, 0]
      [reshape]
      "head.weight" = [10, 64, 1, 1]
    """
    try:
        _check_options(src, dst, report, force, bool(source_net and target_net), run, inputs)
        compat.install()
        source = build(source_net, "--source-net") if source_net else None
        end = build(target_net, "--target-net") if target_net else None
        conversion = prepare(src, dst, source, end, rules, target)
        outcome = conversion.report
        same = verified(conversion, source, end, inputs) if run and source and end and (outcome.ok or partial) else True
        _show(outcome, report)
        if not ((outcome.ok and same) or partial):
            raise ValueError(failure(outcome) if not outcome.ok else f"nothing was written to {dst}: the nets differ.")
        conversion.write(dst)
    except (ValueError, TypeError, OSError, ImportError) as error:
        raise click.ClickException(str(error)) from None


def _check_options(
    src: Path, dst: Path, report: Path | None, force: bool, nets: bool, run: bool, inputs: tuple[str, ...]
) -> None:
    files.check_target(src, dst, force)
    if run and not nets:
        raise ValueError("--verify runs both nets; give --source-net and --target-net too.")
    if inputs and not run:
        raise ValueError("--input is what --verify runs the nets on; give --verify too.")
    if report is None:
        return
    if report.resolve() in (src.resolve(), dst.resolve()) or report.is_dir() or not report.parent.is_dir():
        raise ValueError(f"--report {report}: give a file of its own, in a folder that exists.")
    if report.exists() and not force:
        raise FileExistsError(f"{report}: the file exists; give another name, or --force to replace it.")


def _show(outcome: WeightsReport, report: Path | None) -> None:
    console = Console(soft_wrap=True)
    console.print(outcome.table())
    console.print(outcome.summary(), highlight=False)
    if outcome.difference is not None:
        console.print(f"greatest difference of the outputs: {outcome.difference:.3g}", highlight=False)
    if report:
        outcome.write_json(report)
