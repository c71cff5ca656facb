"""Linear regression written with Parameters and operators, as tutorials do."""

import mindspore as ms
import numpy as np
from common import random
from mindspore import Parameter, Tensor, nn, ops

x = random.standard_normal((100, 3)).astype(np.float32)
y = x @ np.array([[1.0], [2.0], [3.0]], np.float32) + 0.5


class Linear(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.zeros((3, 1), np.float32)), name="w")
        self.b = Parameter(Tensor(np.zeros(1, np.float32)), name="b")

    def construct(self, x):
        return ops.matmul(x, self.w) + self.b


net = Linear()
optimizer = nn.SGD(net.trainable_params(), 0.1)
gradients = ms.value_and_grad(lambda x, y: ops.square(net(x) - y).mean(), None, optimizer.parameters)
for _ in range(50):
    loss, grads = gradients(Tensor(x), Tensor(y))
    optimizer(grads)
print(f"{float(loss.asnumpy()):.6f} {net.w.asnumpy().ravel().round(3)} {net.b.asnumpy().round(3)}")
