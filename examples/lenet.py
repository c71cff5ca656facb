"""LeNet-5 learns to read digits.

The high-level style: a dataset pipeline, a `Model` that puts network, loss, optimizer and metric together, and
callbacks that watch the training.
"""

import common
import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Callback, Model


class LeNet5(nn.Cell):
    """Two convolutions with pooling, then three dense layers."""

    def __init__(self, classes: int = 10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, classes)
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x):
        """Return one score per digit for pictures (N, 1, 32, 32)."""
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


class LossHistory(Callback):
    """Keep the loss of every step, and stop after the last one wanted."""

    def __init__(self, steps: int):
        super().__init__()
        self.steps = steps
        self.losses = []

    def on_train_step_end(self, run_context):
        """Note the loss that the step returned."""
        self.losses.append(float(run_context.original_args().net_outputs))
        if len(self.losses) >= self.steps:
            run_context.request_stop()


def pipeline(count: int, batch_size: int, seed: int) -> ds.Dataset:
    """Return batches of normalised pictures and labels, in a fixed order."""
    images, labels = common.digit_images(count, size=32, scale=3, seed=seed)
    dataset = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False)
    dataset = dataset.map(lambda image: ((image - 0.2) / 0.3).astype(np.float32), input_columns="image")
    return dataset.batch(batch_size, drop_remainder=True)


def main() -> None:
    """Train with `Model.train`, then measure the accuracy on other pictures with `Model.eval`."""
    args = common.parse_args(__doc__.splitlines()[0], steps=150)
    train_set = pipeline(1024, batch_size=32, seed=0)
    net = LeNet5()
    common.load_weights(net, args.weights)
    model = Model(
        net,
        loss_fn=nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"),
        optimizer=nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9),
        metrics={"accuracy": ms.train.Accuracy()},
    )
    history = LossHistory(args.steps)
    if args.steps > 0:
        epochs = -(-args.steps // train_set.get_dataset_size())
        model.train(epochs, train_set, callbacks=[history], dataset_sink_mode=False)
        print(model.eval(pipeline(320, batch_size=32, seed=1), dataset_sink_mode=False))
    common.finish(args, net, history.losses)


if __name__ == "__main__":
    main()
