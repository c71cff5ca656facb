"""A step of a graph that runs a Cell and then takes its gradient: what the Cell writes and draws happens once."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops

X = Tensor([[1.0, 2.0], [3.0, 5.0]])


class Net(nn.Cell):
    """Counts its forwards, moves statistics and drops out."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")
        self.count = Parameter(Tensor(0.0), name="count", requires_grad=False)
        self.norm = nn.BatchNorm1d(2)
        self.dropout = nn.Dropout(p=0.5)

    def construct(self, x):
        ops.assign_add(self.count, Tensor(1.0))
        self.norm(x * self.w)
        return (self.dropout(x * self.w) ** 2).sum()


class Step(nn.Cell):
    """The loss and the gradients by `self.w`."""

    def __init__(self, net, gradients):
        super().__init__(auto_prefix=False)
        self.net, self.gradients, self.weights = net, gradients, ms.ParameterTuple(net.trainable_params()[:1])
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.value_and_grad = ms.value_and_grad(net, None, self.weights)

    def construct(self, x):
        return self.net(x), self.gradients(self, x)


ONCE = {
    "GradOperation": lambda step, x: step.grad(step.net, step.weights)(x, Tensor(1.0)),
    "value_and_grad": lambda step, x: step.value_and_grad(x)[1],
    "grad": lambda step, x: ms.grad(step.net, None, step.weights)(x),
}
TWICE = {
    "another input": lambda step, x: step.grad(step.net, step.weights)(x + 1, Tensor(1.0)),
    "not the gradient": lambda step, x: step.net(x),
}


def _after(gradients):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    loss, found = Step(net, gradients).set_train()(X)
    return net, loss, found


@pytest.mark.parametrize("kind", ONCE)
def test_the_forward_that_the_gradient_runs_again_counts_once(kind) -> None:
    """The loss is of the elements that the gradient is of, as in MindSpore 2.7.0: w·∂/∂w of a square is twice it."""
    net, loss, found = _after(ONCE[kind])
    assert float(net.count) == 1.0
    np.testing.assert_allclose(net.norm.moving_mean.asnumpy(), [0.2, 0.7], rtol=1e-5)
    np.testing.assert_allclose((found[0].asnumpy() * [1.0, 2.0]).sum(), 2 * float(loss), rtol=1e-5)


@pytest.mark.parametrize("kind", TWICE)
def test_other_forwards_count(kind) -> None:
    assert float(_after(TWICE[kind])[0].count) == 2.0


def test_a_write_between_counts() -> None:
    def gradients(step, x):
        ops.assign_add(step.net.count, Tensor(10.0))
        return step.grad(step.net, step.weights)(x, Tensor(1.0))

    assert float(_after(gradients)[0].count) == 12.0


def _moved(step, x):
    first = step.grad(step.net, step.weights)(x, Tensor(1.0))
    ops.assign_add(step.net.w, first[0] * 0.1)
    return first, step.grad(step.net, step.weights)(x, Tensor(1.0))


SEVERAL = {  # as many runs as MindSpore 2.7.0 counts
    "two gradients": (lambda step, x: [step.grad(step.net, step.weights)(x, Tensor(1.0)) for _ in range(2)], 3.0),
    "a move between two gradients": (_moved, 3.0),
    "a forward after the gradient": (
        lambda step, x: (step.grad(step.net, step.weights)(x, Tensor(1.0)), step.net(x)),
        3.0,
    ),
    "two forwards before it": (lambda step, x: (step.net(x), step.grad(step.net, step.weights)(x, Tensor(1.0))), 3.0),
}


@pytest.mark.parametrize("kind", SEVERAL)
def test_each_run_counts_if_there_are_others(kind) -> None:
    gradients, runs = SEVERAL[kind]
    assert float(_after(gradients)[0].count) == runs
