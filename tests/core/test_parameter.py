"""A Parameter ends with the last name for it."""

import copy
import gc
import weakref
from collections.abc import Callable, Iterator

import pytest

import sporax as ms
from sporax import Tensor, nn

X = Tensor([[1.0, 2.0]])


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _gradient(net: nn.Cell) -> None:
    ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(X)


USES: dict[str, Callable[[nn.Cell], object]] = {
    "none": lambda net: None,
    "call": lambda net: net(X),
    "gradient": _gradient,
    "copy": copy.deepcopy,
    "assignment": lambda net: net.weight.set_data(net.weight * 2),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.usefixtures("no_collector")
def test_the_last_name_frees_it(use: str) -> None:
    net = nn.Dense(2, 2)
    USES[use](net)
    weight = weakref.ref(net.weight)
    del net
    assert weight() is None


def test_a_bool_is_no_value() -> None:
    with pytest.raises(ValueError, match="Parameter: default_input must not be a bool, got True"):
        ms.Parameter(True)
    assert ms.Parameter(ms.Tensor(True)).item() is True
