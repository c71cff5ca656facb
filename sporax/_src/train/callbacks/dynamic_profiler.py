"""DynamicProfilerMonitor: a profiler that a file turns on and off while a program runs."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.base.json_text import parse_json
from sporax._src.train.callbacks.callback import Callback, RunContext
from sporax._src.transform.debug.profiler import profile

_log = logging.getLogger("sporax.profiler")
_DEFAULTS = {"start_step": -1, "stop_step": -1, "prof_path": "./", "with_stack": False}


class DynamicProfilerMonitor(Callback):
    """Record the steps that the file `profiler_config.json` names, and look at the file before each step.

    The file holds `start_step` and `stop_step`, the first and the last step to record (-1: none), `prof_path`, the
    folder of the traces (`"./"`: `output_path`), and `with_stack` (see `profile`). Its other entries are for MindSpore.
    The file is created if it does not exist. As a callback of a `Model`, it counts steps from 1. A user's own loop
    calls `step` at the end of each step, and counts from 0.

    Args:
        cfg_path: The folder of the file.
        output_path: The folder of the traces.
        poll_interval, **kwargs: Accepted for MindSpore programs.

    Raises:
        TypeError: If `cfg_path` is not a string.

    Examples:
        >>> import sporax as ms, tempfile
        >>> monitor = ms.profiler.DynamicProfilerMonitor(tempfile.mkdtemp())
    """

    NPU_MONITOR_START = "NPU_MONITOR_START"  # what MindSpore's own monitor is told by

    def __init__(
        self,
        cfg_path: str | None = None,
        output_path: str = "./dyn_profile_data",
        poll_interval: int = 2,
        **kwargs: object,
    ) -> None:
        if not isinstance(cfg_path, str):
            raise TypeError(f"DynamicProfilerMonitor: cfg_path must be a string, got {describe(cfg_path)}.")
        self._file = Path(cfg_path) / "profiler_config.json"
        self._output = output_path
        if not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(_DEFAULTS, indent=4), encoding="utf-8")
        self._read_at: int | None = None
        self._wanted: dict[str, Any] = dict(_DEFAULTS)
        self._profiler: profile | None = None
        self._stop = -1
        self._rounds = 0

    def __exit__(self, *error: object) -> None:
        self._end()

    def step_begin(self, run_context: RunContext) -> None:
        self._begin_at(run_context.original_args().cur_step_num)

    def step_end(self, run_context: RunContext) -> None:
        self._end_at(run_context.original_args().cur_step_num)

    def step(self) -> None:
        """End a step of a user's own loop."""
        self._end_at(self._rounds)
        self._rounds += 1
        self._begin_at(self._rounds)

    def _settings(self) -> dict[str, Any]:
        """Return the content of the file. If it cannot be read, warn once, and return the earlier content."""
        try:
            changed = self._file.stat().st_mtime_ns
            if changed != self._read_at:
                self._read_at = changed
                self._wanted = {**_DEFAULTS, **parse_json(self._file.read_bytes())}
        except (OSError, ValueError, TypeError) as error:
            _log.error("DynamicProfilerMonitor: %s cannot be read: %s.", self._file, error)
        return self._wanted

    def _begin_at(self, step: int) -> None:
        wanted = self._settings()
        start, stop = wanted["start_step"], wanted["stop_step"]
        if start != step or self._profiler is not None:
            return
        if not isinstance(stop, int) or stop < start:
            _log.error("DynamicProfilerMonitor: stop_step must not be before start_step, got %s and %s.", stop, start)
            return
        folder = (
            Path(wanted["prof_path"] if wanted["prof_path"] != "./" else self._output)
            / f"rank0_start{start}_stop{stop}"
        )
        print(f"Rank 0 Dynamic profiler start at step {start}, will stop at step {stop}", flush=True)
        self._profiler, self._stop = profile(output_path=str(folder), with_stack=bool(wanted["with_stack"])), stop
        self._profiler.start()

    def _end_at(self, step: int) -> None:
        if self._profiler is not None and step >= self._stop:
            self._end()
            print(f"Rank 0 Dynamic profiler stop at step {step}", flush=True)

    def _end(self) -> None:
        if self._profiler is not None:
            self._profiler.stop()
            self._profiler = None
