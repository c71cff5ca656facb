"""Mixed precision: levels, loss scales in one's own loop, and under `Model`."""

import numpy as np

import sporax as ms
from sporax import Tensor, amp, nn, ops
from sporax.dataset import NumpySlicesDataset
from sporax.train import Model


def main() -> None:
    net = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2))
    net = amp.auto_mixed_precision(net, amp_level="O2", dtype=ms.float16)
    loss_fn = nn.MSELoss()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    scaler = amp.DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=50)

    def forward(x: Tensor, y: Tensor) -> Tensor:
        return scaler.scale(loss_fn(net(x).astype(ms.float32), y))

    grad_fn = ms.value_and_grad(forward, grad_position=None, weights=optimizer.parameters)

    @ms.jit(jit_level="O1")
    def step(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        scaled, grads = grad_fn(x, y)
        grads = scaler.unscale(grads)
        finite = amp.all_finite(grads)
        if finite:
            optimizer(grads)
        scaler.adjust(finite)
        return scaler.unscale(scaled), finite

    x, y = Tensor(np.ones((4, 4)), ms.float32), ops.zeros((4, 2), ms.float32)
    loss, finite = step(x, y)
    print(loss.item(), bool(finite), scaler.scale_value.asnumpy())

    data = NumpySlicesDataset((np.ones((8, 4), np.float32), np.zeros((8, 2), np.float32)), ["x", "y"]).batch(4)
    plain = nn.Dense(4, 2).to_float(ms.float16)
    manager = amp.FixedLossScaleManager(1024.0, drop_overflow_update=False)
    sgd = nn.SGD(plain.trainable_params(), 0.1, loss_scale=1024.0)
    Model(plain, loss_fn, sgd, amp_level="O0", loss_scale_manager=manager).train(1, data)
    whole = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(plain, loss_fn), sgd, scale_sense=Tensor(1024.0))
    out = whole(x, y)
    print(out[0], out[1], out[2])


if __name__ == "__main__":
    main()
