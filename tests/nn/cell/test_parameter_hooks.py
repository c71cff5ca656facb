"""Forward hooks of Parameters. The values are those of MindSpore 2.10.0."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops

X = Tensor(3.0)


class Line(nn.Cell):
    """weight · x + bias."""

    def __init__(self):
        super().__init__()
        self.weight, self.bias = Parameter(Tensor(2.0), name="weight"), Parameter(Tensor(1.0), name="bias")

    def construct(self, x):
        return x * self.weight + self.bias


class Outer(nn.Cell):
    """A line and a Parameter."""

    def __init__(self):
        super().__init__()
        self.line, self.v = Line(), Parameter(Tensor(1.0), name="v")

    def construct(self, x):
        return self.line(x) + self.v


def tenfold(param):
    return param * 10


def larger(param):
    return param + 1


def results(net):
    """Return the value, the gradient by the input and those by the Parameters, of a graph."""
    value, (by_x, by_w) = ms.jit(ms.value_and_grad(net, 0, net.trainable_params()))(X)
    return [value.item(), by_x.item(), *[g.item() for g in by_w]]


def test_a_hook_of_one_parameter_counts_in_graphs():
    net = Line()
    assert net(X).item() == 7 and ms.jit(net)(X).item() == 7
    net.register_parameter_forward_hook([{"params": [net.weight], "hook": tenfold}])
    assert net(X).item() == 7
    assert ms.jit(net)(X).item() == 61
    assert results(net) == [61, 20, 30, 1]
    assert net.weight.item() == 2


def test_a_hook_of_all_parameters():
    net = Line()
    net.register_parameter_forward_hook(tenfold)
    assert results(net) == [70, 20, 30, 10]
    ms.set_context(mode=ms.GRAPH_MODE)
    value = net(X).item()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert value == 70


def test_which_hook_counts():
    net = Line()
    net.register_parameter_forward_hook([{"params": [net.weight], "hook": tenfold}])
    net.register_parameter_forward_hook(larger)
    assert results(net) == [62, 20, 30, 1]
    net.register_parameter_forward_hook([{"params": [net.weight], "hook": larger}])
    assert results(net) == [11, 3, 3, 1]
    outer = Outer()
    outer.line.register_parameter_forward_hook(tenfold)
    assert results(outer) == [71, 20, 1, 30, 10]
    outer.register_parameter_forward_hook(larger)
    assert results(outer) == [72, 20, 1, 30, 10]


def test_a_parameter_that_is_used_twice_or_assigned():
    class Twice(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor(2.0), name="weight")

        def construct(self, x):
            return x * self.weight * self.weight

    class Counting(Line):
        def construct(self, x):
            out = super().construct(x)
            self.bias.assign_value(Tensor(5.0))
            return out

    net = Twice()
    net.register_parameter_forward_hook(tenfold)
    assert results(net) == [1200, 400, 1200]
    counting = Counting()
    counting.register_parameter_forward_hook(tenfold)
    assert ms.jit(counting)(X).item() == 70
    assert counting.bias.item() == 5 and counting.weight.item() == 2


def test_a_graph_that_runs_in_pynative_mode_has_the_hooks():
    class Reading(Line):
        def construct(self, x):
            if float(np.asarray(x.asnumpy())) < 0:
                raise ValueError("negative")
            return super().construct(x)

    net = Reading()
    net.register_parameter_forward_hook(tenfold)
    with pytest.warns(Warning, match="runs in PyNative mode"):
        assert results(net) == [70, 20, 30, 10]
    with pytest.warns(Warning, match="runs in PyNative mode"), pytest.raises(ValueError, match="negative"):
        ms.jit(net)(Tensor(-1.0))
    assert net.weight.item() == 2 and net(X).item() == 7


def test_another_dtype():
    net = Line()
    net.register_parameter_forward_hook(lambda param: ops.cast(param, ms.float16))
    assert results(net) == [7, 2, 3, 1]


@pytest.mark.parametrize(
    ("hook", "kind", "text"),
    [
        (3, TypeError, "hook must be a function or a list of dicts, got 3"),
        ([3], TypeError, "each item of the list must be a dict, got 3"),
        ([{"params": []}], ValueError, r"each dict must have the keys 'params' and 'hook', got \['params'\]"),
        ([{"params": [], "hook": 3}], TypeError, "hook must be callable, got 3"),
        ([{"params": [3], "hook": tenfold}], TypeError, "params must be Parameters, got 3"),
    ],
)
def test_wrong_hooks(hook, kind, text):
    with pytest.raises(kind, match=text):
        Line().register_parameter_forward_hook(hook)


def test_a_hook_must_return_a_tensor():
    net = Line()
    net.register_parameter_forward_hook(lambda param: None)
    with pytest.raises(TypeError, match="the hook of 'weight' must return a Tensor, got None"):
        ms.jit(net)(X)
