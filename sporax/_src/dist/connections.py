"""Connections between the processes of a run, for arrays that are too large for the store.

A connection leads from the process that sends to the one that receives, is made when the first large message is taken, and stays
open. At its start both processes prove that they belong to the run: each signs a fresh random number of the other one with the
key of the run. What follows is not signed, like what collective operators exchange.
"""

from __future__ import annotations

import atexit
import functools
import queue
import secrets
import socket
import struct
import sys
import threading
from collections.abc import Sequence

from sporax._src.processes import store
from sporax._src.processes.rendezvous import own_host
from sporax._src.processes.run_secret import DIGEST, ForeignEntry
from sporax._src.processes.watchdog import waiting_files
from sporax._src.processes.world import world

waiting_files.add(__file__)

_NONCE = 32  # bytes
_RANK = struct.Struct(">I")
_HEAD = struct.Struct(">IQ")  # the lengths of a message's name and content
_GREETING = 10.0  # seconds within which a new connection must prove its origin
_LISTENERS = 4  # threads, so that a stranger who says nothing hinders nobody
_BUFFER = 4 << 20  # bytes that the system holds of a connection
_LOOK = 1.0  # seconds between looks for processes that have ended; the watchdog takes more of them for a sign of life
_ASK, _ANSWER = "sporax/connections/ask", "sporax/connections/answer"


class _Sender:
    """Sends messages to one process, in order, from a thread of its own."""

    def __init__(self) -> None:
        self.connections: queue.SimpleQueue[socket.socket] = queue.SimpleQueue()
        self.messages: queue.Queue[list[bytes | memoryview]] = queue.Queue()
        self._is_lost = False  # whether the other process has closed the connection
        threading.Thread(target=self._send, name="sporax sender", daemon=True).start()

    def _send(self) -> None:
        connection = self.connections.get()
        while self._is_sent(connection, self.messages.get()):
            self.messages.task_done()

    def _is_sent(self, connection: socket.socket, message: list[bytes | memoryview]) -> bool:
        try:
            for part in message:
                connection.sendall(part)
        except OSError:
            with self.messages.all_tasks_done:
                self._is_lost = True
                self.messages.all_tasks_done.notify_all()
        return not self._is_lost

    def wait(self, seconds: float) -> bool:
        """Wait until all messages are sent, or the other process has closed the connection; return False if that takes longer."""
        done = self.messages.all_tasks_done
        with done:
            return done.wait_for(lambda: self._is_lost or not self.messages.unfinished_tasks, seconds)


class _Outgoing:
    """What this process sends to others: it listens, and each of them connects when it takes its first message."""

    def __init__(self) -> None:
        self._senders: dict[int, _Sender] = {}
        self._changing = threading.Lock()
        host = own_host()
        self._listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.address = f"{host} {self._listener.getsockname()[1]}"
        for _ in range(_LISTENERS):  # now, because Python starts no thread at its end, where messages may be left
            threading.Thread(target=self._listen, name="sporax listener", daemon=True).start()
        atexit.register(self._finish)

    def to(self, rank: int) -> _Sender:
        with self._changing:
            if rank not in self._senders:
                self._senders[rank] = _Sender()
            return self._senders[rank]

    def _listen(self) -> None:
        while True:
            self._greet(self._listener.accept()[0])

    def _greet(self, connection: socket.socket) -> None:
        """Give a connection to the sender of the process that has proved to be at its other end; close any other one."""
        try:
            _prepare(connection)
            own = secrets.token_bytes(_NONCE)
            connection.sendall(own)
            rank, other = _read(connection, _RANK.size), _read(connection, _NONCE)
            here = _RANK.pack(world().rank)
            store.verify(_ASK, _read(connection, DIGEST), rank, here, other, own)
            connection.sendall(store.signature(_ANSWER, here, rank, own, other))
            connection.settimeout(None)
        except (OSError, ForeignEntry):
            connection.close()
            return
        self.to(_RANK.unpack(rank)[0]).connections.put(connection)

    def _finish(self) -> None:
        """Wait until what was posted is sent, unless its receiver has ended, or an error has ended the program here."""
        store.put(_ended(world().rank), b"")
        for incoming in _incoming.values():
            incoming.close()
        for rank, sender in self._senders.items():
            while not (hasattr(sys, "last_value") or sender.wait(_LOOK) or store.has(_ended(rank))):
                pass


