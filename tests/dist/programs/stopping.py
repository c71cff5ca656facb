"""Data parallel training that is disturbed in the second step of epoch 2 of its first start: stopping.py FOLDER HOW [SIGNAL].

`backup`: process 1 gets SIGKILL, and `BackupAndRestore` resumes. `exit`: process 1 gets a signal, and `OnRequestExit` stops all.
Each process writes the steps it has done and the sum of its weights to FOLDER/end_RANK.
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import sporax as ms
from sporax import dataset, nn, train
from sporax.communication import get_group_size, get_rank, init

folder, how, *asked = sys.argv[1:]
asked = int(asked[0]) if asked else signal.SIGTERM
ms.set_context(mode=ms.GRAPH_MODE)
init()
rank, size = get_rank(), get_group_size()
ms.set_seed(1)
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=size)
x = np.random.default_rng(0).uniform(-1, 1, (64, 2)).astype(np.float32)
columns = {"x": x, "y": x[:, :1] * x[:, 1:]}
rows = dataset.NumpySlicesDataset(columns, shuffle=True, num_shards=size, shard_id=rank).batch(4)
net = nn.SequentialCell(nn.Dense(2, 8, activation="tanh"), nn.Dense(8, 1))
begun = Path(folder) / "begun"
is_first = not begun.exists()


class Disturb(train.Callback):
    """Counts steps, and disturbs process 1."""

    steps = 0

    def on_train_step_end(self, run_context):
        run_context.original_args().net_outputs.asnumpy()
        self.steps += 1
        time.sleep(0.2 if how == "exit" and is_first else 0)  # JAX looks for signals once in a second
        if how != "none" and is_first and rank == 1 and self.steps == 10:
            begun.touch()
            os.kill(os.getpid(), signal.SIGKILL if how == "backup" else asked)


disturb = Disturb()
leave = train.OnRequestExit(directory=folder, sig=asked)
keep = [leave] if how == "exit" else [train.BackupAndRestore(f"{folder}/{rank}")]
before = signal.getsignal(signal.SIGTERM)
optimizer = nn.Adam(net.trainable_params(), 0.01)
train.Model(net, nn.MSELoss(), optimizer).train(4, rows, callbacks=[disturb, *keep], dataset_sink_mode=False)
assert signal.getsignal(signal.SIGTERM) is before
weights = float(np.abs(net[0].weight.asnumpy()).sum())
(Path(folder) / f"end_{rank}").write_text(f"{disturb.steps} {leave.exit} {weights!r}")
