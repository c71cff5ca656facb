"""Trains a step of networks on 8 devices and writes what it really took; `sporax plan` ends it before the first.

planned.py FILE NETWORK:STRATEGIES ...
"""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.communication import get_group_size, init

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "parallel"))
import gpt

gpt.VOCABULARY = 512


class MLP(nn.Cell):
    def __init__(self, dp: int, mp: int):
        super().__init__()
        draw = np.random.RandomState(0)
        self.first = Parameter(Tensor(draw.randn(64, 256).astype(np.float32)), name="first")
        self.second = Parameter(Tensor(draw.randn(256, 32).astype(np.float32)), name="second")
        self.matmul = ops.MatMul().shard(((dp, 1), (1, mp)))
        self.tanh = ops.Tanh().shard(((dp, mp),))
        self.back = ops.MatMul().shard(((dp, mp), (mp, 1)))
        self.square = ops.Square().shard(((dp, 1),))

    def construct(self, x, y):
        return self.square(self.back(self.tanh(self.matmul(x, self.first)), self.second) - y).mean()


def held(params) -> int:
    return sum(next(iter(p._data.addressable_shards)).data.nbytes for p in params)


def trained(network: str, how: str) -> dict:
    devices = get_group_size() if get_group_size() > 1 else 8
    mp = 2 if how == "tensor" else 1
    context.reset_auto_parallel_context()
    context.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", device_num=devices, full_batch=True,
        enable_parallel_optimizer=how == "optimizer", parallel_optimizer_config={"parallel_optimizer_threshold": 0},
    )  # fmt: skip
    draw = np.random.RandomState(1)
    if network == "mlp":
        net, args = (
            MLP(devices // mp, mp),
            [draw.randn(32, 64).astype(np.float32), draw.randn(32, 32).astype(np.float32)],
        )
    else:
        net = gpt.GPT(*gpt.SIZES["tiny"], devices // mp, mp)
        args = [draw.randint(0, 512, (8, 32)).astype(np.int32) for _ in range(2)]
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    step = nn.TrainOneStepCell(net, optimizer)
    tensors = [Tensor(a) for a in args]
    step(*tensors)
    graph = ms.jit(step).graph(*tensors)
    moments = [*optimizer.moment1, *optimizer.moment2]
    weights = [p for p in step.get_parameters() if not any(p is m for m in moments)]
    return {"cost": graph.cost._asdict(), "hlo": graph.hlo, "weights": held(weights), "moments": held(moments)}


context.set_context(mode=context.GRAPH_MODE)
init()
Path(sys.argv[1]).write_text(json.dumps({case: trained(*case.split(":")) for case in sys.argv[2:]}))
