"""A training run of any number of processes, to be killed and resumed on another number; run by `sporax launch`.

python rank_run.py train FOLDER STEPS PAUSE: appends step and loss to FOLDER/steps and saves FOLDER/run.ckpt at each step.
python rank_run.py many FOLDER STEPS 0: only dispatches steps, and reads the loss at the end.

Both write FOLDER/end_RANK.json: the last loss, the seconds, and how many graphs XLA compiled that the disk cache did not have.
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

import jax
import numpy as np

import sporax as ms
from sporax import nn, ops
from sporax.communication import get_group_size, get_rank, init

BATCH = 8


def network():
    """Return an MLP whose first weights are drawn by number."""
    net = nn.SequentialCell(nn.Dense(12, 16), nn.Tanh(), nn.Dense(16, 3))
    rng = np.random.default_rng(0)
    for p in net.trainable_params():
        p.set_data(ms.Tensor((rng.standard_normal(p.shape) / 4).astype(np.float32)))
    return net


def batch(step, rank, size):
    """Return this process's part of a step's batch."""
    rng = np.random.default_rng(step)
    x = rng.standard_normal((BATCH, 12)).astype(np.float32)
    y = np.stack([x[:, 0] * x[:, 1], np.sin(x[:, 2]), x[:, 3:].sum(1) / 4], 1)
    part = slice(rank * BATCH // size, (rank + 1) * BATCH // size)
    return ms.Tensor(x[part]), ms.Tensor(y[part])


def train(step, start, steps, pause, rank, size, folder):
    """Train from a step on; the first process notes the loss over all processes and saves."""
    mean = ops.AllReduce()
    for number in range(start, steps):
        loss = float((mean(step(*batch(number, rank, size))) / size).asnumpy())
        if rank == 0:
            with (folder / "steps").open("a") as file:
                file.write(f"{number} {size} {loss!r}\n")
            saved = {"step": number + 1}
            ms.save_checkpoint(step, str(folder / "run.ckpt"), append_dict=saved)
        time.sleep(pause)
    return loss if start < steps else None


def main(how, folder, steps, pause):
    """Train, or dispatch steps."""
    events = Counter()
    jax.monitoring.register_event_listener(lambda name, **_: events.update([name.rsplit("/", 1)[-1]]))
    init()
    rank, size = get_rank(), get_group_size()
    (folder / f"pid_{rank}").write_text(str(os.getpid()))
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=size)
    net = network()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.05, 0.9))
    start, file = 0, folder / "run.ckpt"
    if file.exists():
        saved = ms.load_checkpoint(str(file))
        start = int(saved.pop("step").asnumpy())
        ms.load_param_into_net(step, saved)
    began = time.monotonic()
    if how == "train":
        last = train(step, start, steps, pause, rank, size, folder)
    else:
        data = batch(0, rank, size)
        for _ in range(steps):
            loss = step(*data)
        last = float(loss.asnumpy())
    told = {
        "loss": last,
        "seconds": time.monotonic() - began,
        "compiled": events["compile_requests_use_cache"] - events["cache_hits"],
    }
    (folder / f"end_{rank}.json").write_text(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
