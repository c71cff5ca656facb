"""A network with strategies, trained in parts: saved by some processes, resumed by others; writes losses and what was found."""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.communication import get_group_size, get_rank, init

folder, whats = Path(sys.argv[1]), sys.argv[2:]
context.set_context(mode=context.GRAPH_MODE)
init()
devices, rank = get_group_size(), get_rank()
strategies = folder / "strategies" / f"of_{devices}_{rank}.ckpt"
context.set_auto_parallel_context(
    parallel_mode="semi_auto_parallel", full_batch=True, enable_parallel_optimizer=devices == 4,
    parallel_optimizer_config={"parallel_optimizer_threshold": 0},
    strategy_ckpt_config={"save_file": str(strategies), "only_trainable_params": False}
)  # fmt: skip


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        draw = np.random.RandomState(0)
        self.first = ops.MatMul().shard(((1, devices), (devices, 1)))
        self.second = ops.MatMul(transpose_b=True).shard(((1, 1), (devices, 1)))
        self.weight = Parameter(Tensor(draw.randn(16, 8).astype(np.float32)), name="weight")
        self.other = Parameter(Tensor(draw.randn(4, 8).astype(np.float32)), name="other")

    def construct(self, x):
        return self.second(ops.relu(self.first(x, self.weight)), self.other)


draw = np.random.RandomState(1)
data, labels = Tensor(draw.randn(8, 16).astype(np.float32)), Tensor(draw.randn(8, 4).astype(np.float32))
net = Net()
optimizer = nn.Adam(net.trainable_params(), 1e-2)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
step.set_train()
found: dict = {}


def train(steps):
    return [float(step(data, labels).asnumpy()) for _ in range(steps)]


def shapes(path):
    return {name: list(value.shape) for name, value in ms.load_checkpoint(str(path)).items()}


def refused(call):
    try:
        call()
    except (RuntimeError, ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def save():
    """Train, and save in all ways."""
    found["losses"] = train(3)
    ms.save_checkpoint(step, str(folder / "slices" / f"rank_{rank}" / "net.ckpt"), integrated_save=False)
    ms.save_checkpoint(
        step, str(folder / "slices_st" / f"rank_{rank}" / "net.safetensors"), False, format="safetensors"
    )
    ms.save_checkpoint(step, str(folder / "whole" / f"rank_{rank}" / "net.ckpt"))
    ms.train.save_state(folder / "state", format="orbax", step=step, at=3)
    ms.train.save_state(folder / f"state_{rank}.ckpt", step=step, at=3)
    found["layouts"] = {name: layout[:3] for name, layout in step.parameter_layout_dict.items()}
    found["slices"] = shapes(folder / "slices" / f"rank_{rank}" / "net.ckpt")
    found["whole"] = shapes(folder / "whole" / f"rank_{rank}" / "net.ckpt")
    found["losses"] += train(3)
    found["weight"] = net.weight.asnumpy().tolist()


def back():
    """Go on from its own slices."""
    step.compile(data, labels)
    path = folder / "slices" / f"rank_{rank}" / "net.ckpt"
    found["not loaded"] = ms.load_param_into_net(step, ms.load_checkpoint(str(path)))
    found["losses"] = train(3)
    pieces = ms.load_checkpoint(str(path))
    pieces["weight"] = Parameter(Tensor(np.zeros((3, 8), np.float32)), name="weight")
    found["refused"] = refused(lambda: ms.load_param_into_net(step, pieces))


def other():
    """Go on from slices of another number of processes, cut anew."""
    step.compile(data, labels)
    source = sorted((folder / "strategies").glob("of_2_*.ckpt"))[0]
    if rank == 0:
        target = str(strategies) if devices > 1 else None
        ms.transform_checkpoints(str(folder / "slices"), str(folder / "new"), "net", str(source), target)
    ms.communication.comm_func.barrier()
    ms.load_checkpoint(str(folder / "new" / f"rank_{rank}" / f"net{rank}.ckpt"), step)
    found["losses"] = train(3)


def distributed():
    """Load slices by load_distributed_checkpoint into a network that was never drawn."""
    layouts = ms.Model(net).infer_predict_layout(data)
    files = [str(folder / "slices" / f"rank_{r}" / "net.ckpt") for r in range(2)]
    source = str(sorted((folder / "strategies").glob("of_2_*.ckpt"))[0])
    step.compile(data, labels)
    ms.load_distributed_checkpoint(step, files, step.parameter_layout_dict, source)
    found["layouts"], found["losses"] = sorted(layouts), train(3)


def orbax():
    """Go on from a folder of all processes."""
    step.compile(data, labels)
    found["values"] = ms.train.load_state(folder / "state", step=step)
    found["losses"] = train(3)


def state():
    """Go on from one file of the state."""
    found["values"] = ms.train.load_state(folder / "state_0.ckpt", step=step)
    found["losses"] = train(3)


def shares():
    """Save without what others save, and load it again."""
    config = ms.train.CheckpointConfig(1, keep_checkpoint_max=1, integrated_save=False, remove_redundancy=True)
    saver = ms.train.ModelCheckpoint("net", str(folder / "shares" / f"rank_{rank}"), config)
    model = ms.Model(step)
    rows = ms.dataset.NumpySlicesDataset(
        (np.stack([data.asnumpy()] * 3), np.stack([labels.asnumpy()] * 3)), shuffle=False
    )
    model.train(1, rows, callbacks=[saver], dataset_sink_mode=False)
    found["held"] = shapes(saver.latest_ckpt_file_name)
    before = {p.name: p.asnumpy().tolist() for p in step.get_parameters()}
    for param in (net.weight, net.other):
        param.set_data(Tensor(np.zeros(param.shape, np.float32)))
    ms.load_checkpoint(saver.latest_ckpt_file_name, step, remove_redundancy=True)
    layouts = step.parameter_layout_dict
    found["refused"] = [
        refused(lambda: ms.parameter_broadcast(step, layouts, 5)),
        refused(lambda: ms.parameter_broadcast(step, layouts, rank, 7)),
        refused(lambda: ms.parameter_broadcast(step, {**layouts, "x": layouts["weight"]}, rank)),
    ]
    ms.parameter_broadcast(step, layouts, rank)
    found["equal"] = {p.name: p.asnumpy().tolist() for p in step.get_parameters()} == before
    found["losses"] = train(3)


for what in (save, back, other, distributed, orbax, state, shares):
    if what.__name__ in whats:
        found = {}
        what()
        (folder / f"{what.__name__}_{devices}_{rank}.json").write_text(json.dumps(found))
