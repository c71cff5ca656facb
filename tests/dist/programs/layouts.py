"""A network compiled for eight devices, which need not be there: `layouts.py FOLDER` writes how it is cut, and what it computes."""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn, ops

folder = sys.argv[1]


class Net(nn.Cell):
    """Two products of which the first weight is cast, and the second is small."""

    def __init__(self):
        super().__init__()
        self.first, self.second = ops.MatMul().shard(((2, 1), (1, 2))), ops.MatMul().shard(((1, 4), (4, 1)))
        self.wide = ms.Parameter(ms.Tensor(np.full((16, 512), 0.5, np.float16)), name="wide")
        self.small = ms.Parameter(
            ms.Tensor(np.full((512, 8), 0.25, np.float32)), name="small", parallel_optimizer=False
        )
        self.offset = ms.Parameter(ms.Tensor(np.ones((8, 1), np.float32)), name="offset")

    def construct(self, x):
        return self.second(self.first(x, self.wide.astype(ms.float32)), self.small) + self.offset.mean()


def main():
    """Compile and run a training step, and write what is said of it."""
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", device_num=8, full_batch=True, enable_parallel_optimizer=True,
        parallel_optimizer_config={"parallel_optimizer_threshold": 1}, group_ckpt_save_file=f"{folder}/group.pb",
        strategy_ckpt_config={"save_file": f"{folder}/saved.json"},
    )  # fmt: skip
    net = Net()
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9)).set_train()
    result = step(ms.Tensor(np.ones((8, 16), np.float32)))
    found = {
        "layouts": step.parameter_layout_dict,
        "result": result.asnumpy().tolist(),
        "group": ms.restore_group_info_list(f"{folder}/group.pb"),
        "saved": json.loads(Path(f"{folder}/saved.json").read_text()),
    }
    with open(f"{folder}/found.json", "w") as file:
        json.dump(found, file)


main()
