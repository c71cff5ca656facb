"""The small function of `nn.layer.basic`."""

from sporax import Tensor
from sporax.nn.layer.basic import _is_equal_one


def test_a_mean_of_one_is_told() -> None:
    assert _is_equal_one(None) is False
    assert _is_equal_one(Tensor([0.0, 2.0])).item() is True
