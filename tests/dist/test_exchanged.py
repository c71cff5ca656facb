"""Operations that processes run together: one that is alone has what all have."""

from sporax import Tensor
from sporax._src.dist import exchange
from sporax._src.dist.exchanged import exchanged, kernel


def test_the_only_process_keeps_its_value() -> None:
    x = Tensor([1.0, 2.0])
    assert exchanged("AllReduce", exchange.gathered_pieces, x, (0,), sizes=(2,)).tolist() == [1.0, 2.0]


def test_a_kernel_is_made_once_for_each_setting() -> None:
    first = kernel("AllGatherV", exchange.gathered_pieces, (0, 1), sizes=(1, 2))
    assert first is kernel("AllGatherV", exchange.gathered_pieces, (0, 1), sizes=(1, 2))
    assert first is not kernel("AllGatherV", exchange.gathered_pieces, (0, 1), sizes=(2, 1))
