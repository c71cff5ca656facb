"""A training run with all that is random, to be killed: dropout, shuffling, augmentation by workers, a dynamic loss scale.

python killed_run.py FOLDER MODE EPOCHS SEED: appends step and loss of each step to FOLDER/steps, and writes FOLDER/end.npz.
"""

import random
import sys
from pathlib import Path

import numpy as np

import sporax as ms
import sporax.dataset as ds
from sporax import nn, train

ROWS, BATCH = 48, 4


class Net(nn.Cell):
    """Convolves, normalizes and drops."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.drop = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout(p=0.3)
        self.out = nn.Dense(4 * 8 * 8, 3)

    def construct(self, x):
        return self.out(self.drop(ms.ops.relu(self.norm(self.conv(x)))).reshape(x.shape[0], -1))


class Pictures:
    """Pictures of noise, and their labels."""

    def __len__(self):
        return ROWS

    def __getitem__(self, k):
        rng = np.random.default_rng(int(k))
        return rng.integers(0, 256, (8, 8, 3), np.uint8), np.int32(k % 3)


def data():
    """Return the batches: augmented on threads, and by a function that draws from NumPy's global generator."""
    rows = ds.GeneratorDataset(Pictures(), ["x", "y"], shuffle=True, num_parallel_workers=2)
    rows = rows.map([ds.vision.RandomHorizontalFlip(0.5), ds.vision.RandomCrop(8, 1)], "x", num_parallel_workers=2)
    rows = rows.map([ds.vision.Rescale(1 / 255, 0), ds.vision.HWC2CHW()], "x")
    return rows.map(lambda x: x + np.float32(np.random.rand() * 0.01), "x").batch(BATCH)


class Steps(train.Callback):
    """Notes each step where a kill cannot undo it."""

    def __init__(self, path):
        self.path = path

    def on_train_step_end(self, run_context):
        args = run_context.original_args()
        with self.path.open("a") as file:
            file.write(f"{args.cur_step_num} {float(args.net_outputs[0].asnumpy()).hex()}\n")


def new_model(seed):
    """Return the model, with all random numbers of the process from a seed."""
    ms.set_seed(seed)
    random.seed(seed)
    net = Net()
    return train.Model(
        net,
        nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        nn.Adam(net.trainable_params(), nn.ExponentialDecayLR(0.01, 0.9, 10)),
        loss_scale_manager=train.DynamicLossScaleManager(2**10, 2, 5),
    )


def main(folder, mode, epochs, seed):
    """Train, from where the folder's newest file is."""
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    model = new_model(seed)
    config = train.CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=3, run_state=True)
    saver = train.ModelCheckpoint("run", folder / "files", config)
    model.train(epochs, data(), [Steps(folder / "steps"), saver, train.ResumeFrom(folder / "files")])
    np.savez(folder / "end.npz", **{p.name: p.asnumpy() for p in model.train_network.get_parameters()})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
