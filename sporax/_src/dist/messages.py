"""Messages between the processes of a run.

A message is posted without waiting for who takes it, so that processes which send to each other and then receive do not wait
for ever. Those from one process to another under one tag are taken in the order in which they were posted.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sporax._src.base import run_table
from sporax._src.base.jax_compat import BetweenHosts
from sporax._src.base.world import is_joined, world
from sporax._src.core.scope import tracing

_PATIENCE = 1800.0  # seconds to wait for a message: the other process may have a graph to compile

_posted: Counter[str] = Counter()  # messages by sender, receiver and tag
_taken: Counter[str] = Counter()


def post(value: Any, to: int, tag: Any) -> None:
    """Post an array, or anything else that can be pickled, to a process of the run."""
    stream = f"sporax/messages/{_here()}>{to}/{tag}"
    run_table.put(f"{stream}/{_posted[stream]}", pickle.dumps(value))
    _posted[stream] += 1


def take(what: str, source: int, tag: Any) -> Any:
    """Return the next value that a process has posted to this one under a tag; `what` takes it.

    Raises:
        RuntimeError: If nothing comes, or nothing can because this process is alone.
    """
    stream = f"sporax/messages/{source}>{_here()}/{tag}"
    name = f"{stream}/{_taken[stream]}"
    message = run_table.wait_for(name, _PATIENCE)
    if message is None:
        why = f"process {source} in {_PATIENCE:.0f} s" if is_joined() else "the only process, which would wait for ever"
        raise RuntimeError(f"{what}: nothing was sent under the tag {tag} by {why}.")
    run_table.remove(name)
    _taken[stream] += 1
    return pickle.loads(message)


def exchange(what: str, values: Sequence[Any], ranks: Sequence[int], tag: Any) -> list[Any]:
    """Post the i-th value to the i-th process of a group, and return what each of them has posted to this one."""
    for value, rank in zip(values, ranks, strict=True):
        post(value, rank, tag)
    return [take(what, rank, tag) for rank in ranks]


def check_untraced(what: str) -> None:
    """Have a graph that is being built run in PyNative mode instead, where `what` sends or receives a message.

    Raises:
        BetweenHosts: If a graph is being built.
    """
    if tracing():
        raise BetweenHosts(f"{what}: messages go from host to host")


def _here() -> int:
    return world().rank if is_joined() else 0
