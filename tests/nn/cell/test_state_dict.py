"""Buffers of a Cell, state_dict and load_state_dict."""

import copy
import pickle

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.transform import capture
from sporax.common.parameter import _Buffer


class Shift(nn.Cell):
    """Adds a buffer, and counts its calls in another."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("shift", Tensor([1.0, 2.0]))
        self.register_buffer("calls", Tensor(0.0), persistent=False)
        self.register_buffer("nothing", None)
        self.scale = Parameter(Tensor([1.0, 1.0]), name="another_name")

    def construct(self, x: Tensor) -> Tensor:
        self.calls = self.calls + 1
        return x * self.scale + self.shift


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.body = Shift()
        self.register_buffer("count", Tensor([7]))

    def construct(self, x: Tensor) -> Tensor:
        return self.body(x)


X = Tensor([0.0, 10.0])


def test_names() -> None:
    net = Net()
    assert [name for name, _ in net.named_buffers()] == ["count", "body.shift", "body.calls"]
    assert [name for name, _ in net.named_buffers("p", recurse=False)] == ["p.count"]
    assert len(list(net.buffers())) == 3
    assert net._non_persistent_buffers_set == set() and net.body._non_persistent_buffers_set == {"calls"}
    assert net.get_buffer("body.shift") is net.body.shift and net.get_buffer("body.nothing") is None
    net.body.register_buffer("again", net.body.shift)
    assert len(list(net.named_buffers())) == 3 and len(list(net.named_buffers(remove_duplicate=False))) == 4
    del net.body.again
    assert not hasattr(net.body, "again") and len(list(net.buffers())) == 3


@pytest.mark.parametrize(
    ("args", "kind", "match"),
    [
        ((3, X), TypeError, "buffer name should be a string, got 3"),
        (("", X), KeyError, "buffer name can not be empty or contain"),
        (("a.b", X), KeyError, "buffer name can not be empty or contain"),
        (("scale", X), KeyError, "'scale' is already an attribute of Shift"),
        (("construct", X), KeyError, "'construct' is already an attribute of Shift"),
        (("new", 3), TypeError, "'new' must be a Tensor or None, got 3"),
    ],
)
def test_buffers_that_cannot_be(args: tuple, kind: type, match: str) -> None:
    with pytest.raises(kind, match=match):
        Shift().register_buffer(*args)


def test_no_such_buffer() -> None:
    with pytest.raises(AttributeError, match="'scale' of Shift is not a buffer"):
        Net().get_buffer("body.scale")
    with pytest.raises(AttributeError, match="Shift has no attribute 'x'"):
        Net().get_buffer("body.x")
    with pytest.raises(AttributeError, match="Net has no Cell at 'x'"):
        Net().get_buffer("x.y")


def test_a_buffer_is_an_input_of_graphs(mode: int) -> None:
    """Values that change between calls are seen, without a new graph."""
    net = Net()
    assert net(X).asnumpy().tolist() == [1, 12]
    before = capture.compilations
    net.body.shift = Tensor([5.0, 5.0])
    assert net(X).asnumpy().tolist() == [5, 15]
    net.load_state_dict({"body.shift": Tensor([6.0, 6.0])}, strict=False)
    assert net(X).asnumpy().tolist() == [6, 16]
    assert capture.compilations == before and net.body.calls.item() == 3
    with pytest.raises(TypeError, match="'shift' must be a Tensor or None, got 3"):
        net.body.shift = 3
    net.body.calls = None
    assert "body.calls" not in dict(net.named_buffers())


def test_copies_have_buffers_of_their_own() -> None:
    net = Net()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        other.body.shift = Tensor([9.0, 9.0])
        assert list(other.state_dict()) == list(net.state_dict()) and net(X).asnumpy().tolist() == [1, 12]


def test_state_dict() -> None:
    net = Net()
    state = net.state_dict()
    assert list(state) == ["count", "body.scale", "body.shift"]
    assert state["body.scale"] is net.body.scale and state["count"] is net.count
    assert list(net.state_dict(prefix="p.")) == ["p.count", "p.body.scale", "p.body.shift"]
    given: dict = {}
    assert net.state_dict(given, "q.", True) is given and next(iter(given)) == "q.count"


def test_load_state_dict() -> None:
    net = Net()
    state = {name: Tensor(value.asnumpy() * 3) for name, value in net.state_dict().items()}
    assert repr(net.load_state_dict(state)) == "<All keys matched successfully>"
    assert net.count.asnumpy().tolist() == [21] and net.body.scale.asnumpy().tolist() == [3, 3]
    keys = net.load_state_dict({"count": Tensor([1.9]), "x": X}, strict=False)
    assert keys == (["body.scale", "body.shift"], ["x"]) and "unexpected_keys=['x']" in repr(keys)
    assert net.count.dtype == ms.int64 and net.count.asnumpy().tolist() == [1]


def test_a_shared_cell_is_loaded_by_each_of_its_names() -> None:
    net = ms.nn.Cell()
    net.first = ms.nn.Dense(2, 1)
    net.second = net.first
    state = net.state_dict()
    assert list(state) == ["first.weight", "first.bias", "second.weight", "second.bias"]
    keys = net.load_state_dict({"second.bias": Tensor([4.0])}, strict=False)
    assert keys.missing_keys == ["first.weight", "first.bias", "second.weight"]
    assert net.first.bias.asnumpy().tolist() == [4.0]


def test_load_state_dict_refuses() -> None:
    net = Net()
    with pytest.raises(TypeError, match=r"state_dict must be a dict, got \[1\]"):
        net.load_state_dict([1])
    with pytest.raises(RuntimeError) as error:
        net.load_state_dict({"count": Tensor([1, 2]), "body.scale": np.zeros(2), "x": X, "y": X})
    for part in (
        "loading state_dict for Net",
        "size mismatch for count: the state has shape (2,), the Cell (1,)",
        "'body.scale' must be a Tensor, got float64[2]",
        'Missing key(s) in state_dict: "body.shift"',
        'Unexpected key(s) in state_dict: "x", "y"',
    ):
        assert part in str(error.value)
    assert net.count.asnumpy().tolist() == [7]


def test_hooks_of_the_state() -> None:
    net, seen = nn.Dense(1, 1), []
    handles = [
        net.register_state_dict_pre_hook(lambda cell, prefix, keep_vars: seen.append(("before", prefix))),
        net.register_state_dict_post_hook(lambda cell, state, prefix, metadata: seen.append(("after", list(state)))),
        net.register_load_state_dict_pre_hook(lambda cell, state, *rest: state.pop("extra")),
        net.register_load_state_dict_post_hook(lambda cell, keys: seen.append(keys)),
    ]
    state = {**net.state_dict(prefix=""), "extra": X}
    net.load_state_dict(state)
    assert seen == [("before", ""), ("after", ["weight", "bias"]), ([], [])]
    for handle in handles:
        handle.remove()
    net.state_dict()
    assert len(seen) == 3


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_buffers_by_assignment(mode: int) -> None:
    """A `_Buffer` that is assigned is registered, in the place of what had the name; a Tensor is not."""
    ms.set_context(mode=mode)

    class Assigned(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.shift = Tensor([0.0])
            self.shift = _Buffer(Tensor([1.0, 2.0]))
            self.hidden = _Buffer(Tensor([3.0, 4.0]), persistent=False)
            self.plain = Tensor([5.0, 6.0])

        def construct(self, x: Tensor) -> Tensor:
            return x * self.shift + self.hidden

    net = Assigned()
    assert [name for name, _ in net.named_buffers()] == ["shift", "hidden"] and list(net.state_dict()) == ["shift"]
    assert net(Tensor([1.0, 1.0])).asnumpy().tolist() == [4.0, 6.0]
    net.shift = Tensor([0.0, 0.0])
    assert net(Tensor([1.0, 1.0])).asnumpy().tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="Buffer: data must be a Tensor, got None"):
        _Buffer(None)
    with pytest.raises(TypeError, match="Buffer: data must be a Tensor, got 3"):
        _Buffer(3)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"destination": 3}, "destination must be a dict, got 3"),
        ({"prefix": 3}, "prefix must be a str, got 3"),
        ({"keep_vars": 3}, "keep_vars must be a bool, got 3"),
    ],
)
def test_arguments_of_state_dict(given, text):
    with pytest.raises(TypeError, match=rf"Cell\.state_dict: {text}"):
        nn.Dense(2, 1).state_dict(**given)
