"""Messages that wait for their receiver."""

from collections.abc import Iterator

import numpy as np
import pytest

from sporax import communication
from sporax._src.dist import messages


@pytest.fixture(autouse=True)
def _joined() -> Iterator[None]:
    communication.init()
    yield
    communication.release()


def test_a_message_that_nobody_sends() -> None:
    messages.post_object([1], 0, "tag")
    assert messages.take_object("recv", 0, "tag") == [1]
    messages.post([np.zeros((0, 2)), np.float32(3)], 0, "tag")
    empty, three = messages.take("recv", 0, "tag")
    assert (empty.shape, three.shape, three.dtype, three.item()) == ((0, 2), (), np.float32, 3)
    with pytest.raises(
        RuntimeError, match="recv: nothing was sent under the tag 3 by the only process, which would wait"
    ):
        messages.take("recv", 0, 3)
