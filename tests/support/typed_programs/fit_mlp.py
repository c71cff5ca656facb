"""An MLP, trained by `Model.fit`."""

import numpy as np

import sporax as ms
from sporax import nn
from sporax.dataset import GeneratorDataset, NumpySlicesDataset
from sporax.train import LossMonitor, Model, TimeMonitor


class MLP(nn.Cell):
    def __init__(self, hidden: int = 16) -> None:
        super().__init__()
        self.flatten = nn.Flatten()
        self.layers = nn.SequentialCell(nn.Dense(8, hidden), nn.ReLU(), nn.Dropout(p=0.1), nn.Dense(hidden, 3))

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return self.layers(self.flatten(x))


class Source:
    def __init__(self, size: int) -> None:
        rng = np.random.default_rng(0)
        self.data = rng.normal(size=(size, 8)).astype(np.float32)
        self.label = rng.integers(0, 3, size).astype(np.int32)

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        return self.data[index], self.label[index]

    def __len__(self) -> int:
        return len(self.data)


def main() -> None:
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)
    source = Source(64)
    train = GeneratorDataset(source, column_names=["data", "label"], shuffle=True).batch(16, drop_remainder=True)
    valid = NumpySlicesDataset((source.data, source.label), ["data", "label"], shuffle=False).batch(16)
    net = MLP()
    loss = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3, weight_decay=1e-4)
    model = Model(net, loss_fn=loss, optimizer=optimizer, metrics={"accuracy": nn.Accuracy(), "loss": nn.Loss()})
    history = model.fit(2, train, valid, callbacks=[LossMonitor(4), TimeMonitor()])
    print(history.epoch)
    result = model.eval(valid)
    print(f"accuracy {result['accuracy']:.2f}, classes {model.predict(ms.Tensor(source.data[:4])).argmax(axis=1)}")


if __name__ == "__main__":
    main()
