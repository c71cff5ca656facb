"""A network that is cut over processes, with drawn weights and a step that leaves them as they are; writes its pieces."""

import contextlib
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import HeNormal, Initializer, initializer
from mindspore.communication import get_group_size, get_rank, init
from mindspore.nn.utils import no_init_parameters

folder, how = Path(sys.argv[1]), sys.argv[2]
ms.set_context(mode=ms.GRAPH_MODE)
init()
rank, size = get_rank(), get_group_size()
ms.set_seed(3 + rank)
ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=size, full_batch=True)


class Numbers(Initializer):
    """An initializer of the program: what it draws is not known to be the same in all processes."""

    def _initialize(self, arr):
        arr[...] = np.random.randint(0, 9, arr.shape)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = ops.MatMul().shard(((1, 1), (1, size)))
        self.third = ops.MatMul().shard(((1, 1), (1, size)))
        self.second = ops.MatMul().shard(((1, size), (size, 1)))
        self.last = nn.Dense(4, 3, weight_init="xavier_uniform", bias_init=2.0)  # whole in each process
        self.row = Parameter(initializer(HeNormal(), (8, 2**14)), name="row")
        self.column = Parameter(initializer("normal", (2**14, 4)), name="column")
        self.half = Parameter(initializer("normal", (4,), ms.bfloat16), name="half")
        self.own = Parameter(initializer(Numbers(), (4,)), name="own")
        self.copy = self.row.clone()
        self.copy.name = "copy"

    def construct(self, x):
        mixed = self.second(self.first(x, self.row) + self.third(x, self.copy), self.column)
        return self.last(mixed + ops.cast(self.half, ms.float32)) * self.own.sum()


with no_init_parameters() if how == "lazily" else contextlib.nullcontext():
    net = Net()
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.0))
after = np.random.rand()
if how == "uneven" and rank == size - 1:
    net.row.asnumpy()  # this process alone has drawn it
waits = {p.name: p.has_init for p in net.get_parameters()}
loss = step(Tensor(np.ones((2, 8), np.float32))).sum().item()
weights = {p.name: p.asnumpy().astype(np.float32) for p in net.get_parameters()}
np.savez(folder / f"rank_{rank}.npz", loss=loss, after=after, waits=str(waits), **weights)
