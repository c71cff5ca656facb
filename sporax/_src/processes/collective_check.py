"""Compares the collectives of all processes before they run: a different order, shape or dtype would hang or give wrong results."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from sporax._src.base.errors import describe
from sporax._src.base.jax_compat import is_exchange, jaxprs_in, scopes_of
from sporax._src.processes import store
from sporax._src.processes.world import is_joined, world

_PATIENCE = 1800.0  # seconds to wait for another process, which may be capturing a graph
_MOST_SHOWN = 200  # characters of one exchange in a message

comparisons = 0  # how many comparisons this process has made; tests read it
_agreed: set[tuple[tuple[int, ...], tuple[str, ...]]] = set()
_rounds: Counter[tuple[int, ...]] = Counter()


class Exchange(NamedTuple):
    """A collective operation of a graph.

    Attributes:
        what: The operator, the shapes and the dtypes.
        ranks: The processes that run it, this one included.
        line: The line of the program that contains the operation.
    """

    what: str
    ranks: tuple[int, ...]
    line: str


def exchanges_in(jaxpr: Any, line: Callable[[Any], str], within: str = "") -> Iterator[Exchange]:
    """Yield the exchanges of a graph in order, including those of nested graphs.

    Args:
        jaxpr: The graph.
        line: Returns the line of an operation.
        within: The operator that contains the graph.
    """
    for eqn in jaxpr.eqns:
        scopes, transforms = scopes_of(eqn)
        operator = next((scope for scope in reversed(scopes) if "." in scope), within or eqn.primitive.name)
        if is_exchange(eqn):
            name = f"gradient of {operator}" if "transpose" in transforms else operator
            what = f"{name}({', '.join(describe(atom.aval) for atom in eqn.invars)}), {eqn.primitive.name}"
            yield Exchange(what, _group(eqn.params.get("axis_index_groups")), line(eqn))
        for _, inner in jaxprs_in(eqn):
            yield from exchanges_in(getattr(inner, "jaxpr", inner), line, operator if "." in operator else "")


def _group(groups: Sequence[Sequence[int]] | None) -> tuple[int, ...]:
    everyone = range(world().size)
    return tuple(next((group for group in groups or () if world().rank in group), everyone))


def agree(exchanges: Sequence[Exchange]) -> None:
    """Compare the exchanges that this process is about to run with those of the other processes of each group; cache agreements.

    Raises:
        RuntimeError: If they differ, or another process does not take part in time.
    """
    for ranks in dict.fromkeys(exchange.ranks for exchange in exchanges):
        own = [exchange for exchange in exchanges if exchange.ranks == ranks]
        key = ranks, tuple(exchange.what for exchange in own)
        if len(ranks) > 1 and key not in _agreed and is_joined():
            if verdict := _verdict(ranks, own):
                raise RuntimeError(verdict)
            _agreed.add(key)


def _verdict(ranks: tuple[int, ...], own: Sequence[Exchange]) -> str:
    """Return how the processes of a group differ, as computed by the first of them; empty if they agree."""
    global comparisons
    comparisons += 1
    first, here = min(ranks), world().rank
    stem = f"sporax/agreed/{hashlib.sha256(repr(ranks).encode()).hexdigest()[:16]}"
    round_ = f"{stem}/{_rounds[ranks]}"
    _rounds[ranks] += 1
    mine = [[exchange.what, exchange.line] for exchange in own]
    if here != first:
        store.put(f"{round_}/{here}", json.dumps(mine).encode())
        return _value_from(f"{round_}/verdict", first, own).decode()
    all_ = {rank: mine if rank == here else json.loads(_value_from(f"{round_}/{rank}", rank, own)) for rank in ranks}
    store.remove(f"{stem}/{_rounds[ranks] - 2}/")  # all processes of this round have read the previous verdict
    verdict = _difference(all_)
    store.put(f"{round_}/verdict", verdict.encode())
    return verdict


def _value_from(name: str, rank: int, own: Sequence[Exchange]) -> bytes:
    value = store.look_at(name, _PATIENCE)
    if value is None:
        raise RuntimeError(
            f"process {world().rank} is about to run {_shown([own[0].what, own[0].line])}, and process {rank} has not come "
            f"to an exchange in {_PATIENCE:.0f} s."
        )
    return bytes(value)


def _difference(all_: dict[int, list[list[str]]]) -> str:
    """Return a message about the first exchange that differs between processes; empty if all are equal."""
    for i in range(max(map(len, all_.values()))):
        groups: dict[str, list[int]] = {}
        for rank, exchanges in all_.items():
            groups.setdefault(exchanges[i][0] if i < len(exchanges) else "", []).append(rank)
        if len(groups) > 1:
            parts = [
                f"process{'es' * (len(ranks) > 1)} {', '.join(map(str, ranks))}: "
                + (_shown(all_[ranks[0]][i]) if what else "nothing more")
                for what, ranks in groups.items()
            ]
            number = f", exchange {i + 1} of a graph" if max(map(len, all_.values())) > 1 else ""
            return f"processes are about to exchange different values{number}. " + "; ".join(parts) + "."
    return ""


def _shown(exchange: Sequence[str]) -> str:
    what, line = exchange
    what = what if len(what) <= _MOST_SHOWN else what[: _MOST_SHOWN - 3] + "..."
    return f"{what} at {line}" if line else what
