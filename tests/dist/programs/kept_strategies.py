"""A network compiled for 8 devices of one process: the files of strategies that it writes, and what it makes of others."""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops, parallel

folder = Path(sys.argv[1])
context.set_context(mode=context.GRAPH_MODE)
context.set_auto_parallel_context(
    parallel_mode="semi_auto_parallel", device_num=8, full_batch=True, group_ckpt_save_file=str(folder / "group.pb"),
    strategy_ckpt_config={"save_file": str(folder / "saved.json"), "only_trainable_params": False}
)  # fmt: skip


class Net(nn.Cell):
    def __init__(self, strategy):
        super().__init__()
        self.product = ops.MatMul(transpose_b=True).shard(strategy)
        self.weight = Parameter(Tensor(np.ones((64, 32), np.float32)), name="weight")

    def construct(self, x):
        return self.product(x, self.weight)


def refused(call):
    try:
        call()
    except (RuntimeError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


data, labels = Tensor(np.ones((32, 32), np.float32)), Tensor(np.ones((32, 64), np.float32))


def compiled(strategy):
    net = Net(strategy)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    step.set_train()
    step.compile(data, labels)
    return {name: layout[:3] for name, layout in step.parameter_layout_dict.items()}


parallel.set_op_strategy_config("SAVE", str(folder / "operators.json"))
found = {"layouts": compiled(((2, 1), (4, 1))), "group": ms.restore_group_info_list(str(folder / "group.pb"))}
saved = json.loads((folder / "saved.json").read_text())
found["saved"] = {
    name: [item["dev_matrix"], item["tensor_map"]] for name, item in saved["parallel_layout_item"].items()
}
found["operators"] = json.loads((folder / "operators.json").read_text())
context.set_auto_parallel_context(strategy_ckpt_save_file="")
parallel.set_op_strategy_config("LOAD", str(folder / "operators.json"))
found["by operators"] = compiled(((8, 1), (1, 1)))
found["whole"] = refused(lambda: ms.rank_list_for_transform(0, str(folder / "saved.json")))
(folder / "operators.json").write_text('{"MatMul_weight": 3}')
found["bad operators"] = refused(lambda: compiled(((8, 1), (1, 1))))
parallel.set_op_strategy_config("LOAD", str(folder / "none.json"))
found["no operators"] = refused(lambda: compiled(((8, 1), (1, 1))))
context.reset_auto_parallel_context()
context.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8, full_batch=True)
context.set_auto_parallel_context(strategy_ckpt_config={"load_file": str(folder / "saved.json")})
found["by file"] = compiled(((8, 1), (1, 1)))
for name, matrix, tensor_map in (("devices", [4], [0, -1]), ("axes", [8], [0])):
    cut = {"dev_matrix": matrix, "tensor_map": tensor_map, "opt_weight_shard_step": 0, "opt_weight_shard_size": 0}
    (folder / "other.json").write_text(json.dumps({"parallel_layout_item": {"weight": cut}}))
    context.set_auto_parallel_context(strategy_ckpt_load_file=str(folder / "other.json"))
    found[f"other {name}"] = refused(lambda: compiled(((8, 1), (1, 1))))
    (folder / "other.json").unlink()
(folder / "found.json").write_text(json.dumps(found))
