"""convert_weights and transfer_weights: conversion of a file of weights, or of a net's weights, to the other side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sporax._src.migrate.weights import files, optimizer_state
from sporax._src.migrate.weights.carry import Arrays, Carried, carry
from sporax._src.migrate.weights.entries import (
    Entries,
    Entry,
    entries_of_file,
    entries_of_names,
    tree_of,
)
from sporax._src.migrate.weights.match import Matching, match_entries
from sporax._src.migrate.weights.names import TARGETS, doubts, named_pairs, without_wrappers
from sporax._src.migrate.weights.nets import Net, net_of
from sporax._src.migrate.weights.norms_of_weights import with_weights
from sporax._src.migrate.weights.report import WeightsReport, WeightsRow, describe_failure
from sporax._src.migrate.weights.rules import Applied, RulesLike, apply, is_dropped, read_rules

Path = str | os.PathLike[str]
_OTHER = {"torch": "cell", "cell": "torch"}
_SIDES = {"torch": "PyTorch", "cell": "MindSpore"}


@dataclass
class Conversion:
    """Weights that were read and converted, and are not written yet.

    Attributes:
        source: The content of the file.
        source_arrays: Its arrays by the names of their net, if the net is known.
        side: The side to which they are converted.
        arrays: The arrays by name.
        optimizer: The state of torch's optimizer.
        report: The outcome for each name.
    """

    source: files.Weights
    source_arrays: Arrays
    side: str
    arrays: Arrays
    optimizer: dict[str, Any] | None
    report: WeightsReport

    def write(self, dst: Path) -> None:
        """Write the file, completely or not at all.

        Args:
            dst: The file.
        """
        files.write(dst, self.side, self.arrays, self.optimizer)


def convert_weights(
    src: Path,
    dst: Path,
    *,
    source_net: object = None,
    target_net: object = None,
    rules: RulesLike = None,
    target: str = "classic",
    force: bool = False,
    partial: bool = False,
) -> WeightsReport:
    """Convert a file of PyTorch's weights to MindSpore's, or the other way round.

    Files of PyTorch are `.pth`, `.pt`, `.bin` and `.safetensors` (whole, or in parts below a `*.index.json`), those of
    MindSpore `.ckpt` and `.safetensors`. If a side has a net, names and layouts are those of its layers, which are
    matched by their positions, roles and shapes. Without a net, the kinds of layers are derived from names and shapes.

    Args:
        src, dst: The file to read, and the file to write.
        source_net: The net of the weights: a torch module or a Cell, or a tuple of it and its optimizer.
        target_net: The net that gets the weights, in the same form.
        rules: The user's rules, a TOML file or its content: `drop`, `rename`, `transpose`, `reshape`.
        target: Without a target net, the layers of the MindSpore net: `"classic"` (`nn`) or `"mint"`.
        force: Whether a file at `dst` is replaced.
        partial: Whether to write the converted arrays even if some are missing, unexpected or of another shape.

    Returns:
        What became of each name.

    Raises:
        FileNotFoundError: If `src` does not exist.
        FileExistsError: If `dst` exists and `force` is not given.
        ValueError: If a file, a net or a rule does not fit, or (without `partial`) if a weight was not carried.
        TypeError: If a net is none.
        ImportError: If torch is needed and missing.

    Examples:
        >>> import os, tempfile
        >>> from sporax.migrate import convert_weights
        >>> folder = tempfile.mkdtemp()
        >>> ms.save_checkpoint(nn.LayerNorm((3,)), os.path.join(folder, "net.ckpt"))
        >>> report = convert_weights(os.path.join(folder, "net.ckpt"), os.path.join(folder, "net.safetensors"))
        >>> [(row.source, row.target) for row in report.rows]
        [('gamma', 'weight'), ('beta', 'bias')]
    """
    files.check_target(src, dst, force)
    nets = net_of(source_net, "source_net"), net_of(target_net, "target_net")
    conversion = prepare(src, dst, *nets, rules, target)
    if not conversion.report.ok and not partial:
        raise ValueError(failure(conversion.report))
    conversion.write(dst)
    return conversion.report


def failure(report: WeightsReport) -> str:
    """Return the error of a report with failures.

    Args:
        report: The report.
    """
    shown = [describe_failure(row) for row in report.failures[:10]]
    shown += [f"and {len(report.failures) - 10} more"] if len(report.failures) > 10 else []
    remedy = "give both nets, rules for these names, or --partial (partial=True) to leave them out"
    return f"{report.source}: nothing was written to {report.target}. {'; '.join(shown)}. Remedy: {remedy}."


def prepare(
    src: Path, dst: Path, source_net: Net | None, target_net: Net | None, rules: RulesLike, target: str
) -> Conversion:
    """Read weights and convert them.

    Args:
        src, dst, rules, target: As for `convert_weights`.
        source_net, target_net: The nets.

    Raises:
        ValueError: If a file, a net or a rule does not fit.
    """
    if target not in TARGETS[:2]:
        raise ValueError(f"target must be 'classic' or 'mint', got {target!r}.")
    checked = read_rules(rules)
    weights = files.read(src)
    weights.side = _side(weights, src, dst, source_net, target_net)
    beside: Arrays = {}
    if weights.side == "cell":
        if weights.optimizer:
            weights.optimizer = None
            weights.left["optimizer"] = "the state of a converted program's optimizer, which its torch.load reads"
        known = source_net.entries.names() if source_net else {}
        weights.arrays, beside = optimizer_state.split_cell(weights.arrays, set(known))
    entries = _entries(weights, source_net, src)
    others = ("optimizer",) if weights.optimizer or beside else ()
    own_of_target = target_net.entries if target_net else None
    applied = with_weights(apply(checked, entries, weights.arrays, others), own_of_target)
    matching, done = _carried(applied, _OTHER[weights.side], target_net, target, source_net is None)
    own = {e.path if weights.side == "torch" else e.name: weights.arrays[e.name] for e in entries.items}
    report = WeightsReport(str(src), str(dst), done.rows)
    conversion = Conversion(weights, own, _OTHER[weights.side], done.arrays, None, report)
    conversion.report.rows += [WeightsRow(name, "", "dropped", reason=reason) for name, reason in weights.left.items()]
    if others and is_dropped(checked, "optimizer"):
        conversion.report.rows.append(WeightsRow("optimizer", "", "dropped", reason="by a rule"))
    elif others:
        ends = Ends(source_net, target_net, applied.entries, matching)
        conversion.report.rows += _carry_optimizer(conversion, beside, ends, files.suffix_of(dst))
    return conversion


def _carried(applied: Applied, side: str, net: Net | None, target: str, guessed: bool) -> tuple[Matching, Carried]:
    if net is None:
        target = "torch" if side == "torch" else target
        tree = tree_of(without_wrappers(applied.entries))
        matching = Matching(named_pairs(tree, target))
        notes = (doubts(tree, target) if guessed else {}) | applied.notes
        done = carry(applied.arrays, matching, applied.entries, Entries(side, []), {}, notes)
    else:
        matching = match_entries(applied.entries, net.entries, applied.renamed)
        done = carry(applied.arrays, matching, applied.entries, net.entries, net.arrays, applied.notes)
    done.rows += applied.rows
    return matching, done


# --- which side, which names ----------------------------------------------------------------------------------------


def _side(weights: files.Weights, src: Path, dst: Path, source: Net | None, target: Net | None) -> str:
    """Return the side of the source, from its file, its net, the other net or the other file; else torch."""
    other = files.suffix_of(dst)
    sentences = [
        (str(src), weights.side),
        ("the source net", source.side if source else ""),
        ("the target net", _OTHER[target.side] if target else ""),
        (str(dst), "cell" if other in files.TORCH else "torch" if other == ".ckpt" else ""),
    ]
    known = [(what, side) for what, side in sentences if side]
    sides = {side for _, side in known}
    if len(sides) > 1:
        (what, side), (contrary, _) = known[0], next(item for item in known if item[1] != known[0][1])
        raise ValueError(
            f"{src} → {dst}: after {what} the weights come from {_SIDES[side]}, after {contrary} from {_SIDES[_OTHER[side]]}. "
            "One side must be PyTorch's (.pth, .pt, .bin, .safetensors), the other MindSpore's (.ckpt, .safetensors)."
        )
    return sides.pop() if sides else "torch"


def _entries(weights: files.Weights, net: Net | None, src: Path) -> Entries:
    named = without_wrappers(entries_of_names(weights.side, weights.arrays, weights.ties))
    if net is None:
        return named
    shapes = {entry.path: (entry.name, entry.shape) for entry in named.items}
    ties = net.entries.ties
    owners = {ties.get(name, name) for name in shapes}
    needed = [e.name for e in net.entries.items if e.learned and not (e.buffer and net.side == "cell")]
    wrong = [f"{name} is missing" for name in needed if ties.get(name, name) not in owners]
    own = net.entries.names()
    wrong += [f"{name} is not of the net" for path, (name, _) in shapes.items() if path not in own]
    wrong += [
        f"{name} has shape {list(shape)}, {list(own[path].shape)} in the net"
        for path, (name, shape) in shapes.items()
        if path in own and own[path].shape != shape
    ]
    if wrong:
        more = f"; and {len(wrong) - 8} more" if len(wrong) > 8 else ""
        raise ValueError(
            f"{src}: these are not the weights of the source net: {'; '.join(wrong[:8])}{more}. "
            "Give the function that makes the net they were saved from, or none."
        )
    return entries_of_file(net.entries, {path: name for path, (name, _) in shapes.items()}, weights.ties)


# --- optimizers -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ends:
    """Both ends of a conversion: the nets, the entries of the source, and the matches."""

    source: Net | None
    target: Net | None
    entries: Entries
    matching: Matching


def _carry_optimizer(conversion: Conversion, beside: Arrays, ends: Ends, suffix: str) -> list[WeightsRow]:
    """Convert the state of the optimizer, and return the rows of the report."""
    if conversion.side == "torch":
        state = optimizer_state.from_cell(beside)
        if isinstance(state, str):
            return [WeightsRow("optimizer", "", "unexpected", reason=state)]
        if suffix not in files.TORCH:
            return [
                WeightsRow(
                    "optimizer", "", "dropped", reason=f"a {suffix} file of torch's holds weights only; give a .pth"
                )
            ]
        order = ends.target.parameters if ends.target else _parameters([t.entry for _, t in ends.matching.pairs])
        conversion.optimizer, rows = optimizer_state.to_torch(state, ends.matching.pairs, order, conversion.arrays)
        return rows
    own = ends.target.optimizer_arrays if ends.target else None
    order = ends.source.parameters if ends.source else _parameters(ends.entries.items, ends.entries.ties)
    shapes = {name: array.shape for name, array in conversion.source.arrays.items()}
    words = None if own is None else {name.partition(".")[0] for name in own}
    state = optimizer_state.from_torch(conversion.source.optimizer or {}, order, shapes, words)
    if isinstance(state, str):
        return [WeightsRow("optimizer", "", "unexpected", reason=state)]
    arrays, rows = optimizer_state.to_cell(state, ends.matching.pairs, own)
    conversion.arrays |= arrays
    return rows


def _parameters(items: Iterable[Entry], ties: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    """Return the names that are Parameters, as far as names show."""
    names = dict.fromkeys(e.name for e in items if e.learned and not e.buffer and e.name not in ties)
    return [name for name in names if not name.endswith(("running_mean", "running_var"))]
