"""FlopsUtilizationCollector: how much of a device's speed the products and convolutions of a step use."""

from __future__ import annotations

import logging
import math
import time
from pathlib import Path

from sporax._src.base import config
from sporax._src.base.errors import describe
from sporax._src.train.callbacks.callback import Callback, InternalCallbackParam, RunContext
from sporax._src.train.callbacks.monitor import check_int, wait
from sporax._src.transform.graph.flops import products

_log = logging.getLogger("sporax.train")
_MODES = {"train": ("train_network", "train_dataset_element"), "eval": ("eval_network", "eval_dataset_element")}


class FlopsUtilizationCollector(Callback):
    """Show the fraction of a device's speed that a step uses: operations / (seconds · computility).

    Matrix products and convolutions are counted, forward and backward, two operations for each product that is added. There is
    one device: the figures of the model, of the hardware, of all and of each device are equal.

    Args:
        data_size: Steps of an epoch: after the last of each, nothing is shown.
        computility: The operations a second that the device can do.
        full_flops: Whether to name the figures of all devices, too.
        enable_ma_collector: Whether to write the figures to files in `MA_LOG_DIR` (default: the current folder) for
            other tools. If `computility` is 1, nothing is then shown.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `data_size` is not positive; in a run that shows the figures, if it is not in graph mode.

    Examples:
        >>> import sporax as ms
        >>> collector = ms.train.FlopsUtilizationCollector(100, computility=1e12)
    """

    def __init__(
        self, data_size: int, computility: float = 1, full_flops: bool = True, enable_ma_collector: bool = False
    ) -> None:
        for name, flag in (("full_flops", full_flops), ("enable_ma_collector", enable_ma_collector)):
            if not isinstance(flag, bool):
                raise TypeError(f"FlopsUtilizationCollector: {name} must be a bool, got {describe(flag)}.")
        self.data_size = check_int("FlopsUtilizationCollector", "data_size", data_size, 1)
        self.computility, self.full_flops, self.ma = computility, full_flops, enable_ma_collector
        self.verbose = not (computility == 1 and enable_ma_collector)
        self._flops: float | None = None
        self._began = time.perf_counter()

    def step_begin(self, run_context: RunContext) -> None:
        self._began = time.perf_counter()

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        wait(args.net_outputs)
        milliseconds = (time.perf_counter() - self._began) * 1000
        if self._flops is None and not self._count(args):
            return
        if args.dataset_sink_mode:
            milliseconds /= args.batch_num
        if self.ma:
            self._file("time_step").write_text(_line("time_monitor", "per_step_time", milliseconds))
        if self.verbose and args.cur_step_num % self.data_size:
            used = math.floor(100 * 100 * (self._flops or 0.0) / self.computility * 1000 / milliseconds) / 100
            text = f"{args.mode.title()} per step time: {milliseconds:5.3f} ms mfu:{used:.2f}% hfu:{used:.2f}%"
            print(text, flush=True)

    def _count(self, args: InternalCallbackParam) -> bool:
        """Count the operations of a step, once; return whether this is possible."""
        if config.mode() != config.GRAPH_MODE:
            if self.verbose:
                raise ValueError(
                    "FlopsUtilizationCollector: only graph mode is supported: there is no graph to count in."
                )
            _log.info("FlopsUtilizationCollector: only graph mode is supported; nothing is counted.")
            return False
        network, row = (args[name] for name in _MODES[args.mode])
        self._flops = float(products(network.graph(*row).jaxpr))
        if self.ma:
            lines = (_line("flops", kind, self._flops) for kind in ("model_flops", "hardware_flops"))
            self._file("flops").write_text("".join(lines))
        if self.verbose:
            of = ("Full", "Shard") if self.full_flops else ("Shard",)
            parts = [f"{each} {kind} flops is {self._flops}" for each in of for kind in ("model", "hardware")]
            print(f"{', '.join(parts)}.", flush=True)
        return True

    def _file(self, name: str) -> Path:
        return Path(config.environ("MA_LOG_DIR", ".")) / f"{name}_rank_0.txt"


def _line(what: str, kind: str, value: object) -> str:
    return f'{what}{{type="{kind}", rank_id="0"}} {value} {round(time.time() * 1000)}\n'
