"""Messages between processes: values, memory, and no memory."""

import os
import socket
import threading

import numpy as np
import pytest

from sporax._src.data.workers import blocks
from sporax._src.data.workers.blocks import SMALL, Block, Channel, unnamed_file

VALUES = [
    [(np.array(3), np.arange(4.0), "text", {"a": [1, None]})],
    [(np.arange(100_000).reshape(100, 1000), np.zeros((0, 3)), np.array(["ab", "c" * 9000]))],
    [(np.asfortranarray(np.arange(90_000.0).reshape(300, 300)), np.arange(80_000)[::2], np.full(9000, 1 + 2j))],
    [(np.ones(2000, np.int8),)] * 40,
]


def pair(is_sharing: bool = True) -> tuple[Channel, Channel]:
    """Return both ends of a channel."""
    ours, theirs = socket.socketpair()
    files = [unnamed_file() for _ in range(2 * is_sharing)]
    return Channel(ours, [Block(os.dup(f)) for f in files]), Channel(theirs, [Block(f) for f in files])


def exchanged(ours: Channel, theirs: Channel, value: object, slot: int = 1) -> object:
    """Return what arrives of a value; large ones through a socket need somebody who reads."""
    received: list[object] = []
    reader = threading.Thread(target=lambda: received.append(theirs.receive()))
    reader.start()
    ours.send(value, slot)
    reader.join(10)
    return received[0]


@pytest.mark.parametrize("is_sharing", [True, False])
@pytest.mark.parametrize("number", range(len(VALUES)))
def test_values_arrive(is_sharing: bool, number: int) -> None:
    ours, theirs = pair(is_sharing)
    (sent,), (came,) = VALUES[number][:1], exchanged(ours, theirs, VALUES[number][:1])
    for left, right in zip(sent, came, strict=True):
        assert type(left) is type(right)
        np.testing.assert_array_equal(left, right)
        if isinstance(left, np.ndarray):
            assert left.dtype == right.dtype and right.flags.writeable
    ours.close(), theirs.close()


def test_arrays_are_the_receivers_own() -> None:
    ours, theirs = pair()
    first = exchanged(ours, theirs, np.zeros(100_000))
    second = exchanged(ours, theirs, np.ones(200_000))  # in the same block, which grows
    assert first.sum() == 0 and second.sum() == 200_000
    ours.close(), theirs.close()


def test_large_values_go_through_memory() -> None:
    ours, theirs = pair()
    assert sum(map(len, ours.packed(np.zeros(SMALL), 0))) < 100
    ours.close(), theirs.close()
    ours, theirs = pair(is_sharing=False)
    assert sum(map(len, ours.packed(np.zeros(SMALL), 0))) > SMALL
    ours.close(), theirs.close()


def test_without_memory_the_socket_is_used_and_that_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, size: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(blocks, "reserve", full)
    ours, theirs = pair()
    with pytest.warns(UserWarning, match=r"no memory to share with worker processes \(\[Errno 28\] No space .* slower"):
        assert exchanged(ours, theirs, np.ones(100_000)).sum() == 100_000
    assert exchanged(ours, theirs, np.ones(100_000)).sum() == 100_000
    ours.close(), theirs.close()


def test_without_files_in_memory_one_on_disk_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create")
    monkeypatch.delattr(os, "posix_fallocate")
    ours, theirs = pair()
    assert exchanged(ours, theirs, np.ones(100_000)).sum() == 100_000
    ours.close(), theirs.close()


def test_the_end_of_the_other_process() -> None:
    ours, theirs = pair()
    theirs.close()
    with pytest.raises(EOFError, match="the other process has ended"):
        ours.receive()
    ours.close()
