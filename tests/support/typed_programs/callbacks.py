"""A callback and a metric of one's own, with those that there are."""

from typing import Any

import numpy as np

from sporax import Model, Tensor, nn
from sporax.dataset import NumpySlicesDataset
from sporax.train import Callback, EarlyStopping, LearningRateScheduler, Metric, RunContext, rearrange_inputs


class Means(Callback):
    """Keeps the mean loss of each epoch."""

    def __init__(self) -> None:
        super().__init__()
        self.losses: list[float] = []
        self.means: list[float] = []

    def on_train_step_end(self, run_context: RunContext) -> None:
        cb_params = run_context.original_args()
        loss = cb_params.net_outputs
        self.losses.append(float(loss.asnumpy()))
        if cb_params.cur_step_num > 100:
            run_context.request_stop()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self.means.append(sum(self.losses) / len(self.losses))
        self.losses.clear()
        print(run_context.original_args().cur_epoch_num, self.means[-1])


class Largest(Metric):
    """The largest error."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._worst = 0.0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, wanted = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        self._worst = max(self._worst, float(np.abs(predicted - wanted).max()))

    def eval(self) -> float:
        return self._worst


def rate(lr: float, step: int) -> float:
    return lr * 0.5 if step % 2 else lr


def main() -> None:
    data = NumpySlicesDataset((np.ones((8, 4), np.float32), np.zeros((8, 2), np.float32)), ["x", "y"]).batch(4)
    net = nn.Dense(4, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    model = Model(net, nn.MSELoss(), optimizer, metrics={"largest": Largest(), "mae": nn.MAE(), "loss": nn.Loss()})
    model.fit(2, data, data, callbacks=[Means(), LearningRateScheduler(rate), EarlyStopping("loss", patience=2)])
    largest = model.eval(data)["largest"]
    metric = nn.Accuracy("classification")
    metric.clear()
    metric.update(Tensor([[0.1, 0.9]]), Tensor([1]))
    print(round(largest, 3), metric.eval(), nn.get_metrics({"mae"}))


if __name__ == "__main__":
    main()
