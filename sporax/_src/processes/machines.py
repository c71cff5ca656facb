"""How the launchers of several machines meet: each gets the number of its first process, and learns when another one has ended.

The launcher of node 0 listens at the address of the run. The others connect to it, and stay connected until they end. Each message
is a line of JSON with a digest, whose key is the secret of the run and a number that node 0 has drawn for the connection.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import json
import os
import secrets
import select
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax

from sporax._src.processes import rendezvous
from sporax._src.processes.service import Service

_GREETING = 5.0  # seconds a launcher has to say who it is
_AGAIN = 0.5  # seconds between attempts to connect
_LAST_CALL = 20.0  # seconds that a run which may begin waits for one more launcher
_MOST = 4096  # bytes of a message


class Node(NamedTuple):
    """A launcher and its machine.

    Attributes:
        host: The name of the machine.
        local: The number of its processes.
        number: The number of the node that the user gave it; -1: none.
        program: What all launchers must run: the program's digest, the versions and the number of all processes.
    """

    host: str
    local: int
    number: int
    program: str


class Absent(RuntimeError):
    """The launchers of a run have not met."""


def program_of(program: Sequence[str], version: str, size: int) -> str:
    """Return what all launchers of a run must have in common."""
    file = Path(program[0])
    text = hashlib.sha256(file.read_bytes()).hexdigest()[:12] if file.is_file() else "no file"
    return f"{file.name} ({text}), sporax {version}, JAX {jax.__version__}, -n {size}"


class Meeting:
    """The connections of a launcher to the others.

    Attributes:
        first: The number of the first process on this machine.
        size: The number of all processes.
        address: Where the processes of the run meet.
    """

    def __init__(
        self, first: int, size: int, address: str, others: dict[str, _Line], service: Service | None = None
    ) -> None:
        self.first, self.size, self.address = first, size, address
        self._others, self._service = others, service

    def why_others_ended(self) -> str:
        """Return why the run must end here too; empty if nothing has happened."""
        for name, line in list(self._others.items()):
            try:
                if not select.select([line.connection], [], [], 0)[0]:
                    continue
                message = line.read()
            except (OSError, ValueError) as error:
                self._others.pop(name).connection.close()
                return f"{name} is lost ({error})."
            self._others.pop(name).connection.close()
            if message["why"]:
                return f"{name}: {message['why']}"
        return ""

    def wait_for_others(self, received: Sequence[int] = ()) -> str:
        """Wait until all launchers have ended or a signal is received, and return why the run has failed; empty if it has not."""
        while self._others and self._service is not None and not received:
            if why := self.why_others_ended():
                return why
            time.sleep(0.1)
        return ""

    def end(self, why: str) -> None:
        """Tell the others that this launcher has ended, and leave; `why` is empty if all went well."""
        for line in self._others.values():
            with contextlib.suppress(OSError):  # one that is lost need not be told
                line.write({"why": why})
            line.connection.close()
        if self._service is not None:
            self._service.end()
        self._others, self._service = {}, None


class _Line:
    """A connection that carries signed messages."""

    def __init__(self, connection: socket.socket, secret: str, silence: int) -> None:
        self.connection, self._secret, self.key = connection, secret.encode(), b""
        self._buffer = b""
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            step = max(1, silence // 4)
            for option, value in (
                (socket.TCP_KEEPIDLE, step), (socket.TCP_KEEPINTVL, step), (socket.TCP_KEEPCNT, 3),
                (socket.TCP_USER_TIMEOUT, 1000 * silence),
            ):  # fmt: skip
                connection.setsockopt(socket.IPPROTO_TCP, option, value)

    def _digest(self, text: str) -> str:
        return hmac.new(self._secret, self.key + text.encode(), "sha256").hexdigest()

    def write(self, message: dict[str, Any]) -> None:
        text = json.dumps(message)
        self.connection.sendall(f"{self._digest(text)} {text}\n".encode())

    def raw_line(self) -> str:
        while b"\n" not in self._buffer:
            piece = self.connection.recv(_MOST)
            if not piece:
                raise ConnectionError("its launcher has gone")
            self._buffer += piece
            if len(self._buffer) > _MOST:
                raise ValueError("too long a message")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    def read(self) -> dict[str, Any]:
        """Return the next message.

        Raises:
            OSError: If the other side is gone.
            ValueError: If the message is not signed with the secret of the run.
        """
        digest, _, text = self.raw_line().partition(" ")
        if not hmac.compare_digest(digest, self._digest(text)):
            raise ValueError("it has another SPORAX_SECRET")
        return json.loads(text)


def gather(
    address: str, size: int, own: Node, secret: str, patience: float, silence: int, least: int = 0
) -> Meeting | None:
    """Wait as node 0 for the launchers of all processes; None: this machine is not node 0.

    Args:
        address: Where node 0 listens.
        size: The number of all processes.
        own: This launcher; without a number it is node 0 if it can listen at the address.
        secret: The secret of the run.
        patience: Seconds to wait.
        silence: Seconds after which a machine that gives no sign of life is lost.
        least: With how many processes the run may begin if no further launcher comes for some time; 0: with all only.

    Raises:
        Absent: If launchers are missing after this time, run another program or have too many processes.
        RuntimeError: If this is node 0, and it cannot listen.
    """
    if own.number > 0:
        return None
    host, port = address.rsplit(":", 1)
    try:
        listener = socket.create_server((host, int(port)))
    except OSError as error:
        if own.number < 0 and error.errno in (errno.EADDRINUSE, errno.EADDRNOTAVAIL):
            return None
        raise RuntimeError(
            f"cannot listen at {address} ({os.strerror(error.errno or 0)}); name another --master_port."
        ) from None
    rendezvous.tell(f"waiting at {address} for the launchers of the other machines")
    nodes: list[tuple[Node, _Line | None]] = [(own._replace(number=0), None)]
    end = time.monotonic() + patience
    with listener:
        while (here := sum(node.local for node, _ in nodes)) < size:
            may_begin = 0 < least <= here
            left = min(end - time.monotonic(), _LAST_CALL if may_begin else patience)
            if left <= 0 or not select.select([listener], [], [], left)[0]:
                missing = f"{size - here} of {size} processes have not come"
                if may_begin:
                    rendezvous.tell(f"{missing}; the run goes on with {here}: {_shown(nodes)}")
                    break
                _refuse(nodes, f"{missing} in {patience:.0f} s; there are {_shown(nodes)}.")
            connection, (peer, *_) = listener.accept()
            line = _Line(connection, secret, silence)
            if (node := _greeted(line, peer, nodes)) is not None:
                nodes.append((node, line))
        if here > size:
            _refuse(nodes, f"there are {here} processes of {size}: {_shown(nodes)}.")
    ordered = _in_order(nodes)
    with socket.socket() as free:
        free.bind((host, 0))
        place = f"{host}:{free.getsockname()[1]}"
    service = rendezvous.host(place, here)
    first, others = 0, {}
    for number, node, line in ordered:
        if line is not None:
            line.write({"first": first, "size": here, "address": place, "why": ""})
            others[f"node {number} ({node.host})"] = line
        first += node.local
    return Meeting(0, here, place, others, service)


def _greeted(line: _Line, peer: str, nodes: list[tuple[Node, _Line | None]]) -> Node | None:
    """Return who is on a new connection; None if it is no launcher of this run."""
    line.connection.settimeout(_GREETING)
    nonce = secrets.token_hex(16)
    try:
        line.connection.sendall(f"{nonce}\n".encode())
        line.key = nonce.encode()
        node = Node(*line.read()["node"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        rendezvous.tell(f"refused a connection from {peer}: {error}")
        line.connection.close()
        return None
    line.connection.settimeout(None)
    own, numbers = nodes[0][0], [other.number for other, _ in nodes]
    if node.program != own.program:
        _refuse([*nodes, (node, line)], f"{node.host} runs {node.program}; {own.host} runs {own.program}.")
    if node.number >= 0 and node.number in numbers:
        line.write({"why": f"there is a node {node.number} already: {nodes[numbers.index(node.number)][0].host}."})
        line.connection.close()
        return None
    return node


def _refuse(nodes: list[tuple[Node, _Line | None]], why: str) -> None:
    for _, line in nodes:
        if line is not None:
            line.write({"why": why})
            line.connection.close()
    raise Absent(why)


def _in_order(nodes: list[tuple[Node, _Line | None]]) -> list[tuple[int, Node, _Line | None]]:
    """Return the nodes with their numbers, in this order; those without one take the free ones as they have arrived."""
    taken = {node.number for node, _ in nodes}
    free = iter(number for number in range(len(nodes)) if number not in taken)
    numbered = [(node.number if node.number >= 0 else next(free), node, line) for node, line in nodes]
    return sorted(numbered, key=lambda entry: entry[0])


def _shown(nodes: list[tuple[Node, _Line | None]]) -> str:
    return ", ".join(f"{node.local} from {node.host} (node {number})" for number, node, _ in _in_order(nodes))


def attend(address: str, own: Node, secret: str, patience: float, silence: int) -> Meeting:
    """Go to node 0, and wait until all are there (see `gather`).

    Raises:
        Absent: If node 0 cannot be reached in time, or refuses.
    """
    host, port = address.rsplit(":", 1)
    end, reason = time.monotonic() + patience, "timed out"
    while (left := end - time.monotonic()) > 0:
        try:
            connection = socket.create_connection((host, int(port)), timeout=min(left, 10))
            break
        except OSError as error:
            reason = error.strerror or str(error)
            time.sleep(min(_AGAIN, max(0, end - time.monotonic())))
    else:
        raise Absent(
            f"{own.host} has not reached node 0 at {address} in {patience:.0f} s ({reason}). Is that the address of node 0, and "
            "is the port open there?"
        )
    line = _Line(connection, secret, silence)
    try:
        connection.settimeout(_GREETING)
        line.key = line.raw_line().encode()
        line.write({"node": own})
        connection.settimeout(max(end - time.monotonic(), 0) + 2 * _GREETING)  # node 0 tells who is missing
        answer = line.read()
    except (OSError, ValueError) as error:
        connection.close()
        if isinstance(error, ConnectionError):
            why = "it has closed the connection. Is SPORAX_SECRET the same there? Its own output says more"
        else:
            why = str(error)
        raise Absent(f"node 0 at {address} has not answered {own.host}: {why}.") from None
    if answer["why"]:
        connection.close()
        raise Absent(answer["why"])
    connection.settimeout(None)
    return Meeting(answer["first"], answer["size"], answer["address"], {"node 0": line})
