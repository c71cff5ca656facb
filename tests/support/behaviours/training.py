"""What callbacks hear of a training."""

from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, train


def _steps(**options: Any) -> list[Any]:
    found = []

    class Note(train.Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            args = run_context.original_args()
            found.append((args.cur_epoch_num, args.cur_step_num, args.batch_num, args.dataset_sink_mode))

    rows = ds.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)), shuffle=False).batch(1)
    net = nn.Dense(3, 1)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(2, rows, callbacks=[Note()], **options)
    return found


def steps_in_sink_mode() -> Any:
    """A CPU has no sink mode: each step of the dataset is told."""
    return _steps(dataset_sink_mode=True), _steps(dataset_sink_mode=False)


def steps_in_sink_mode_of_a_size() -> Any:
    """`sink_size` is what steps are counted by."""
    return _steps(dataset_sink_mode=True, sink_size=2), _steps(dataset_sink_mode=True, sink_size=7)
