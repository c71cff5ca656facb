"""A network trained with Adam and sums of gradients whose state is shared out in some way; writes losses and bytes per device.

sharing.py FOLDER DEVICES SETTINGS      # settings of parallel training as JSON; "hsdp" in it: arguments of AutoParallel.hsdp
"""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.communication import get_rank, init
from mindspore.parallel.auto_parallel import AutoParallel

folder, devices, settings = Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
context.set_context(mode=context.GRAPH_MODE)
init()
hsdp = settings.pop("hsdp", None)
if settings:
    context.set_auto_parallel_context(device_num=devices, full_batch=True, **settings)
draw = np.random.RandomState(0)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(64, 128, Tensor(draw.randn(128, 64).astype(np.float32) / 8), "zeros", activation="relu")
        self.second = nn.Dense(128, 64, Tensor(draw.randn(64, 128).astype(np.float32) / 8), "zeros")
        self.left = Parameter(Tensor(draw.randn(64, 64).astype(np.float32) / 8), name="left", parallel_optimizer=False)
        self.odd = Parameter(Tensor(draw.randn(1, 64).astype(np.float32)), name="odd")

    def construct(self, x):
        return ops.matmul(self.second(self.first(x)), self.left) + self.odd


class Step(nn.Cell):
    """A step on the mean of the gradients of two calls, kept between them."""

    def __init__(self, net, optimizer):
        super().__init__(auto_prefix=False)
        self.net, self.optimizer = net, optimizer
        self.weights = optimizer.parameters
        self.sums = self.weights.clone(prefix="accu_grads", init="zeros")
        self.gradients = ms.value_and_grad(self.net, None, self.weights)
        self.updates = True

    def construct(self, x, y):
        loss, grads = self.gradients(x, y)
        for total, grad in zip(self.sums, grads, strict=True):
            ops.assign_add(total, grad)
        if self.updates:
            self.optimizer([total / 2 for total in self.sums])
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return loss


net = Net()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
step = Step(nn.WithLossCell(net, nn.MSELoss()), optimizer)
if hsdp is not None:
    step = AutoParallel(step, "semi_auto")
    step._options["device_num"] = devices
    step.dataset_strategy("full_batch")
    step.hsdp(**hsdp)
inner = getattr(step, "network", step)
losses = []
for i in range(6):
    data = np.random.RandomState(i)
    inner.updates = i % 2 == 1
    x, y = Tensor(data.randn(8, 64).astype(np.float32)), Tensor(data.randn(8, 64).astype(np.float32))
    losses.append(float(step(x, y).asnumpy()))


def on_one_device(params):
    """Return the bytes of Parameters, those left whole apart, on each device of this process: the most that one has."""
    bytes_on = {}
    for shard in (s for p in params for s in p._data.addressable_shards):
        bytes_on[shard.device] = bytes_on.get(shard.device, 0) + shard.data.nbytes
    return max(bytes_on.values())


def shared(params):
    return [p for p in params if not p.name.endswith(("left", "odd"))]


kinds = {
    "weights": optimizer.parameters, "moments": (*optimizer.moment1, *optimizer.moment2), "sums": inner.sums,
}  # fmt: skip
found = {
    "losses": losses,
    "bytes": {kind: on_one_device(shared(params)) for kind, params in kinds.items()},
    "left": on_one_device([net.left]),
    "weights": [p.asnumpy().reshape(-1)[:8].tolist() for p in optimizer.parameters],
}
(folder / f"rank_{get_rank()}.json").write_text(json.dumps(found))
