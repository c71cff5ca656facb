"""SummaryCollector: the course of training, in event files for TensorBoard."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.train.callbacks.callback import Callback, InternalCallbackParam, RunContext, last_loss
from sporax._src.train.callbacks.landscape import WeightCollector, check_settings
from sporax._src.train.callbacks.monitor import check_int
from sporax._src.train.callbacks.summary_record import SummaryRecord

_SPECIFIED = {
    "collect_metric": bool,
    "collect_graph": bool,
    "collect_train_lineage": bool,
    "collect_eval_lineage": bool,
    "collect_input_data": bool,
    "collect_dataset_graph": bool,
    "histogram_regular": str,
    "collect_landscape": dict,
}
_FIRST_PARAMETERS = 5


class SummaryCollector(Callback):
    """Collects the loss, histograms of Parameters, metrics and the network's structure into event files for TensorBoard.

    Args:
        summary_dir: The folder.
        collect_freq: Steps between two collections; the first step is always collected.
        collect_specified_data: What to collect: `collect_metric` (loss and metrics), `collect_graph`,
            `histogram_regular` (a pattern of Parameter names; the first five Parameters without it). The keys
            `collect_train_lineage`, `collect_eval_lineage`, `collect_input_data`, `collect_dataset_graph` are accepted.
            `collect_landscape` saves weights for `SummaryLandscape`, as a dict: `intervals`, lists of three or more
            steps (or, with `unit="epoch"`, epochs), and the settings of the landscape: `landscape_size`, `num_samples`,
            `create_landscape={"train": True, "result": True}`.
        keep_default_action: Whether data that `collect_specified_data` does not name is collected too.
        custom_lineage_data: Names and values written as text at the beginning.
        num_process, collect_tensor_freq, max_file_size: Accepted for MindSpore programs.
        export_options: None; values are in the event file only.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range or a key is unknown.
        RuntimeError: If the package tensorboard is not installed (when training begins).

    Examples:
        >>> import sporax as ms
        >>> collector = ms.SummaryCollector("./summary", collect_specified_data={"histogram_regular": "^conv"})
    """

    def __init__(
        self,
        summary_dir: str,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict[str, Any] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict[str, str] | None = None,
    ) -> None:
        if not isinstance(summary_dir, (str, os.PathLike)) or not str(summary_dir):
            raise TypeError(f"SummaryCollector: summary_dir must be a string, got {describe(summary_dir)}.")
        if export_options is not None:
            raise ValueError("SummaryCollector: export_options is not offered; values are in the event file.")
        self._summary_dir = summary_dir
        self._collect_freq = check_int("SummaryCollector", "collect_freq", collect_freq, 1)
        self._max_file_size, self._export_options = max_file_size, export_options
        self._chosen = _check_specified(collect_specified_data or {})
        self._default = keep_default_action
        self._lineage = custom_lineage_data or {}
        self._record: SummaryRecord | None = None
        landscape = self._chosen.get("collect_landscape")
        self._weights = WeightCollector(Path(summary_dir), landscape) if landscape else None
        self._step = 0

    def _wants(self, what: str) -> bool:
        return self._chosen.get(what, self._default)

    def __enter__(self) -> SummaryCollector:
        self._record = SummaryRecord(str(self._summary_dir))
        for name, value in self._lineage.items():
            self._record.add_value("custom_lineage_data", name, value)
        return self

    def __exit__(self, *_: object) -> None:
        if self._record is not None:
            self._record.close()

    def on_train_step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        assert self._record is not None
        self._step = args.cur_step_num
        if self._weights is not None:
            self._weights.keep("step", args)
        if args.cur_step_num != 1 and args.cur_step_num % self._collect_freq:
            return
        loss = last_loss(args.net_outputs)
        if loss is not None and self._wants("collect_metric"):
            self._record.add_value("scalar", "loss/auto", Tensor(np.float32(loss)))
        for param in self._parameters(args):
            self._record.add_value("histogram", f"{param.name}/auto", param)
        first = args.cur_step_num == 1 and self._wants("collect_graph")
        self._record.record(args.cur_step_num, args.train_network if first else None)

    def _parameters(self, args: InternalCallbackParam) -> list[Any]:
        if args.optimizer is None:
            return []
        pattern = self._chosen.get("histogram_regular")
        if pattern is not None:
            return [p for p in args.optimizer.parameters if re.search(pattern, p.name)]
        return list(args.optimizer.parameters)[:_FIRST_PARAMETERS] if self._default else []

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self._keep_metrics(run_context)  # of the evaluation that ended the epoch, if there was one
        if self._weights is not None:
            self._weights.keep("epoch", run_context.original_args())

    def on_train_end(self, run_context: RunContext) -> None:
        if self._weights is not None:
            self._weights.finish(run_context.original_args())

    def on_eval_end(self, run_context: RunContext) -> None:
        self._keep_metrics(run_context)

    def _keep_metrics(self, run_context: RunContext) -> None:
        metrics = run_context.original_args().metrics or {}
        numbers = {n: v for n, v in metrics.items() if isinstance(v, (int, float, np.number))}
        assert self._record is not None
        if numbers and self._wants("collect_metric"):
            self._record.set_mode("eval")
            for name, value in numbers.items():
                self._record.add_value("scalar", name, Tensor(np.float32(value)))
            self._record.record(self._step)
            self._record.set_mode("train")


def _check_specified(given: object) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise TypeError(f"SummaryCollector: collect_specified_data must be a dict, got {describe(given)}.")
    for key, value in given.items():
        if key not in _SPECIFIED:
            known = ", ".join(_SPECIFIED)
            raise ValueError(f"SummaryCollector: collect_specified_data takes {known}, got {key!r}.")
        if value is not None and not isinstance(value, _SPECIFIED[key]):
            raise TypeError(f"SummaryCollector: {key} must be a {_SPECIFIED[key].__name__}, got {describe(value)}.")
    if given.get("collect_landscape"):
        check_settings("SummaryCollector", given["collect_landscape"])
    return given
