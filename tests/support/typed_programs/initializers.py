"""Initial values: of layers, of Parameters, and an initializer of one's own."""

import numpy as np

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax.common.initializer import HeNormal, Initializer, Normal, One, TruncatedNormal, Uniform, initializer


class Ramp(Initializer):
    """Values from 0 to `top`."""

    def __init__(self, top: float = 1.0) -> None:
        super().__init__(top=top)
        self.top = top

    def _initialize(self, arr: np.ndarray) -> None:
        arr[:] = np.linspace(0, self.top, arr.size).reshape(arr.shape)


class Net(nn.Cell):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, size, 3, weight_init=HeNormal(mode="fan_out", nonlinearity="relu"), has_bias=True)
        self.fc = nn.Dense(size, 2, weight_init=Ramp(2.0), bias_init="zeros")
        self.gain = Parameter(initializer(One(), (size,), ms.float32))
        self.shift = Parameter(Tensor(shape=(size,), dtype=ms.float32, init=TruncatedNormal(0.02)), requires_grad=False)

    def construct(self, x: Tensor) -> Tensor:
        x = self.conv(x).mean((2, 3))
        return self.fc(x * self.gain + self.shift)


def main() -> None:
    ms.set_seed(0)
    net = Net(4)
    net.init_parameters_data()
    for cell in net.cells():
        print(cell.cls_name)
    net.fc.weight.set_data(initializer(Uniform(0.1), net.fc.weight.shape, net.fc.weight.dtype))
    net.conv.weight = Parameter(initializer(Normal(sigma=0.01, mean=0.0), net.conv.weight.shape), name="conv.weight")
    print(net.gain.name, net.shift.requires_grad, net.conv.weight.asnumpy().std(), net(ms.ops.ones((1, 3, 8, 8))))


if __name__ == "__main__":
    main()
