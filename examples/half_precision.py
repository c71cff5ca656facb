"""The same network in float32, bfloat16 and float16: losses, time, and the scale of the loss.

    python half_precision.py [--steps 200] [--width 128]

On a GPU or TPU, half precision is faster. On most CPUs it is not; the losses are close everywhere.
"""

import argparse
import time

import numpy as np

import sporax as ms
from sporax import nn


def trained(dtype: object, x: ms.Tensor, y: ms.Tensor, steps: int, width: int) -> tuple[float, float, float]:
    """Train a new network in a dtype; return its last loss, the seconds of all steps but the first, and the scale at the end."""
    ms.set_seed(1)
    network = nn.SequentialCell(nn.Dense(2, width), nn.Tanh(), nn.Dense(width, width), nn.Tanh(), nn.Dense(width, 1))
    if dtype != ms.float32:
        network = ms.amp.auto_mixed_precision(network, "O2", dtype)
    optimizer = nn.Adam(network.trainable_params(), learning_rate=0.003)
    loss_fn = nn.MSELoss()
    scaler = ms.amp.DynamicLossScaler(scale_value=2**10 if dtype == ms.float16 else 1, scale_factor=2, scale_window=100)

    def forward(x, y):
        loss = loss_fn(network(x), y)
        return scaler.scale(loss), loss

    grad = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    @ms.jit
    def step(x, y):
        (_, loss), grads = grad(x, y)
        grads = scaler.unscale(grads)
        finite = ms.amp.all_finite(grads)
        if finite:
            optimizer(grads)
        if dtype == ms.float16:
            scaler.adjust(finite)
        return loss

    step(x, y).item()  # compiles
    start = time.perf_counter()
    for _ in range(steps):
        loss = step(x, y)
    return loss.item(), time.perf_counter() - start, scaler.scale_value.item()


def main() -> None:
    """Train once in each dtype, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200, help="steps of training")
    parser.add_argument("--width", type=int, default=128, help="the width of the hidden layers")
    args = parser.parse_args()
    x = np.random.default_rng(0).uniform(-1, 1, (512, 2)).astype(np.float32)
    y = x[:, :1] * x[:, 1:]
    print(f"device: {ms.get_context('device_target')}\n\n{'dtype':>10} {'loss':>9} {'seconds':>9} {'scale':>7}")
    for dtype in (ms.float32, ms.bfloat16, ms.float16):
        loss, seconds, scale = trained(dtype, ms.Tensor(x), ms.Tensor(y), args.steps, args.width)
        print(f"{dtype!s:>10} {loss:9.5f} {seconds:9.2f} {scale:7.0f}")


if __name__ == "__main__":
    main()
