"""Steps of data parallel training, for `sporax launch`: `processes_sporax.py MODEL ROUNDS SECONDS FILE`.

Each process trains on a whole batch. The first one writes the seconds of a step in each round.
"""

import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init

from bench.models.mindspore_models import MODELS
from bench.rounds import write_rounds
from bench.specs import SPECS


def step_of(model: str):
    """Return a training step of a model that takes the number of a batch."""
    spec, net = SPECS[model], MODELS[model]()
    for parameter, value in zip(net.trainable_params(), spec.weights().values(), strict=True):
        parameter.set_data(ms.Tensor(value))
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    kind = nn.Adam if spec.optimizer == "adam" else nn.Momentum
    optimizer = kind(net.trainable_params(), spec.lr, **({} if spec.optimizer == "adam" else {"momentum": 0.9}))
    flat = lambda logits, labels: loss(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, flat), optimizer)
    batches = [(ms.Tensor(x), ms.Tensor(y)) for x, y in spec.batches()]
    return lambda i: step(*batches[i % 2])


def main(model: str, rounds: int, seconds: float, file: Path) -> None:
    """Time rounds of about so many seconds each, in all processes alike."""
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=get_group_size())
    slowest = ops.AllReduce("max")
    write_rounds(
        step_of(model), lambda loss: loss.asnumpy(), lambda took: float(slowest(ms.Tensor(np.float32(took))).asnumpy()),
        rounds, seconds, file if get_rank() == 0 else None,
    )  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4]))
