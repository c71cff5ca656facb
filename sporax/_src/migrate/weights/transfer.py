"""transfer_weights: conversion of the weights of a net to a net of the other side, in memory."""

from __future__ import annotations

import dataclasses
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.migrate.weights import torch_files
from sporax._src.migrate.weights.carry import carry
from sporax._src.migrate.weights.entries import Entry, is_learned
from sporax._src.migrate.weights.match import match_entries
from sporax._src.migrate.weights.nets import Net, net_of
from sporax._src.migrate.weights.norms_of_weights import with_weights
from sporax._src.migrate.weights.report import WeightsReport
from sporax._src.migrate.weights.rules import Applied


def transfer_weights(source: object, target: object) -> WeightsReport:
    """Set the Parameters and buffers of a net to those of a net of the other side.

    Matching arrays are set, in the dtypes of `target`; the report lists the others. Layers are matched as in
    `convert_weights`.

    Args:
        source, target: A torch module and a Cell, or a Cell and a torch module.

    Returns:
        The outcome for each name.

    Raises:
        TypeError: If they are anything else.

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
    entries, arrays, passing = a.entries, a.arrays, _passing(a)
    items = [Entry(name, name, array.shape, is_learned(array), buffer=True) for name, array in passing.items()]
    entries, arrays = dataclasses.replace(entries, items=entries.items + items), arrays | passing
    applied = with_weights(Applied(entries, arrays))
    matching = match_entries(applied.entries, b.entries)
    done = carry(applied.arrays, matching, applied.entries, b.entries, b.arrays, applied.notes)
    b.set(done.arrays)
    rows = [row for row in done.rows if row.target or row.source not in passing]
    return WeightsReport(type(a.net).__name__, type(b.net).__name__, rows)


def _passing(net: Net) -> dict[str, Any]:
    """Return the buffers of a torch module that its `state_dict` leaves out; a Cell may keep them."""
    if net.side != "torch":
        return {}
    known = net.entries.names()
    buffers = {name: buffer for name, buffer in net.net.named_buffers() if name not in known}
    return torch_files.arrays_of(buffers, type(net.net).__name__)[0]
