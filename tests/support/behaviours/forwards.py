"""When a gradient goes back over a forward that a Cell marked by `set_grad` has run (PyNative), and when it runs it again."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def _tensor(values: Any) -> Tensor:
    return Tensor(np.array(values, np.float32))


class Counting(nn.Cell):
    """w·x²·y that counts its forwards."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(2.0, ms.float32), name="w")
        self.count = Parameter(Tensor(0.0, ms.float32), name="count", requires_grad=False)

    def construct(self, x: Tensor, y: Any = 1.0) -> Tensor:
        ops.assign_add(self.count, Tensor(1.0, ms.float32))
        return self.w * x * x * y


def _marked() -> tuple[Counting, Tensor]:
    net = Counting()
    net.set_grad()
    return net, _tensor([1.0, 2.0])


def _count(net: Counting) -> int:
    return int(net.count.asnumpy())


def statistics_of_batch_norm() -> Any:
    """The statistics of BatchNorm move once for `net(x); grad(net)(x)`."""
    net = nn.BatchNorm1d(2)
    net.set_train()
    net.set_grad()
    x = _tensor([[1.0, 2.0], [3.0, 5.0]])
    net(x)
    ms.grad(net)(x)
    return net.moving_mean, net.moving_variance


class Sampler(nn.Cell):
    """A draw whose own backward tells what was drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.draw = 0

    def construct(self, x: Tensor) -> Tensor:
        self.draw += 1
        return x * self.draw

    def bprop(self, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor]:
        return (dout * out,)


def gradient_of_a_sampler() -> Any:
    """The gradient of a Cell with `bprop` is that of the draw which the call has shown."""
    if ms.get_context("mode") == ms.GRAPH_MODE:
        return None
    net = Sampler()
    net.set_grad()
    x = _tensor([1.0, 2.0])
    return net(x), ms.grad(net)(x)


def by_grad() -> Any:
    """`grad` goes back once; the next one runs the forward again."""
    net, x = _marked()
    net(x)
    first = ms.grad(net)(x)
    count = _count(net)
    return first, count, ms.grad(net)(x), _count(net)


def without_the_mark() -> Any:
    """Without `set_grad` the forward runs again."""
    net, x = Counting(), _tensor([1.0, 2.0])
    net(x)
    return ms.grad(net)(x), _count(net)


def by_grad_operation() -> Any:
    """`GradOperation` goes back over it, by inputs, by weights and with a sensitivity."""
    found = []
    for options in ({}, {"get_all": True, "get_by_list": True}, {"get_by_list": True}):
        net, x = _marked()
        net(x)
        weights = [net.trainable_params()] if options.get("get_by_list") else []
        found.append((ops.GradOperation(**options)(net, *weights)(x), _count(net)))
    net, x = _marked()
    out = net(x)
    found.append((ops.GradOperation(sens_param=True)(net)(x, ops.ones_like(out) * 3), _count(net)))
    return found


def by_weights() -> Any:
    """`grad` by weights goes back over it."""
    net, x = _marked()
    net(x)
    return ms.grad(net, None, net.trainable_params())(x), _count(net)


def by_value_and_grad() -> Any:
    """`value_and_grad` runs the forward for its value."""
    net, x = _marked()
    net(x)
    return ms.value_and_grad(net)(x), _count(net)


def of_a_function_over_it() -> Any:
    """The gradient of a function that calls the Cell runs the forward."""
    net, x = _marked()
    net(x)

    def more(x: Tensor) -> Tensor:
        return net(x) + 1

    return ms.grad(more)(x), _count(net)


def by_other_arguments() -> Any:
    """Another Tensor of the same values, another shape or another number runs the forward."""
    found = []
    for other in ([1.0, 2.0], [1.0, 2.0, 3.0]):
        net, x = _marked()
        net(x)
        found.append((ms.grad(net)(_tensor(other)), _count(net)))
    net, x = _marked()
    net(x, 3.0)
    found.append((ms.grad(net)(x, 3.0), _count(net), ms.grad(net)(x, 4.0), _count(net)))
    return found


def of_several_calls() -> Any:
    """Each of several calls by other arguments keeps its forward; calls and gradients may alternate."""
    net, x = _marked()
    z = _tensor([3.0, 4.0])
    net(x)
    net(z)
    found = [ms.grad(net)(x), ms.grad(net)(z), _count(net)]
    net, x = _marked()
    for _ in range(2):
        net(x)
        ms.grad(net)(x)
    return found, _count(net)


def of_the_network_in_a_loss_cell() -> Any:
    """A WithLossCell that is marked goes back over its forward; a child whose parent ran does not."""
    net, x = _marked()
    whole = nn.WithLossCell(net, nn.MSELoss())
    whole.set_grad()
    whole(x, x)
    found = ms.grad(whole, None, net.trainable_params())(x, x), _count(net)
    whole(x, x)
    return found, ms.grad(net)(x), _count(net)


def between_settings() -> Any:
    """`set_grad(False)` and `set_train` in between change nothing."""
    net, x = _marked()
    net(x)
    net.set_grad(False)
    net.set_train()
    return ms.grad(net)(x), _count(net)


def with_an_auxiliary_output() -> Any:
    """`has_aux` runs the forward for its outputs."""

    class Two(Counting):
        def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
            ops.assign_add(self.count, Tensor(1.0, ms.float32))
            return x * x, x + 1

    net = Two()
    net.set_grad()
    x = _tensor([1.0, 2.0])
    net(x)
    return ms.grad(net, has_aux=True)(x), _count(net)


def of_second_order() -> Any:
    """A second derivative runs the forward."""
    net, x = _marked()
    net(x)
    return ms.grad(ms.grad(net))(x), _count(net)


def through_hooks() -> Any:
    """Hooks of the Cell and of the argument take part."""
    net, x = _marked()

    def tenfold(gradient: Tensor) -> Tensor:
        return gradient * 10

    def double(cell: nn.Cell, inputs: Any, output: Tensor) -> Tensor:
        return output * 2

    x.register_hook(tenfold)
    net.register_forward_hook(double)
    net(x)
    return ms.grad(net)(x), _count(net)
