"""Training on all devices of all processes: `devices.py FOLDER [KIND...]` writes what each kind computes to `rank_R.json`."""

import json
import sys

import jax
import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init

BATCH, STEPS, WIDTH, MICROS = 32, 3, 16, 4
CUT = {"parallel_mode": "semi_auto_parallel", "full_batch": True}


class Layer(nn.Cell):
    """A product, cut along its rows or its columns, and an activation."""

    def __init__(self, strategy=None, stage=None):
        super().__init__()
        self.weight = ms.Parameter(ms.Tensor(np.zeros((WIDTH, WIDTH), np.float32)), name="weight")
        self.matmul = ops.MatMul() if strategy is None else ops.MatMul().shard(strategy)
        if stage is not None:
            self.pipeline_stage = stage

    def construct(self, x):
        return ops.tanh(self.matmul(x, self.weight))


def with_weights(layers):
    """Return a network whose weights are drawn layer by layer."""
    rng = np.random.default_rng(0)
    for layer in layers:
        layer.weight.set_data(ms.Tensor(rng.standard_normal((WIDTH, WIDTH)).astype(np.float32) / 4))
    return nn.SequentialCell(*layers)


def batches(rank=0, size=1):
    """Yield batches, or the part of a process."""
    rng, part = np.random.default_rng(1), slice(rank * BATCH // size, (rank + 1) * BATCH // size)
    for _ in range(STEPS):
        yield [ms.Tensor(rng.standard_normal((BATCH, WIDTH)).astype(np.float32)[part]) for _ in range(2)]


def rows(rank=0, size=1):
    """Return the same batches as a dataset."""
    columns = zip(*[[t.asnumpy() for t in row] for row in batches(rank, size)], strict=True)
    return ms.dataset.NumpySlicesDataset(tuple(map(np.concatenate, columns)), shuffle=False).batch(BATCH // size)


def trained(net, rank=0, size=1, scale=1.0, wrap=lambda net: net):
    """Train and return losses and the weights of this process."""
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(wrap(nn.WithLossCell(net, nn.MSELoss())), optimizer, sens=scale).set_train()
    losses = []
    for row in batches(rank, size):
        parts = {p.name: ms.Parameter(p.asnumpy()) for p in net.trainable_params()}
        ms.load_param_into_net(net, parts)  # each process loads its own parts
        losses.append(float(step(*row).asnumpy()) * scale)
    return described(net, losses)


def described(net, losses):
    """Return losses, and the largest number of devices that hold a weight."""
    weights = [p.concrete() for p in net.trainable_params() if not p.is_elsewhere]
    return {"losses": losses, "devices": max(len(w.sharding.device_set) for w in weights)}


def with_model(net, rank=0, size=1):
    """Train with `Model`."""
    losses = []

    class Noted(ms.Callback):
        def on_train_step_end(self, run_context):
            losses.append(float(run_context.original_args().net_outputs.asnumpy()))

    model = ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01))
    model.train(1, rows(rank, size), callbacks=Noted(), dataset_sink_mode=False)
    return described(net, losses)


def by_hand(net, rank, size):
    """Train with a graph of the gradients, a reducer and an optimizer that run one after another."""
    loss, optimizer = nn.MSELoss(), nn.Adam(net.trainable_params(), 0.01)
    gradient = ms.value_and_grad(ms.jit(lambda x, y: loss(net(x), y)), None, optimizer.parameters)
    reducer = nn.DistributedGradReducer(optimizer.parameters)
    losses = []
    for x, y in batches(rank, size):
        value, grads = gradient(x, y)
        optimizer(reducer(grads))
        losses.append(float(value.asnumpy()))
    return described(net, losses)


def jobs(rank, size, count):
    """Yield the name of each kind of training, its settings, and a function that trains."""
    data = {"parallel_mode": "data_parallel", "gradients_mean": True}
    yield "data parallel", data, lambda: trained(plain(), rank, size)
    yield "data parallel, Model", data, lambda: with_model(plain(), rank, size)
    yield "data parallel, by hand", data, lambda: by_hand(plain(), rank, size)
    yield "semi auto", CUT, lambda: trained(cut(count))
    yield "auto", CUT | {"parallel_mode": "auto_parallel"}, lambda: trained(plain())
    yield "parts of a batch", CUT | {"full_batch": False}, lambda: with_model(cut(count), rank, size)
    strategies = {"full_batch": False, "dataset_strategy": ((count, 1), (count, 1))}
    yield "strategies of a batch", CUT | strategies, lambda: with_model(cut(count), rank, size)
    sharing = {"enable_parallel_optimizer": True, "parallel_optimizer_config": {"parallel_optimizer_threshold": 0}}
    yield "optimizer sharding", CUT | sharing, lambda: trained(cut(count, False))
    for stages in (2, 4):
        settings = CUT | {"pipeline_stages": stages if count >= stages else 1}
        yield (
            f"pipeline of {stages}",
            settings,
            lambda n=stages: trained(
                staged(n, max(1, count // n)), scale=1 / MICROS, wrap=lambda net: nn.PipelineCell(net, MICROS)
            ),
        )


def plain():
    """Return a network without strategies."""
    return with_weights([Layer() for _ in range(4)])


def cut(count, columns=True):
    """Return a network whose products are cut over so many devices, every second one along its columns."""
    by_rows, by_columns = ((count, 1), (1, 1)), ((1, 1), (1, count))
    return with_weights([Layer(by_columns if columns and i % 2 else by_rows) for i in range(4)])


def staged(stages, devices):
    """Return a network of stages, whose products are cut over the devices of one."""
    return with_weights([Layer(((devices, 1), (1, 1)), i * stages // 4) for i in range(4)])


def refused(size, count):
    """Return what is said of numbers of devices that fit neither the processes nor their devices."""
    found = []
    for settings in ({"device_num": count - 1}, {"device_num": 2 * count, "pipeline_stages": 2}):
        ms.reset_auto_parallel_context()
        try:
            ms.set_auto_parallel_context(**CUT, **settings)
            trained(staged(2, 1), wrap=lambda net: nn.PipelineCell(net, MICROS))
        except RuntimeError as error:
            found.append(str(error))
    return found


def main(folder, *names):
    """Train everything and write what was found."""
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    rank, size, count = get_rank(), get_group_size(), jax.device_count()
    found = {}
    for name, settings, train in jobs(rank, size, count):
        if not names or name in names:
            ms.reset_auto_parallel_context()
            ms.set_auto_parallel_context(device_num=size, **settings)
            found[name] = train()
    if size < count and size > 1 and not names:
        found["errors"] = refused(size, count)
    with open(f"{folder}/rank_{rank}.json", "w") as file:
        json.dump(found, file)


main(*sys.argv[1:])
