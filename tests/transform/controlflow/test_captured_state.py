"""What a compiled function changes around it, besides Parameters: attributes, Tensors, lists; the same as in PyNative mode."""

import warnings
from typing import Any

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.transform import capture


class Summing(nn.Cell):
    """Keeps a Tensor in an attribute."""

    def __init__(self):
        super().__init__()
        self.sum = Tensor(0.0)

    def construct(self, x):
        self.sum = self.sum + x
        return self.sum * 1


class InPlace(nn.Cell):
    """Assigns an element of a Tensor in an attribute."""

    def __init__(self):
        super().__init__()
        self.sum = Tensor([0.0, 5.0])

    def construct(self, x):
        self.sum[0] += x
        return self.sum * 1


class OnOnePath(nn.Cell):
    """Changes attributes on one path, in a method, and in a loop."""

    def __init__(self):
        super().__init__()
        self.sum, self.last, self.seen = Tensor(0.0), None, False

    def reset(self):
        self.sum = self.sum * 0

    def construct(self, x):
        if x > 0:
            self.sum = self.sum + x
        else:
            self.reset()
        while x > 1:
            self.sum = self.sum + 10
            x = x - 1
        self.last = (x, {"sum": self.sum * 2})
        self.seen = True
        return self.sum + 1


class Nested(nn.Cell):
    """Keeps Tensors in a tuple and a dict, and the shape of what it got."""

    def __init__(self):
        super().__init__()
        self.pair = (Tensor(0.0), Tensor(1.0))
        self.table = {"a": Tensor(1.0)}

    def construct(self, x):
        h, c = self.pair
        self.pair = (h + x, c * 2)
        self.table["a"] = self.table["a"] + self.pair[1]
        self.shape = x.shape
        return h + c + self.table["a"]


class Assigning(nn.Cell):
    """Assigns a Parameter in every way."""

    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor(1.0), name="p")

    def construct(self, x):
        self.p += x
        self.p = self.p * 2
        ops.assign(self.p, self.p + 1)
        if x > 0:
            self.p -= 1
        while self.p < 20:
            self.p += 5
        return self.p * 1


def state_of(cell: Any) -> dict[str, Any]:
    """Return the attributes that the classes here assign, as plain values."""

    def plain(value: Any) -> Any:
        if isinstance(value, Tensor):
            assert not isinstance(value._data, jax.core.Tracer)
            return value.tolist()
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items()}
        return tuple(map(plain, value)) if isinstance(value, tuple) else value

    names = ("sum", "last", "seen", "pair", "table", "shape", "p")
    return {name: plain(getattr(cell, name)) for name in names if hasattr(cell, name)}


@pytest.mark.parametrize("kind", [Summing, InPlace, OnOnePath, Nested, Assigning])
def test_attributes_change_from_call_to_call(kind) -> None:
    """Results and attributes after every call are PyNative mode's; no traced value stays behind, nothing falls back."""
    reference, net = kind(), kind()
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileFallback)
        for x in (1.0, 2.0, -1.0, 3.0):
            ms.set_context(mode=ms.PYNATIVE_MODE)
            want = reference(Tensor(x)).asnumpy()
            ms.set_context(mode=ms.GRAPH_MODE)
            np.testing.assert_array_equal(net(Tensor(x)).asnumpy(), want)
            assert state_of(net) == state_of(reference)


def test_one_graph_serves_all_values_of_an_attribute() -> None:
    """The value is an input: neither a call nor an assignment of the same form builds another graph."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Summing()
    net(Tensor(1.0))
    before = capture.compilations
    for x in (2.0, 3.0):
        net(Tensor(x))
    assert float(net.sum) == 6.0
    assert capture.compilations == before


def test_another_graph_sees_what_a_graph_changed() -> None:
    """A graph that only reads the attribute reads its present value, also if it was built first."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Summing()
    read = ms.jit(lambda x: net.sum * x)
    assert float(read(Tensor(2.0))) == 0.0
    for x in (1.0, 4.0):
        net(Tensor(x))
        assert float(read(Tensor(2.0))) == 2.0 * float(net.sum)


