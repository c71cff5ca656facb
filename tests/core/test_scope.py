"""Parameters and graphs: those made within a trace, and those that change between the calls of a compiled function."""

import copy

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax._src.base.errors import CompileFallback
from sporax._src.transform import capture

X = Tensor(np.ones((1, 2), np.float32))


def weight(*numbers: float) -> Parameter:
    """Return a Parameter."""
    return Parameter(Tensor(list(numbers)), name="w")


class Scaled(nn.Cell):
    """x·w·v."""

    def __init__(self) -> None:
        super().__init__()
        self.w = weight(2.0, 3.0)
        self.v = Parameter(Tensor([1.0, 1.0]), name="v")

    def construct(self, x):
        return x * self.w * self.v


# --- made within a trace --------------------------------------------------------------------------------------------------


def test_a_layer_made_in_a_graph() -> None:
    """It is the graph's own, compiled once; the gradient passes through it."""

    @ms.jit(fullgraph=True)
    def through(x):
        return nn.Dense(2, 1, weight_init="ones", has_bias=False)(x)

    before = capture.compilations
    for _ in range(2):
        np.testing.assert_array_equal(through(X).asnumpy(), [[2.0]])
        np.testing.assert_array_equal(ms.grad(through)(X).asnumpy(), [[1.0, 1.0]])
    assert capture.compilations == before + 1


def test_a_parameter_made_in_a_graph_starts_anew() -> None:
    """What is assigned to it in one call is not there in the next."""

    @ms.jit(fullgraph=True)
    def assigned(x):
        p = weight(1.0, 2.0)
        p.set_data(p * x[0])
        ops.assign_add(p, Tensor([1.0, 1.0]))
        return p

    for _ in range(2):
        np.testing.assert_array_equal(assigned(X * 3).asnumpy(), [4.0, 7.0])


def test_parameters_made_in_branches_and_loops() -> None:
    """A branch reads and writes what was made before it, and may make its own."""

    @ms.jit(fullgraph=True)
    def branches(x):
        p = weight(1.0, 2.0)
        if x.sum() > 3:
            ops.assign(p, p + 1)
            return nn.Dense(2, 2, weight_init="ones", has_bias=False)(x) * p
        return x * p

    np.testing.assert_array_equal(branches(X).asnumpy(), [[1.0, 2.0]])
    np.testing.assert_array_equal(branches(X * 2).asnumpy(), [[8.0, 12.0]])

    @ms.jit(fullgraph=True)
    def loop(x):
        while x.sum() < 20:
            p = Parameter(x, name="p")
            p += 1
            x = p * 2
        return x

    np.testing.assert_array_equal(loop(X).asnumpy(), [[10.0, 10.0]])


def test_training_a_net_made_in_a_graph() -> None:
    """Net, optimizer and gradient may all be made within one graph."""

    @ms.jit(fullgraph=True)
    def step(x):
        net = copy.deepcopy(nn.Dense(2, 1, weight_init="ones", has_bias=False))
        optimizer = nn.SGD(net.trainable_params(), 0.5)
        loss, gradients = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(x)
        optimizer(gradients)
        return loss, net(x)

    for _ in range(2):
        loss, after = step(X)
        assert (loss.item(), after.item()) == (2.0, 1.0)


def test_parameters_that_outlive_the_call_fall_back() -> None:
    """A layer that the first call makes and keeps is made in PyNative mode, with values of its own."""

    class Lazy(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.layer = None

        def construct(self, x):
            if self.layer is None:
                self.layer = nn.Dense(2, 2)
            return self.layer(x)

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Lazy()
    with pytest.warns(CompileFallback, match="attribute 'layer' of a Lazy is assigned"):
        first = net(X).asnumpy()
    np.testing.assert_array_equal(net(X).asnumpy(), first)
    assert net.layer.weight.asnumpy().shape == (2, 2)


def test_a_parameter_from_one_of_two_branches_falls_back() -> None:
    """A Parameter is no value that a branch can return: the function runs in PyNative mode."""

    @ms.jit
    def chosen(x):
        p = weight(3.0, 2.0) if x.sum() > 3 else weight(4.0, 2.0)
        return x * p

    with pytest.warns(CompileFallback):
        np.testing.assert_array_equal(chosen(X).asnumpy(), [[4.0, 2.0]])
    np.testing.assert_array_equal(chosen(X * 3).asnumpy(), [[9.0, 6.0]])


def test_a_generator_made_in_a_graph_falls_back() -> None:
    """A Generator that each call makes anew and seeds unpredictably is left to PyNative mode."""

    @ms.jit
    def draw(x):
        return x + ms.mint.rand((2,), generator=ms.Generator())

    with pytest.warns(CompileFallback, match="each call creates a new Parameter or Generator"):
        first = draw(X).asnumpy()
    assert not np.array_equal(draw(X).asnumpy(), first)


# --- changed between calls ------------------------------------------------------------------------------------------------


def test_requires_grad_changes(mode) -> None:
    """A frozen Parameter has a gradient of zeros, and `trainable_params` within a function follows."""
    net = Scaled()
    found = ms.grad(net, None, net.trainable_params())
    inside = ms.jit(lambda x: ms.grad(net, None, net.trainable_params())(x))
    for frozen in (False, True, False):
        net.w.requires_grad = not frozen
        np.testing.assert_array_equal(found(X)[0].asnumpy(), [0.0, 0.0] if frozen else [1.0, 1.0])
        np.testing.assert_array_equal(found(X)[1].asnumpy(), [2.0, 3.0])
        assert len(inside(X)) == (1 if frozen else 2)
    with pytest.raises(TypeError, match="requires_grad must be a bool"):
        net.w.requires_grad = 1


def test_a_frozen_parameter_is_not_updated(mode) -> None:
    """The compiled training step notices."""
    net = Scaled()
    optimizer = nn.SGD(net.trainable_params(), 0.5)
    both = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())

    def step(x):
        loss, gradients = both(x)
        optimizer(gradients)
        return loss

    step = ms.jit(step) if mode == ms.GRAPH_MODE else step
    step(X)
    np.testing.assert_array_equal(net.w.asnumpy(), [1.5, 2.5])
    net.w.requires_grad = False
    step(X)
    np.testing.assert_array_equal(net.w.asnumpy(), [1.5, 2.5])


