"""Buffers: Tensors that a Cell takes up as its state."""

import pytest

from sporax import Tensor, nn
from sporax._src.core.buffer import Buffer


def test_an_attribute_becomes_a_buffer() -> None:
    net = nn.Cell()
    net.count, net.cache = Buffer(Tensor([0])), Buffer(Tensor([1]), persistent=False)
    assert {name: buffer.tolist() for name, buffer in net.named_buffers()} == {"count": [0], "cache": [1]}
    assert list(net.state_dict()) == ["count"]


@pytest.mark.parametrize(("data", "kind", "said"), [(None, ValueError, "got None"), ([1], TypeError, r"got \[1\]")])
def test_what_is_no_tensor(data, kind: type, said: str) -> None:
    with pytest.raises(kind, match=f"Buffer: data must be a Tensor, {said}"):
        Buffer(data)
