"""`_cells` and `_params` of a Cell: what programs write to them are its attributes, as MindSpore 2.7.0 has it."""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.act = nn.ReLU()
        self.scale = Parameter(Tensor([1.0]), name="scale")

    def construct(self, x: Tensor) -> Tensor:
        return self.act(x) * self.scale


x = Tensor([-1.0, 2.0])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_what_is_put_in_the_place_of_a_child_computes(mode: int) -> None:
    ms.set_context(mode=mode)
    net = Net()
    assert net(x).asnumpy().tolist() == [0, 2]
    net._cells["act"] = nn.Tanh()
    np.testing.assert_allclose(net(x).asnumpy(), np.tanh(x.asnumpy()), rtol=1e-6)
    net._params["scale"] = Parameter(Tensor([3.0]), name="other")
    np.testing.assert_allclose(net(x).asnumpy(), 3 * np.tanh(x.asnumpy()), rtol=1e-6)
    assert [p.name for p in net.get_parameters()] == ["other"]
    net.act = nn.ReLU()
    assert net(x).asnumpy().tolist() == [0, 6]
    assert net._cells["act"] is net.act


def test_new_and_removed_names() -> None:
    net = Net()
    net._cells["new"] = nn.ReLU()
    assert isinstance(net.new, nn.ReLU)  # pyright: ignore[reportAttributeAccessIssue]
    assert net._cells.pop("new", None) is not None
    assert net._cells.pop("new", 7) == 7
    del net._cells["act"]
    net._params.clear()
    for gone in ("new", "act", "scale"):
        with pytest.raises(AttributeError, match=f"^The 'Net' object has no attribute '{gone}'.$"):
            getattr(net, gone)
    with pytest.raises(KeyError):
        net._cells.pop("act")


def test_copies_have_registries_of_their_own() -> None:
    net = Net()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        other._cells["act"] = nn.Tanh()
        assert isinstance(other.act, nn.Tanh)
        assert isinstance(net.act, nn.ReLU)
    assert repr(net._cells) == repr(OrderedDict(act=net.act))