class Given(nn.Cell):
    """Returns Parameters in several ways."""

    def __init__(self) -> None:
        super().__init__()
        self.w = weight(1.0, 2.0)
        self.how = "alone"

    def construct(self, x):
        if self.how == "written":
            ops.assign_add(self.w, x)
        return (self.w, x) if self.how == "in a tuple" else self.w


def test_a_parameter_that_is_returned() -> None:
    """In a graph it is the Parameter itself if it is the whole result and not written, and else its value."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net, x = Given(), Tensor([3.0, 4.0])
    for _ in range(2):
        assert net(x) is net.w
    net.w.name = "renamed"
    assert net(x).name == "renamed"
    assert ms.jit(lambda: net.w)() is net.w
    net.w = weight(5.0, 6.0)
    assert net(x) is net.w
    net.how = "in a tuple"
    assert not isinstance(net(x)[0], Parameter)
    net.how = "written"
    got = net(x)
    assert not isinstance(got, Parameter)
    np.testing.assert_array_equal(got.asnumpy(), [8.0, 10.0])
    np.testing.assert_array_equal(net.w.asnumpy(), [8.0, 10.0])


def test_the_gradient_by_a_parameter_that_is_returned() -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)
    w = weight(1.0, 2.0)
    given = ms.jit(lambda: w)
    gradient = ms.grad(lambda x: (given() * x).sum(), None, [w])(Tensor([3.0, 4.0]))
    np.testing.assert_array_equal(gradient[0].asnumpy(), [3.0, 4.0])


def test_a_parameter_is_replaced(mode) -> None:
    """By assignment to the attribute: for the Cell itself, and for a function that only reads the attribute."""
    net = Scaled()
    outside = ms.jit(lambda x: net.w * x)
    for numbers in ((2.0, 3.0), (20.0, 30.0), (5.0, 5.0)):
        net.w = weight(*numbers)
        np.testing.assert_array_equal(net(X).asnumpy(), [numbers])
        np.testing.assert_array_equal(outside(X).asnumpy(), [numbers])


def test_a_parameter_in_a_list_is_replaced() -> None:
    """A new Parameter in the list is noticed."""
    held = [weight(7.0, 7.0)]
    scaled = ms.jit(lambda x: held[0] * x)
    np.testing.assert_array_equal(scaled(X).asnumpy(), [[7.0, 7.0]])
    held[0] = weight(9.0, 9.0)
    np.testing.assert_array_equal(scaled(X).asnumpy(), [[9.0, 9.0]])


def test_a_parameter_is_inserted(mode) -> None:
    """`insert_param_to_cell` after the graph is compiled."""

    class Sum(nn.Cell):
        def construct(self, x):
            for p in self.get_parameters():
                x = x + p
            return x

    net = Sum()
    np.testing.assert_array_equal(net(X).asnumpy(), [[1.0, 1.0]])
    net.insert_param_to_cell("w", weight(10.0, 20.0))
    np.testing.assert_array_equal(net(X).asnumpy(), [[11.0, 21.0]])


def test_training_and_inference_share_state(mode) -> None:
    """What the training graph writes, the inference graph reads."""
    net = nn.BatchNorm1d(2, momentum=0.5)
    x = Tensor([[0.0, 2.0], [4.0, 2.0]])
    for mean in (1.0, 1.5):
        net.set_train(True)
        net(x)
        net.set_train(False)
        expected = (x.asnumpy() - [mean, mean]) / np.sqrt(net.moving_variance.asnumpy() + 1e-5)
        np.testing.assert_array_equal(net.moving_mean.asnumpy(), [mean, mean])
        np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("assign", [ops.assign, lambda p, v: p.set_data(v)])
def test_the_learning_rate_changes(assign, mode) -> None:
    """A learning rate that was assigned counts from the next step on, in the same graph."""
    net = Scaled()
    optimizer = nn.SGD([net.w], 0.5)

    def step(x):
        optimizer(ms.grad(net, None, [net.w])(x))

    step = ms.jit(step) if mode == ms.GRAPH_MODE else step
    step(X)
    np.testing.assert_array_equal(net.w.asnumpy(), [1.5, 2.5])
    before = capture.compilations
    assign(optimizer.learning_rate, Tensor(2.0))
    step(X)
    np.testing.assert_array_equal(net.w.asnumpy(), [-0.5, 0.5])
    assert capture.compilations == before


def test_an_argument_with_the_name_of_another_parameter():
    """Two Parameters of a graph must not have one name when one of them is an argument; the same one twice may."""
    first, second = (Parameter(Tensor(2.0), name="same") for _ in range(2))
    product = ms.jit(lambda a, b: a * b, fullgraph=True)
    with pytest.raises(ValueError, match="two Parameters of the graph are called 'same'"):
        product(first, second)
    with pytest.raises(ValueError, match="two Parameters of the graph are called 'same'"):
        ms.jit(lambda a: a * second, fullgraph=True)(first)
    assert float(product(first, first)) == 4.0
    assert float(product(Parameter(Tensor(2.0)), Parameter(Tensor(3.0)))) == 6.0
