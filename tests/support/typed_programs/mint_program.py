"""A program of `mint`, with the names and arguments of PyTorch."""

import sporax as ms
from sporax import mint, nn
from sporax.mint import optim
from sporax.mint.nn import functional as F


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = mint.nn.Linear(4, 8, bias=True)
        self.norm = mint.nn.LayerNorm(8)
        self.fc2 = mint.nn.Linear(8, 2)
        self.dropout = mint.nn.Dropout(p=0.5)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return self.fc2(self.dropout(F.relu(self.norm(self.fc1(x)))))


def main() -> None:
    net = Net()
    x = mint.randn(3, 4)
    optimizer = optim.AdamW(net.trainable_params(), lr=1e-3)

    def loss_fn(x: ms.Tensor, y: ms.Tensor) -> ms.Tensor:
        return F.cross_entropy(net(x), y)

    step = ms.value_and_grad(loss_fn, None, weights=net.trainable_params())
    loss, grads = step(x, ms.tensor([0, 1, 0]))
    optimizer(grads)
    values, indices = mint.max(x, dim=1)
    print(loss.item(), values.shape, indices + 1, mint.cat([x, x], dim=0).shape, mint.arange(0, 6, 2))
    print(mint.where(x > 0, x, mint.zeros_like(x)).sum(dim=-1, keepdim=True), mint.matmul(x, x.T))
    print(mint.linspace(0, 1, 5).mean(), mint.softmax(x, dim=-1)[0], mint.split(x, 2, dim=1)[0].shape)
    print(mint.nn.CrossEntropyLoss()(x, ms.tensor([0, 1, 3])), mint.sort(x)[0], mint.einsum("ij,kj->ik", x, x))
    with ms.no_grad():
        print(net(x).argmax(dim=-1).tolist())


if __name__ == "__main__":
    main()
