"""Loops on traced conditions."""

import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.usefixtures("no_fallback")


def test_loop_of_traced_length_over_parameters(mode) -> None:
    """Weights that a loop reads have gradients, and what it writes is written once."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(2.0), name="w")
            self.steps = Parameter(Tensor(0), name="steps", requires_grad=False)

        def construct(self, x):
            while x < 20:
                x = x * self.w
                self.steps += 1
            return x

    net = Net()
    out, (of_x, of_w) = ms.value_and_grad(net, 0, net.w)(Tensor(3.0))
    assert [float(v) for v in (out, of_x, of_w)] == [24.0, 8.0, 3 * 3 * 2.0**2]
    assert int(net.steps) == 3


def divides(x):
    n, count = int(x), 0
    while 6 // n > 0:
        n, count = n - 1, count + 1
    return count


def reads_what_is_gone(x):
    count, once = 0, x
    while count < x and once < 9:
        count += 1
        if count > 1:
            del once
    return count


@pytest.mark.parametrize(
    ("program", "raises", "error", "ends"),
    [(divides, 4, ZeroDivisionError, 7), (reads_what_is_gone, 4, UnboundLocalError, 0)],
)
def test_a_condition_raises_after_some_iterations(program, raises, error, ends) -> None:
    graph = ms.jit(program, fullgraph=True)
    for run in (program, graph):
        with pytest.raises(error):
            run(Tensor(raises))
        assert run(Tensor(ends)) == 0


def test_a_condition_writes_and_prints(mode, capsys) -> None:
    """Once for each time that Python would evaluate it."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.sum = Parameter(Tensor(0.0), name="sum", requires_grad=False)

        def more(self, x):
            ops.assign_add(self.sum, x)
            print("the sum is", self.sum)
            return self.sum < 5

        def construct(self, x):
            count = 0
            while self.more(x):
                count += 1
            return x * count

    net = Net()
    assert float(net(Tensor(2.0))) == 4.0 and float(net.sum) == 6.0
    assert capsys.readouterr().out.count("the sum is") == 3
    net.sum.set_data(Tensor(0.0))
    assert float(ms.grad(net)(Tensor(1.5))) == 3.0 and float(net.sum) == 6.0
