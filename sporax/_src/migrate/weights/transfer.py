"""transfer_weights: conversion of the weights of a net to a net of the other side, in memory."""

from __future__ import annotations

import dataclasses

from sporax._src.base.errors import describe
from sporax._src.migrate.weights import torch_files
from sporax._src.migrate.weights.carry import Arrays, carry
from sporax._src.migrate.weights.entries import Entry, is_learned
from sporax._src.migrate.weights.match import match_entries
from sporax._src.migrate.weights.nets import Net, net_of
from sporax._src.migrate.weights.norms_of_weights import with_weights
from sporax._src.migrate.weights.report import WeightsReport, WeightsRow
from sporax._src.migrate.weights.rules import RulesLike, apply, read_rules


def transfer_weights(source: object, target: object, *, rules: RulesLike = None) -> WeightsReport:
    """Set the Parameters and buffers of a net to those of a net of the other side.

    Arrays are matched by their names, by known renamings (a BatchNorm's weight is gamma), by the numbers in their paths,
    and by shapes that allow one assignment only. They are set in the dtypes of `target`. The report lists the others,
    and for each of them the names that it could be: an array that shape and order alone would match is not set.

    Args:
        source, target: A torch module and a Cell, or a Cell and a torch module.
        rules: The user's rules, as in `convert_weights`.

    Returns:
        The outcome for each name.

    Raises:
        TypeError: If they are anything else.
        ValueError: If several Parameters of a Cell have one name, or a rule does not fit.

    Examples:
        >>> import torch
        >>> from sporax.migrate import transfer_weights
        >>> net = nn.Dense(2, 3)
        >>> transfer_weights(torch.nn.Linear(2, 3), net).counts()
        {'carried': 2}
    """
    a, b = net_of(source, "source"), net_of(target, "target")
    if a is None or b is None or a.side == b.side:
        got = f"{describe(type(source).__name__)} and {describe(type(target).__name__)}"
        raise TypeError(f"transfer_weights: expected a torch module and a Cell, in either order, got {got}.")
    entries, arrays, (passing, dropped) = a.entries, a.arrays, _passing(a)
    items = [Entry(name, name, array.shape, is_learned(array), buffer=True) for name, array in passing.items()]
    entries, arrays = dataclasses.replace(entries, items=entries.items + items), arrays | passing
    applied = with_weights(apply(read_rules(rules), entries, arrays), b.entries)
    matching = match_entries(applied.entries, b.entries, applied.renamed)
    done = carry(applied.arrays, matching, applied.entries, b.entries, b.arrays, applied.notes)
    b.set(done.arrays)
    rows = [row for row in done.rows if row.target or row.source not in passing] + applied.rows + dropped
    return WeightsReport(type(a.net).__name__, type(b.net).__name__, rows)


def _passing(net: Net) -> tuple[Arrays, list[WeightsRow]]:
    """Return the buffers of a torch module that its `state_dict` leaves out, and a row for each that has no array.

    A Cell may keep what a `state_dict` leaves out.
    """
    if net.side != "torch":
        return {}, []
    known = net.entries.names()
    buffers = {name: buffer for name, buffer in net.net.named_buffers() if name not in known}
    reasons = {name: torch_files.without_array(buffer) for name, buffer in buffers.items()}
    dense = {name: buffer for name, buffer in buffers.items() if not reasons[name]}
    rows = [
        WeightsRow(name, "", "dropped", tuple(buffers[name].shape), reason=f"a buffer that {reason}")
        for name, reason in reasons.items()
        if reason
    ]
    return torch_files.arrays_of(dense, type(net.net).__name__)[0], rows