class _Incoming:
    """A connection to a process whose messages this one receives.

    Raises:
        OSError: If it cannot be made.
        ForeignEntry: If there is a process of another run.
    """

    def __init__(self, source: int, address: str) -> None:
        host, port = address.split()
        self._reading = threading.Lock()
        self._early: dict[str, bytearray] = {}  # messages that arrived while another one was awaited
        self._connection = socket.create_connection((host, int(port)), _GREETING)
        try:
            self._greet(source)
        except BaseException:
            self.close()
            raise

    def _greet(self, source: int) -> None:
        """Prove to belong to the run, and check that the other process does."""
        _prepare(self._connection)
        here, there, own = _RANK.pack(world().rank), _RANK.pack(source), secrets.token_bytes(_NONCE)
        other = _read(self._connection, _NONCE)
        self._connection.sendall(here + own + store.signature(_ASK, here, there, own, other))
        store.verify(_ANSWER, _read(self._connection, DIGEST), there, here, other, own)
        self._connection.settimeout(None)

    def read(self, name: str, views: Sequence[memoryview]) -> None:
        """Fill buffers with the message of a name."""
        with self._reading:
            if self._connection.fileno() < 0:
                raise ConnectionAbortedError("an earlier message was not received to its end")
            while name not in self._early:
                found, length = self._head()
                if found == name:
                    for view in views:
                        _read_into(self._connection, view)
                    return
                self._early[found] = bytearray(length)
                _read_into(self._connection, memoryview(self._early[found]))
            content = memoryview(self._early.pop(name))
            for view in views:
                view[:], content = content[: len(view)], content[len(view) :]

    def _head(self) -> tuple[str, int]:
        named, length = _HEAD.unpack(_read(self._connection, _HEAD.size))
        return _read(self._connection, named).decode(), length

    def close(self) -> None:
        self._connection.close()


_incoming: dict[int, _Incoming] = {}
_connecting = threading.Lock()


@functools.cache
def _outgoing() -> _Outgoing:
    return _Outgoing()


def _ended(rank: int) -> str:
    return f"sporax/connections/ended/{rank}"


def post(to: int, name: str, views: Sequence[memoryview]) -> str:
    """Post a message to a process, without waiting; return the address from which the process takes it."""
    length = sum(map(len, views))
    _outgoing().to(to).messages.put([_HEAD.pack(len(name.encode()), length) + name.encode(), *views])
    return _outgoing().address


def take(source: int, address: str, name: str, views: Sequence[memoryview]) -> None:
    """Fill buffers with the message of a name, which a process has posted at an address.

    Raises:
        ConnectionError: If the process has ended.
    """
    with _connecting:
        if source not in _incoming:
            _outgoing()  # which closes this connection at the end
            _incoming[source] = _Incoming(source, address)
    incoming = _incoming[source]
    try:
        incoming.read(name, views)
    except BaseException:
        incoming.close()  # what would be read next is not the start of a message
        raise


def _prepare(connection: socket.socket) -> None:
    connection.settimeout(_GREETING)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for side in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        connection.setsockopt(socket.SOL_SOCKET, side, _BUFFER)


def _read(connection: socket.socket, length: int) -> bytes:
    content = bytearray(length)
    _read_into(connection, memoryview(content))
    return bytes(content)


def _read_into(connection: socket.socket, view: memoryview) -> None:
    while view:
        count = connection.recv_into(view)
        if not count:
            raise ConnectionResetError("the other process has closed the connection")
        view = view[count:]
