"""Two processes that send each other objects and Tensors; run by `sporax launch`. They go on where FOLDER has a file."""

import os
import sys
import time
from pathlib import Path

import numpy as np

import sporax as ms
from sporax.communication import comm_func, get_rank, init
from sporax.mint import distributed as dist

FOLDER = Path(sys.argv[1])


def wait_for(name: str) -> None:
    """Wait until the test lets this process go on."""
    end = time.monotonic() + 100
    while not (FOLDER / name).exists():
        assert time.monotonic() < end, name
        time.sleep(0.02)


init()
assert "SPORAX_SECRET" not in os.environ
rank = get_rank()
(FOLDER / f"pid {rank}").write_text(str(os.getpid()))
told = [f"from {rank}"]
if rank == 0:
    dist.broadcast_object_list(told, 0)
    (FOLDER / "sent").touch()
    wait_for("send")
    dist.broadcast_object_list(told, 0)
else:
    wait_for("take")
    for _ in range(2):
        dist.broadcast_object_list(told, 0)
        (FOLDER / "taken").touch()
assert told == ["from 0"]
x = ms.Tensor(np.full((600, 700), rank, np.float32))  # of two pieces
comm_func.send(x, 1 - rank)
np.testing.assert_array_equal(comm_func.recv(x, 1 - rank).asnumpy(), 1 - rank)
print("right")
