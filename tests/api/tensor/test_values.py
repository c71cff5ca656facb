"""Methods that convert, copy and show a Tensor."""

import pytest

import sporax as ms
from sporax import Tensor


def test_what_has_no_storage_to_give_away():
    assert Tensor([1.0])._offload() is None
    with pytest.raises(
        RuntimeError, match=f"The current Storage does not yet support {ms.get_context('device_target')}"
    ):
        Tensor([1.0]).untyped_storage()
