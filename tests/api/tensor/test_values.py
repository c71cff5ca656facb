"""Methods that convert, copy and show a Tensor."""

from sporax import Tensor


def test_what_has_no_storage_to_give_away():
    assert Tensor([1.0])._offload() is None
