"""WaitedDSCallback: a callback of a dataset that waits for the steps of `Model.train`."""

from __future__ import annotations

import threading
from typing import Any

from sporax._src.api.dataset import DSCallback, get_callback_timeout
from sporax._src.train.callbacks.callback import Callback


class WaitedDSCallback(Callback, DSCallback):
    """The base of callbacks that inform a `map` of each step of training; pass the callback to both.

    Override `sync_step_begin` and `sync_epoch_begin`: they are called before each step or epoch except the first, after
        `Model.train` has ended the previous one.

    Args:
        step_size (int): The number of rows of the map in a training step, usually a batch. Default: ``1``.

    Raises:
        TypeError: If `step_size` is not an int.
        ValueError: If `step_size` is not positive.
        RuntimeError: While iterating, if training does not end a step within `dataset.config.get_callback_timeout()`
            seconds, for example because rows are prefetched.

    Examples:
        >>> import sporax as ms
        >>> import sporax.dataset as ds
        >>> class Told(ds.WaitedDSCallback):
        ...     def sync_step_begin(self, train_run_context, ds_run_context):
        ...         done = train_run_context.original_args().cur_step_num
        ...         print("row", ds_run_context.cur_step_num, "after step", done)
        >>> told = Told()
        >>> data = ds.NumpySlicesDataset(([1.0, 2.0], [3.0, 4.0]), ["x", "y"], shuffle=False)
        >>> data = data.map(lambda x: x, "x", callbacks=told)
        >>> class Net(ms.nn.Cell):
        ...     def construct(self, x, y):
        ...         return x * y
        >>> ms.train.Model(Net()).train(1, data, callbacks=told, dataset_sink_mode=False)
        row 2 after step 1
    """

    def __init__(self, step_size: int = 1) -> None:
        DSCallback.__init__(self, step_size)
        self._step, self._epoch = _Ended(), _Ended()

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
        """Before each epoch except the first, after training has ended the previous one."""

    def sync_step_begin(self, train_run_context: Any, ds_run_context: Any) -> None:
        """Before each step except the first, after training has ended the previous one."""

    def step_end(self, run_context: Any) -> None:
        """Let the map continue with the next step."""
        self._step.set(run_context)

    def epoch_end(self, run_context: Any) -> None:
        """Let the map continue with the next epoch."""
        self._epoch.set(run_context)

    def end(self, run_context: Any) -> None:
        """Let the map continue without further waiting."""
        for ended in (self._step, self._epoch):
            ended.set(run_context, for_good=True)

    def ds_epoch_begin(self, ds_run_context: Any) -> None:
        """Wait for the end of the epoch before."""
        if ds_run_context.cur_epoch_num > 1:
            self.sync_epoch_begin(self._epoch.wait(f"epoch {ds_run_context.cur_epoch_num}"), ds_run_context)

    def ds_step_begin(self, ds_run_context: Any) -> None:
        """Wait for the end of the step before."""
        if ds_run_context.cur_step_num > self.step_size:
            self.sync_step_begin(self._step.wait(f"row {ds_run_context.cur_step_num}"), ds_run_context)


class _Ended:
    """An end of a step or epoch for which a dataset waits."""

    def __init__(self) -> None:
        self._event, self._context, self._for_good = threading.Event(), None, False

    def set(self, run_context: Any, for_good: bool = False) -> None:
        self._context, self._for_good = run_context, for_good
        self._event.set()

    def wait(self, before: str) -> Any:
        """Return the run context of training, after training has reached the end."""
        seconds = get_callback_timeout()
        if not self._event.wait(seconds):
            raise RuntimeError(
                f"WaitedDSCallback: waited {seconds} s for training before {before}: is the callback among those of "
                f"Model.train, its step_size that of a batch, and no row read ahead of its step?"
            )
        if not self._for_good:
            self._event.clear()
        return self._context