def test_objects_and_tensors_of_a_closure() -> None:
    """Attributes of plain objects, and Tensors assigned in place, keep their values from call to call."""

    class Box:
        value = None

    box, buffer = Box(), Tensor([0.0, 0.0])

    @ms.jit
    def step(x):
        box.value = x if box.value is None else box.value + x
        buffer[1] += x
        return box.value * 1

    assert [float(step(Tensor(v))) for v in (1.0, 2.0, 4.0)] == [1.0, 3.0, 7.0]
    assert float(box.value) == 7.0
    np.testing.assert_array_equal(buffer.asnumpy(), [0.0, 7.0])


def test_an_object_whose_class_has_no_module() -> None:
    """`exec` in a namespace without a name makes such classes; what a graph changes in their objects is kept."""
    names: dict[str, Any] = {}
    exec("count = type('Count', (), {'total': 0.0})()", names)
    count = names["count"]

    @ms.jit
    def add(x):
        count.total = count.total + x
        return count.total * 1

    assert not hasattr(type(count), "__module__")
    assert [add(Tensor(2.0)).item(), add(Tensor(3.0)).item(), count.total.item()] == [2, 5, 5]


def test_arguments_are_the_graphs_own() -> None:
    """As in MindSpore's graph mode, what a graph assigns in an argument does not reach the caller."""

    @ms.jit
    def assigned(x, items):
        x[0] = 9
        items.append(x)
        return x * 1

    x, items = Tensor([1.0, 2.0]), []
    np.testing.assert_array_equal(assigned(x, items).asnumpy(), [9.0, 2.0])
    np.testing.assert_array_equal(x.asnumpy(), [1.0, 2.0])
    assert items == []


def test_an_object_that_is_made_once_stays() -> None:
    """What the first call puts where nothing was, and holds nothing traced, is there for the next one."""

    class Lazy(nn.Cell):
        made = 0

        def construct(self, x):
            if not hasattr(self, "holder"):
                Lazy.made += 1
                self.holder = Holder(3.0)
            return x * self.holder.value

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Lazy()
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileFallback)
        assert [float(net(Tensor(x))) for x in (1.0, 2.0)] == [3.0, 6.0]
    assert (net.holder.value, Lazy.made) == (3.0, 1)


class Logging(nn.Cell):
    """Appends to a list that it keeps."""

    def __init__(self):
        super().__init__()
        self.log = []

    def construct(self, x):
        self.log.append(x * 2)
        return x * len(self.log)


class Counting(nn.Cell):
    """Counts its calls with a Python number."""

    def __init__(self):
        super().__init__()
        self.n = 0

    def construct(self, x):
        self.n += 1
        return x * self.n


class Holder:
    """Holds a value."""

    def __init__(self, value):
        self.value = value


class Keeping(nn.Cell):
    """Keeps an object that holds what is traced."""

    def construct(self, x):
        self.kept = Holder(x)
        return x


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Logging, "a list outside of the function is changed"),
        (Counting, "attribute 'n' of a Counting changes from 0 to 1 at each call"),
        (Keeping, "attribute 'kept' of a Keeping is assigned"),
    ],
)
def test_what_cannot_be_an_output_runs_in_pynative_mode(kind, why) -> None:
    """One warning, and every call changes what it should; what the trace did is undone before."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = kind()
    with pytest.warns(CompileFallback, match=why):
        got = [float(net(Tensor(x))) for x in (1.0, 2.0, 3.0)]
    assert got == ([1.0, 2.0, 3.0] if kind is Keeping else [1.0, 4.0, 9.0])
    if kind is Logging:
        assert [float(v) for v in net.log] == [2.0, 4.0, 6.0]
