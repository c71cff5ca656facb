"""Messages between two processes: small ones through a socket, large ones through memory that both map.

The memory has no name: it is a file descriptor that the program hands to its worker. So nothing is left behind, however a
process ends, and the size of `/dev/shm` does not matter.
"""

from __future__ import annotations

import mmap
import os
import pickle
import socket
import struct
import tempfile
from collections.abc import Sequence
from typing import Any

from sporax._src.base.errors import warn_user

_HEAD = struct.Struct("<iI")  # the number of the block, -1 if the parts follow in the socket; how many parts
_INLINE = -1
SMALL = 1 << 14  # bytes: smaller messages cost less in the socket
_PART = 1 << 12  # bytes: smaller arrays are pickled with the rest
_ALIGNED = 64


def unnamed_file() -> int:
    """Return a new file in memory, or on disk where the system has none in memory; it has no name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("sporax-dataset", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class Block:
    """Memory that two processes map; the one that writes makes it as large as it must be."""

    def __init__(self, file: int) -> None:
        self.file = file
        self._map: mmap.mmap | None = None

    def mapped(self, size: int, *, grow: bool = False) -> mmap.mmap:
        """Return the memory, at least `size` bytes.

        Args:
            size: How many bytes are needed.
            grow: Whether the file may be made larger.

        Raises:
            OSError: If there is no memory left.
        """
        if self._map is None or len(self._map) < size:
            has = os.fstat(self.file).st_size
            if grow and has < size:
                size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
                reserve(self.file, size)
                has = size
            self._map = mmap.mmap(self.file, has)
        return self._map

    def close(self) -> None:
        """Give the memory up."""
        self._map = None  # freed with the last part of it that is in use
        os.close(self.file)


def reserve(file: int, size: int) -> None:
    """Make a file `size` bytes long, and fail now rather than when the memory is written."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)


class Channel:
    """Both directions between a program and one worker.

    Args:
        connection: The socket.
        blocks: The memory for large messages; without any, they go through the socket.
    """

    def __init__(self, connection: socket.socket, blocks: Sequence[Block]) -> None:
        self.connection = connection
        self._blocks = blocks
        self.is_full = not blocks  # no memory was left: large messages go through the socket from then on
        self.size = 0  # bytes of the value that was received last

    def packed(self, value: object, slot: int) -> list[Any]:
        """Return what has to go through the socket for a value; its large parts go into the block number `slot` if they can."""
        parts, sizes = split(value)
        total = sum(map(_padded, sizes))
        in_block = total > SMALL and not self.is_full and self._placed(slot, parts, total)
        head = _HEAD.pack(slot if in_block else _INLINE, len(parts)) + struct.pack(f"<{len(parts)}Q", *sizes)
        if in_block:
            return [head]
        return [b"".join((head, *parts))] if total <= SMALL else [head, *parts]

    def deliver(self, packed: list[Any]) -> None:
        """Send what `packed` returned."""
        for part in packed:
            self.connection.sendall(part)

    def send(self, value: object, slot: int) -> None:
        """Send a value; the block number `slot` must be free."""
        self.deliver(self.packed(value, slot))

    def _placed(self, slot: int, parts: Sequence[Any], total: int) -> bool:
        try:
            memory = self._blocks[slot].mapped(total, grow=True)
        except OSError as error:
            self.is_full = True
            warn_user(
                f"sporax.dataset: there is no memory to share with worker processes ({error}); large rows go through "
                "a socket from now on, which is slower."
            )
            return False
        at = 0
        for part in parts:
            memory[at : at + len(part)] = part
            at += _padded(len(part))
        return True

    def receive(self) -> Any:
        """Return the next value.

        Raises:
            EOFError: If the other process has ended.
        """
        slot, count = _HEAD.unpack(self._exactly(_HEAD.size))
        sizes = struct.unpack(f"<{count}Q", self._exactly(8 * count))
        self.size = sum(sizes)
        if slot == _INLINE:
            parts = [self._exactly(size) for size in sizes]
        else:
            memory, at, parts = memoryview(self._blocks[slot].mapped(sum(map(_padded, sizes)))), 0, []
            for size in sizes:
                parts.append(bytearray(memory[at : at + size]))
                at += _padded(size)
        return pickle.loads(parts[0], buffers=parts[1:])

    def _exactly(self, size: int) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            try:
                count = self.connection.recv_into(view)
            except ConnectionError:
                count = 0
            if not count:
                raise EOFError("the other process has ended")
            view = view[count:]
        return data

    def close(self) -> None:
        """Close the socket and give the memory up."""
        self.connection.close()
        for block in self._blocks:
            block.close()


def split(value: object) -> tuple[list[Any], list[int]]:
    """Return a pickle, then the bytes of its large arrays, and the size of each."""
    parts: list[Any] = [b""]

    def apart(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if raw.nbytes < _PART:
            return True  # in the pickle
        parts.append(raw)
        return False

    parts[0] = pickle.dumps(value, protocol=5, buffer_callback=apart)
    return parts, [len(part) for part in parts]


def _padded(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
