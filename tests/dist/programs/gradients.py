"""What two processes do with gradients besides summing them: buckets, first values, overflows; writes `rank_R.json`."""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn
from mindspore.communication import get_rank, init

init()
rank = get_rank()
X, Y = ms.Tensor(np.full((4, 3), 1.0 + rank, np.float32)), ms.Tensor(np.ones((4, 2), np.float32))


def network(seed=0):
    """Return a network of six Parameters."""
    net = nn.SequentialCell(nn.Dense(3, 5), nn.Dense(5, 5), nn.Dense(5, 2))
    rng = np.random.default_rng(seed)
    for p in net.trainable_params():
        p.set_data(ms.Tensor(rng.standard_normal(p.shape).astype(np.float32)))
    return net


def step_of(net, **settings):
    """Return a training step in data parallel mode with some settings."""
    ms.reset_auto_parallel_context()
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, **settings)
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))


def exchanges(**settings):
    """Return how many all-reduces the compiled step has, and what it makes of the weights."""
    net = network()
    if marks := settings.pop("marks", None):
        for p, mark in zip(net.trainable_params(), marks, strict=True):
            p.comm_fusion = mark
    step = step_of(net, **settings)
    step(X, Y)
    hlo = ms.jit(lambda x, y: step(x, y)).graph(X, Y).hlo
    count = sum("all-reduce(" in line or "all-reduce-start(" in line for line in hlo.splitlines())
    return [count, float(sum(np.abs(p.asnumpy()).sum() for p in net.trainable_params()))]


def overflow(by_process):
    """Return what a step tells of which the gradients of some processes overflow, and whether it updates."""
    net = network()
    step_of(net)
    layer = net[0].weight
    layer.layerwise_parallel = True
    before = layer.asnumpy()
    scaled = nn.DynamicLossScaleUpdateCell(1024.0, 2, 1)
    loss = nn.WithLossCell(net, nn.MSELoss())
    step = nn.TrainOneStepWithLossScaleCell(loss, nn.SGD(net.trainable_params(), 0.1), scaled)
    x = X * ms.Tensor(float("inf") if by_process[rank] else 1.0)
    told = step(x, Y)
    return [bool(told[1].asnumpy()), float(step.scale_sense.asnumpy()), bool((layer.asnumpy() != before).any())]


def first_values(how):
    """Return the weights after a step, of networks that begin differently."""
    net = network(seed=rank)
    step = step_of(net, parameter_broadcast=True)
    if how == "Model":
        row = [(X.asnumpy()[i], Y.asnumpy()[i]) for i in range(4)]
        data = ms.dataset.GeneratorDataset(row, ["x", "y"], shuffle=False).batch(4)
        ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1)).train(1, data, dataset_sink_mode=False)
    else:
        step(X, Y)
    return [float(np.abs(p.asnumpy()).sum()) for p in net.trainable_params()]


found = {}
for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
    ms.set_context(mode=mode)
    name = "graph" if mode == ms.GRAPH_MODE else "pynative"
    found[name] = {
        "default": exchanges(),
        "places": exchanges(all_reduce_fusion_config=[1, 3]),
        "marks": exchanges(marks=[0, 0, 1, 2, 1, 2]),
        "size": exchanges(comm_fusion={"allreduce": {"mode": "size", "config": 0}}),
        "index": exchanges(comm_fusion={"allreduce": {"mode": "index", "config": [2]}}),
        "closed": exchanges(comm_fusion={"openstate": False}),
        "overflow": [overflow(flags) for flags in ([False, False], [False, True], [True, True])],
        "first values": [first_values(how) for how in ("cell", "Model")],
    }
(Path(sys.argv[1]) / f"rank_{rank}.json").write_text(json.dumps(found))
