"""Messages from process to process: those to oneself."""

from collections.abc import Iterator

import pytest
from one_process import same, x

import sporax as ms
from sporax import communication
from sporax.communication import comm_func


@pytest.fixture(autouse=True)
def _joined() -> Iterator[None]:
    communication.init()
    yield
    communication.release()


def test_messages_to_oneself() -> None:
    comm_func.send(x(), tag=3)
    same(comm_func.recv(x(), tag=3))
    assert comm_func.isend(x()).is_completed()
    same(comm_func.irecv(x())[0])
    ops = [comm_func.P2POp("isend", x(), 0), comm_func.P2POp(comm_func.irecv, (3, 2), 0, recv_dtype=ms.float32)]
    sent, received = comm_func.batch_isend_irecv(ops)
    assert sent.item() == 0
    same(received)
