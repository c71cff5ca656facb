"""An LSTM learns to name the shape of a noisy wave: sine, square, triangle or sawtooth.

Older programs write a training step like this one: a cell that holds the network and the optimizer, and
`GradOperation(get_by_list=True)` for the gradients. The data come from a Python class through `GeneratorDataset`.
"""

import common
import mindspore.dataset as ds
import numpy as np
from mindspore import ParameterTuple, Tensor, nn, ops


class Waves:
    """Waves of random period and phase under noise; each is made when it is asked for."""

    def __init__(self, count: int, length: int, seed: int):
        self.count = count
        self.time = np.arange(length)
        self.seed = seed

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        random = np.random.RandomState(self.seed + int(index))
        kind = random.randint(4)
        turn = (self.time / random.uniform(8, 16) + random.rand()) % 1
        shapes = (
            np.sin(2 * np.pi * turn),
            np.where(turn < 0.5, 1.0, -1.0),
            4 * np.abs(turn - 0.5) - 1,
            2 * turn - 1,
        )
        wave = shapes[kind] + 0.1 * random.randn(self.time.size)
        return wave.astype(np.float32), np.int32(kind)


class Classifier(nn.Cell):
    """A bidirectional LSTM over the wave, and a dense layer on the mean of its outputs."""

    def __init__(self, hidden: int = 24, classes: int = 4):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Dense(2 * hidden, classes)

    def construct(self, wave):
        """Return one score per shape for waves (batch, time, 1)."""
        outputs, _ = self.lstm(wave)
        return self.head(outputs.mean(1))


class TrainStep(nn.Cell):
    """Loss, gradients and update as one cell."""

    def __init__(self, net: nn.Cell, loss: nn.Cell, optimizer: nn.Optimizer):
        super().__init__(auto_prefix=False)
        self.network = nn.WithLossCell(net, loss)
        self.optimizer = optimizer
        self.weights = ParameterTuple(net.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, wave, kind):
        """Return the loss before the update."""
        loss = self.network(wave, kind)
        grads = self.grad(self.network, self.weights)(wave, kind)
        return ops.depend(loss, self.optimizer(grads))


def pipeline(count: int, seed: int) -> ds.Dataset:
    """Return batches of waves (batch, time, 1) with their kinds, in a fixed order."""
    dataset = ds.GeneratorDataset(Waves(count, 32, seed), column_names=["wave", "kind"], shuffle=False)
    dataset = dataset.map(lambda wave: wave[:, None], input_columns=["wave"])
    return dataset.batch(32, drop_remainder=True)


def main() -> None:
    """Go through the data until all steps are taken, then report the accuracy on other waves."""
    args = common.parse_args(__doc__.splitlines()[0], steps=150)
    net = Classifier()
    common.load_weights(net, args.weights)
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
    train_step = TrainStep(net, nn.CrossEntropyLoss(), optimizer).set_train()

    losses = []
    batches = pipeline(1024, seed=0).repeat(-(-max(args.steps, 1) // 32))
    for wave, kind in batches.create_tuple_iterator():
        if len(losses) >= args.steps:
            break
        losses.append(float(train_step(wave, kind)))

    right = []
    for row in pipeline(256, seed=10**6).create_dict_iterator(output_numpy=True):
        right.append(net(Tensor(row["wave"])).asnumpy().argmax(1) == row["kind"])
    print(f"accuracy: {np.mean(right):.3f}")
    common.finish(args, net, losses)


if __name__ == "__main__":
    main()
