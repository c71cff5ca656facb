"""Data parallel training that others kill: `killed.py FOLDER EPOCHS` notes what each process does in FOLDER.

`pid_RANK` has its number, `steps_RANK` a line `START EPOCH` for each step, and `end_RANK.npz` the last weights.
"""

import os
import sys
import time
from pathlib import Path

import numpy as np

import sporax as ms
from sporax import dataset, nn, train
from sporax.communication import get_group_size, get_rank, init

folder, epochs = Path(sys.argv[1]), int(sys.argv[2])
ms.set_context(mode=ms.GRAPH_MODE)
init()
rank, size = get_rank(), get_group_size()
ms.set_seed(1)
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=size)
x = np.random.default_rng(0).uniform(-1, 1, (96, 2)).astype(np.float32)
columns = {"x": x, "y": x[:, :1] * x[:, 1:]}
rows = dataset.NumpySlicesDataset(columns, shuffle=True, num_shards=size, shard_id=rank).batch(4)
net = nn.SequentialCell(nn.Dense(2, 8, activation="tanh"), nn.Dropout(p=0.1), nn.Dense(8, 1))
start = os.environ.get("STARTED", "0") + "." + os.environ.get("SPORAX_RESTARTS", "0")
(folder / f"pid_{rank}").write_text(str(os.getpid()))


class Note(train.Callback):
    """Notes each step, and makes it last a moment."""

    def on_train_step_end(self, run_context):
        args = run_context.original_args()
        args.net_outputs.asnumpy()
        with (folder / f"steps_{rank}").open("a") as file:
            file.write(f"{start} {args.cur_epoch_num}\n")
        time.sleep(0.02)


keep = [
    train.OnRequestExit(directory=str(folder / f"exit_{rank}")),
    train.BackupAndRestore(str(folder / f"backup_{rank}")),
]
optimizer = nn.Adam(net.trainable_params(), 0.01)
train.Model(net, nn.MSELoss(), optimizer).train(epochs, rows, callbacks=[Note(), *keep], dataset_sink_mode=False)
if not keep[0].exit:
    np.savez(folder / f"end_{rank}.npz", *[p.asnumpy() for p in net.get_parameters()])
