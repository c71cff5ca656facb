"""One's own loop: `value_and_grad` under `jit`, accumulated gradients, and clipping."""

import numpy as np

import sporax as ms
from sporax import Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="same", has_bias=True)
        self.norm = nn.BatchNorm2d(4)
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.fc = nn.Dense(4 * 4 * 4, 10)
        self.scale = ms.Parameter(Tensor(np.ones(1), ms.float32), name="scale")

    def construct(self, x: Tensor) -> Tensor:
        x = self.pool(ops.relu(self.norm(self.conv(x))))
        x = x.reshape(x.shape[0], -1)
        return self.fc(x) * self.scale


def main() -> None:
    net = Net()
    net.set_train()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)

    def forward(data: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        logits = net(data)
        loss = loss_fn(logits, label)
        return loss, logits

    grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    @ms.jit
    def step(data: Tensor, label: Tensor) -> Tensor:
        (loss, _), grads = grad_fn(data, label)
        grads = ops.clip_by_global_norm(grads, 1.0)
        optimizer(grads)
        return loss

    rng = np.random.default_rng(0)
    data = Tensor(rng.normal(size=(8, 1, 8, 8)).astype(np.float32))
    label = Tensor(rng.integers(0, 10, 8), ms.int32)
    total = 0.0
    for epoch in range(3):
        loss = step(data, label)
        total += loss.item()
        print(f"epoch {epoch}: {float(loss.asnumpy()):.4f} {total / (epoch + 1):.4f}")
    net.set_train(False)
    correct = (net(data).argmax(1) == label).sum()
    print(int(correct))


if __name__ == "__main__":
    main()
