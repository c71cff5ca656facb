"""Messages between the processes of a run.

Posting a message does not wait for the receiver, so processes that send to each other and then receive do not deadlock. Messages
from one process to another under one tag are received in the order in which they were posted.

Arrays are sent as dtypes, shapes and bytes. Large ones go over a connection between the two processes, the rest through the
store of the run, in pieces that are transferred in parallel. Any other object is sent as an array of the bytes of its pickle,
always through the store. Only a receiver that expects an object unpickles it, after verifying that a process of the run has sent
it.
"""

from __future__ import annotations

import json
import pickle
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import BetweenHosts, aligned_room
from sporax._src.core.scope import tracing
from sporax._src.dist import connections
from sporax._src.processes import store
from sporax._src.processes.world import is_joined, world

_PATIENCE = 1800.0  # seconds to wait for a message: the other process may have a graph to compile
_PIECE = 1 << 20  # bytes
_LARGE = 1 << 16  # bytes: smaller arrays are sent with their layout
_LENGTH = struct.Struct(">I")

_posted: Counter[str] = Counter()  # messages by sender, receiver and tag
_received: Counter[str] = Counter()


def post(arrays: Sequence[np.ndarray], to: int, tag: object) -> None:
    """Post arrays to a process of the run, which must not change until they are taken."""
    content = [_bytes_of(np.ascontiguousarray(a)) for a in arrays]
    _post(arrays, content, to, tag, to != _here() and sum(map(len, content)) >= _LARGE)


def _post(arrays: Sequence[np.ndarray], content: list[memoryview], to: int, tag: object, is_large: bool) -> None:
    stream = f"sporax/messages/{_here()}>{to}/{tag}"
    message = f"{stream}/{_posted[stream]}"
    layout = [[array.dtype.name, array.shape] for array in arrays]
    address, content = (connections.post(to, message, content), []) if is_large else ("", content)
    head = json.dumps([layout, address]).encode()
    for i, piece in enumerate(_pieces([memoryview(_LENGTH.pack(len(head)) + head), *content])):
        store.put(f"{message}/{i}", *piece)
    _posted[stream] += 1


def take(what: str, source: int, tag: object) -> list[np.ndarray]:
    """Return the next arrays that a process has posted to this one under a tag; `what` names the caller.

    Raises:
        RuntimeError: If nothing arrives in time, or this process is alone, or the other one ends before all has arrived.
        ForeignEntry: If something arrives that no process of the run has posted.
    """
    stream = f"sporax/messages/{source}>{_here()}/{tag}"
    message = f"{stream}/{_received[stream]}"
    first = _piece(what, source, tag, f"{message}/0")
    start = _LENGTH.size + _LENGTH.unpack_from(first)[0]
    layout, address = json.loads(bytes(first[_LENGTH.size : start]))
    arrays = [aligned_room(shape, np.dtype(name)) for name, shape in layout]
    content = list(map(_bytes_of, arrays))
    if address:
        try:
            connections.take(source, address, message, content)
        except OSError as error:
            raise RuntimeError(f"{what}: process {source} ended before all it had sent arrived ({error}).") from None
    else:
        for i, views in enumerate(_pieces([memoryview(bytearray(start)), *content])):
            piece = first if i == 0 else _piece(what, source, tag, f"{message}/{i}")
            for view in views:
                view[:], piece = piece[: len(view)], piece[len(view) :]
    store.remove(message)
    _received[stream] += 1
    return arrays


def post_object(value: object, to: int, tag: object) -> None:
    """Post anything that can be pickled to a process of the run."""
    pickled = np.frombuffer(pickle.dumps(value), np.uint8)
    _post([pickled], [pickled.data], to, tag, is_large=False)


def take_object(what: str, source: int, tag: object) -> Any:
    """Return the next object that a process has posted to this one (see `take`)."""
    return pickle.loads(take(what, source, tag)[0].data)


def _piece(what: str, source: int, tag: object, name: str) -> memoryview:
    piece = store.look_at(name, _PATIENCE)
    if piece is None:
        why = f"process {source} in {_PATIENCE:.0f} s" if is_joined() else "the only process, which would wait for ever"
        raise RuntimeError(f"{what}: nothing was sent under the tag {tag} by {why}.")
    return piece


def _pieces(views: Sequence[memoryview]) -> Iterator[list[memoryview]]:
    """Split several buffers into pieces of limited size; each piece is a list of views of the buffers."""
    piece: list[memoryview] = []
    room = _PIECE
    for view in views:
        while view:
            piece.append(view[:room])
            view, room = view[room:], room - len(piece[-1])
            if not room:
                yield piece
                piece, room = [], _PIECE
    if piece:
        yield piece


def _bytes_of(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def exchange(what: str, values: Sequence[np.ndarray], ranks: Sequence[int], tag: object) -> list[np.ndarray]:
    """Post the i-th array to the i-th process of a group, and return the one that each of them sent to this process."""
    for value, rank in zip(values, ranks, strict=True):
        post([value], rank, tag)
    return [take(what, rank, tag)[0] for rank in ranks]


def check_untraced(what: str) -> None:
    """Let a graph that is being built fall back to PyNative mode, because `what` sends or receives a message.

    Raises:
        BetweenHosts: If a graph is being built.
    """
    if tracing():
        raise BetweenHosts(f"{what}: messages go from host to host")


def _here() -> int:
    return world().rank if is_joined() else 0
