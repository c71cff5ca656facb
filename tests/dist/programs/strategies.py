"""A network with strategies, trained with Adam; writes losses, pieces and how Parameters are cut."""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.communication import get_group_size, get_rank, init

folder, how = Path(sys.argv[1]), sys.argv[2]
context.set_context(mode=context.GRAPH_MODE)
init()
devices = int(sys.argv[3]) if len(sys.argv) > 3 else get_group_size()
settings = {"strategies": {}, "optimizer": {"enable_parallel_optimizer": True}}[how]
context.set_auto_parallel_context(
    parallel_mode="semi_auto_parallel", device_num=devices, full_batch=True,
    parallel_optimizer_config={"parallel_optimizer_threshold": 0}, **settings
)  # fmt: skip


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        draw = np.random.RandomState(0)
        self.first = ops.MatMul().shard(((1, devices), (devices, 1)))
        self.relu = ops.ReLU().shard(((devices, 1),))
        self.second = ops.MatMul().shard(((devices, 1), (1, 1)))
        self.weight = Parameter(Tensor(draw.randn(16, 8).astype(np.float32)), name="weight")
        self.other = Parameter(Tensor(draw.randn(8, 4).astype(np.float32)), name="other")

    def construct(self, x):
        return self.second(self.relu(self.first(x, self.weight)), self.other)


draw = np.random.RandomState(1)
data, labels = Tensor(draw.randn(8, 16).astype(np.float32)), Tensor(draw.randn(8, 4).astype(np.float32))
net = Net()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
given = Tensor(net.other.asnumpy())
net.other.set_data(given)  # it stays the program's
losses = [float(step(data, labels).asnumpy()) for _ in range(4)]
sizes = {
    p.name: [s.data.nbytes for s in p._data.addressable_shards] for p in (*optimizer.parameters, *optimizer.moment1)
}
assert given.shape == (8, 4) and given.asnumpy().any()
output = net(data).asnumpy().tolist()
try:
    ops.MatMul().shard(((2, 4), (2, 1)))
    net.first.shard(((1, 2), (1, 1)))
    net.compile(data)
    error = ""
except RuntimeError as raised:
    error = str(raised)
found = {"losses": losses, "sizes": sizes, "output": output, "error": error, "mode": ms.get_context("mode")}
(folder / f"rank_{get_rank()}.json").write_text(json.dumps(found))
