"""The service of a run outlives the process that started it, until nobody is connected."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from launching import free_port

from sporax._src.processes.service import Service

STARTS = "from sporax._src.processes.service import Service; print(Service({!r}, 1)._process.pid)"


def _is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def _becomes(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def test_it_stays_while_somebody_is_connected():
    port = free_port()
    code = STARTS.format(f"127.0.0.1:{port}")
    holder = socket.socket()
    with subprocess.Popen([sys.executable, "-c", code + "; input()"], stdin=-1, stdout=-1, text=True) as starter:
        assert starter.stdout is not None
        number = int(starter.stdout.readline())
        holder.connect(("127.0.0.1", port))
        starter.communicate("\n")
    time.sleep(1)
    assert _is_there(number)
    holder.close()
    assert _becomes(lambda: not _is_there(number))


def test_it_ends_when_it_is_told():
    service = Service(f"127.0.0.1:{free_port()}", 1)
    assert _is_there(service._process.pid)
    service.end()
    assert not _is_there(service._process.pid)


def test_one_that_cannot_start_says_why():
    with pytest.raises(RuntimeError, match=r"the service at nowhere:1 does not start: .*nowhere:1"):
        Service("nowhere:1", 1)
