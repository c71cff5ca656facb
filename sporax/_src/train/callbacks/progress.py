"""ProgressBar: the progress of training, evaluation and prediction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sporax._src.train.callbacks.callback import STANDING, Callback, InternalCallbackParam, RunContext, last_loss
from sporax._src.train.callbacks.progress_line import ProgressLine
from sporax._src.train.rows import dataset_of, is_loader


class ProgressBar(Callback):
    """Show the progress of a run of `Model`: steps, loss, metrics, steps a second and the time left.

    On a terminal it is a bar, and in a notebook an element of the cell's output; otherwise it shows nothing. The loss
    is read at most ten times a second, so that not every step waits for the device.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> rows = ms.dataset.NumpySlicesDataset((np.ones((4, 2), np.float32),), shuffle=False).batch(2)
        >>> model, bar = ms.Model(ms.nn.Dense(2, 1)), ms.train.ProgressBar()
        >>> [model.predict(*row).shape for row in bar.track(rows)]
        [(2, 1), (2, 1)]
    """

    def __init__(self) -> None:
        self._line: ProgressLine | None = None
        self._values: dict[str, Any] = {}
        self._label = ""
        self._done = 0
        self._trains = False
        self._last_epoch: int | None = None

    @staticmethod
    def for_all_runs() -> None:
        """Show a bar in every run of a `Model` in this process; `sporax run --progress` calls it."""
        if not any(isinstance(callback, ProgressBar) for callback in STANDING):
            STANDING.append(ProgressBar())

    def track(self, rows: Iterable[Any], label: str = "predict") -> Iterator[Any]:
        """Yield the rows of a dataset, or of any iterable, and show their number so far.

        Args:
            rows: A dataset, whose rows are yielded as tuples; or a list, an iterator, ...
            label: The label of the line.
        """
        given: Any = dataset_of("ProgressBar.track", rows) if is_loader(rows) else rows
        is_dataset = hasattr(given, "create_tuple_iterator")
        total = given.get_dataset_size() if is_dataset else len(given) if hasattr(given, "__len__") else None
        line = ProgressLine(total)
        try:
            done = 0
            for done, row in enumerate(given.create_tuple_iterator(num_epochs=1) if is_dataset else given, 1):
                yield row
                if line.is_due:
                    line.show(label, done, {})
            line.show(label, done, {})
        finally:
            line.close()

    def __exit__(self, *error: object) -> None:
        self._close()

    def _begin(self, total: int | None) -> None:
        self._close()
        self._line, self._values, self._done = ProgressLine(total), {}, 0

    def _close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def _show(self, args: InternalCallbackParam) -> None:
        loss = last_loss(args.net_outputs) if args.mode == "train" else None
        shown = {"loss": loss} if loss is not None else {}
        if self._line is not None:
            self._line.show(self._label, self._done, shown | self._values)

    # --- training ---------------------------------------------------------------------------------------------------

    def on_train_begin(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._begin(args.batch_num * args.epoch_num)
        self._trains, self._last_epoch = True, None

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        # A run that is resumed does not begin with its first epoch; loops of programs do not say what the last one is.
        self._last_epoch = args.get("last_epoch_num") or self._last_epoch or args.cur_epoch_num + args.epoch_num - 1
        self._label = f"epoch {args.cur_epoch_num}/{self._last_epoch}"

    def on_train_step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._done = args.cur_step_num
        if self._line is not None and self._line.is_due:
            self._show(args)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._values = numbers(args.eval_results or {})
        self._show(args)

    def on_train_end(self, run_context: RunContext) -> None:
        self._trains = False
        self._close()

    # --- evaluation, alone or between two epochs ----------------------------------------------------------------------

    def on_eval_begin(self, run_context: RunContext) -> None:
        if not self._trains:
            self._begin(run_context.original_args().batch_num)
            self._label = "eval"

    def on_eval_step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if self._trains:
            self._values["eval"] = f"{args.cur_step_num}/{args.batch_num}"
        else:
            self._done = args.cur_step_num
        if self._line is not None and self._line.is_due:
            self._show(args)

    def on_eval_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._values = numbers(args.metrics or {})
        self._show(args)
        if not self._trains:
            self._close()


def numbers(metrics: dict[str, Any]) -> dict[str, float]:
    """Return the metrics that are one number."""
    single = {name: np.asarray(value) for name, value in metrics.items()}
    return {name: float(value) for name, value in single.items() if value.size == 1 and value.dtype.kind in "fiub"}
