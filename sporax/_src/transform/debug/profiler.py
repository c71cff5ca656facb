"""The profiler: a timeline recorded by JAX's profiler for TensorBoard and Perfetto, and a summary by lines of the program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

import jax

from sporax._src.base.config import tell_once
from sporax._src.transform.debug.profile_findings import Findings
from sporax._src.transform.debug.profile_report import ProfileReport


class ProfilerLevel(Enum):
    """How much MindSpore records; JAX's profiler has one level, above `LevelNone`."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """Activities to record; JAX's profiler always records the host and every device."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(Enum):
    """Counters of Ascend's cores: accepted for MindSpore programs."""

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """Forms of MindSpore's results: accepted; JAX's profiler writes one."""

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """Kinds of calls of the host's system: accepted for MindSpore programs."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


class ProfilerAction(Enum):
    """What the profiler does in a step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def _whole(function: str, low: int = 0, **numbers: object) -> None:
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise ValueError(f"{function}: {name} must be an int >= {low}, got {value!r}.")


class Schedule:
    """Steps to record: `skip_first` steps once, then rounds of `wait`, `warmup` and `active` steps.

    Args:
        wait, warmup: Steps of a round that are not recorded.
        active: Steps of a round that are recorded, as one trace.
        repeat: The number of rounds; 0: until the program ends.
        skip_first: Steps before the first round.

    Raises:
        ValueError: If a number is negative, or `active` is 0.

    Examples:
        >>> import sporax as ms
        >>> plan = ms.profiler.schedule(wait=1, active=2)
        >>> [plan(step).name for step in range(4)]
        ['NONE', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0) -> None:
        _whole("schedule", wait=wait, warmup=warmup, repeat=repeat, skip_first=skip_first)
        _whole("schedule", 1, active=active)
        self.wait, self.active, self.warmup, self.repeat, self.skip_first = wait, active, warmup, repeat, skip_first

    def __call__(self, step: int) -> ProfilerAction:
        """Return what is done in a step, counted from 0."""
        if step < self.skip_first:
            return ProfilerAction.NONE
        round_, position = divmod(step - self.skip_first, self.wait + self.warmup + self.active)
        if position < self.wait or 0 < self.repeat <= round_:
            return ProfilerAction.NONE
        if position < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        last = position == self.wait + self.warmup + self.active - 1
        return ProfilerAction.RECORD_AND_SAVE if last else ProfilerAction.RECORD


class TraceHandler:
    """Names the folder of the traces: `on_trace_ready` of a profiler.

    Args:
        dir_name: The folder; `"./data"` if None.
        worker_name, analyse_flag, async_mode: Accepted for MindSpore programs.
    """

    def __init__(
        self,
        dir_name: str | None = None,
        worker_name: str | None = None,
        analyse_flag: bool = True,
        async_mode: bool = False,
    ) -> None:
        if dir_name is not None and not isinstance(dir_name, str):
            raise TypeError(f"tensorboard_trace_handler: dir_name must be a string, got {dir_name!r}.")
        self.dir_name = dir_name

    def __call__(self, profiler: object) -> None:
        """Do nothing: JAX's profiler has written the trace to the folder."""


schedule = Schedule
tensorboard_trace_handler = TraceHandler


class ExperimentalConfig:
    """Options of Ascend's profiler for `experimental_config`: they are stored, and have no effect on JAX's profiler."""

    def __init__(
        self,
        profiler_level: ProfilerLevel = ProfilerLevel.Level0,
        aic_metrics: AicoreMetrics = AicoreMetrics.AiCoreNone,
        l2_cache: bool = False,
        mstx: bool = False,
        data_simplification: bool = True,
        export_type: list[ExportType] | None = None,
        **options: object,
    ) -> None:
        if not isinstance(profiler_level, ProfilerLevel):
            raise TypeError(f"_ExperimentalConfig: profiler_level must be a ProfilerLevel, got {profiler_level!r}.")
        self.profiler_level, self.aic_metrics, self.mstx = profiler_level, aic_metrics, mstx
        self.l2_cache, self.data_simplification, self.export_type = l2_cache, data_simplification, export_type
        self.options = options


_ExperimentalConfig = ExperimentalConfig


class profile:
    """Records all operations, from `start` to `stop` or in the steps of a schedule, for TensorBoard and Perfetto.

    Args:
        activities: Accepted; the host and every device are always recorded.
        schedule: Returns for each step whether to record (see `schedule`); `step` then ends each step.
        on_trace_ready: Called with the profiler when a trace is written; see `tensorboard_trace_handler`.
        start_profile: Whether entering the context starts recording.
        with_stack: Whether the trace holds the calls of Python, too, which makes it large.
        experimental_config, profile_memory, data_process, parallel_strategy, hbm_ddr, pcie, sync_enable, record_shapes:
            Accepted for MindSpore programs; memory and the time spent waiting for data are always in the report.
        output_path: The folder of the traces if `on_trace_ready` names none.

    Raises:
        TypeError: If `schedule` or `on_trace_ready` cannot be called, or an option is unknown.
        RuntimeError: If another profiler is recording.

    Examples:
        >>> import sporax as ms, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with ms.profiler.profile(on_trace_ready=ms.profiler.tensorboard_trace_handler(folder)):
        ...     y = ms.ops.sin(ms.Tensor([1.0]))
    """

    _hints = ("profiler_level", "aicore_metrics", "l2_cache", "mstx", "data_simplification", "op_time",
              "timeline_limit", "profile_communication", "profile_framework", "host_stack", "subgraph", "timeline",
              "sys_io", "sys_interconnection", "host_sys", "export_type", "ascend_job_id")  # fmt: skip
    running: ClassVar[profile | None] = None

    def __init__(
        self,
        activities: Iterable[ProfilerActivity] | None = None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        record_shapes: bool = False,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        experimental_config: ExperimentalConfig | None = None,
        *,
        output_path: str = "./data",
        **hints: object,
    ) -> None:
        name = type(self).__name__
        flags = {"parallel_strategy": parallel_strategy, "hbm_ddr": hbm_ddr, "pcie": pcie, "record_shapes": record_shapes,
                 "sync_enable": not sync_enable}  # fmt: skip
        unknown = [hint for hint in hints if hint not in self._hints]
        if unknown:
            raise TypeError(f"{name}: unknown option '{unknown[0]}'.")
        for what, value in (("schedule", schedule), ("on_trace_ready", on_trace_ready)):
            if value is not None and not callable(value):
                raise TypeError(f"{name}: {what} must be a function, got {value!r}.")
        ignored = [flag for flag, value in flags.items() if value] + [*hints]
        if ignored:
            tell_once(
                "profiler", f"{name}: {', '.join(ignored)} have no effect: JAX's profiler records one kind of trace."
            )
        self._schedule, self._ready, self._starts = schedule, on_trace_ready, start_profile
        self._folder = getattr(on_trace_ready, "dir_name", None) or output_path
        self._options = jax.profiler.ProfileOptions()
        self._options.python_tracer_level = int(with_stack)
        self._findings = Findings()
        self._report: ProfileReport | None = None
        self._step = 0
        self._metadata: dict[str, Any] = {}
        self._active = False

    def __enter__(self) -> profile:
        if self._starts:
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin recording, or with a schedule, the first step."""
        self._active = True
        self._act(self._action())

    def step(self) -> None:
        """End a step; a schedule decides whether recording starts or a trace is written."""
        if not self._active:
            raise RuntimeError(f"{type(self).__name__}.step: call start() first.")
        if self._schedule is not None and self._action() is ProfilerAction.RECORD_AND_SAVE:
            self._save()
        self._step += 1
        self._act(self._action())

    def stop(self) -> None:
        """Stop recording and write the trace."""
        self._active = False
        self._save()

    def _action(self) -> ProfilerAction:
        return ProfilerAction.RECORD if self._schedule is None else self._schedule(self._step)

    def _act(self, action: ProfilerAction) -> None:
        recording = action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if not recording or profile.running is self:
            return
        if profile.running is not None:
            raise RuntimeError(f"{type(self).__name__}.start: another profiler is recording; stop it first.")
        Path(self._folder).mkdir(parents=True, exist_ok=True)
        jax.profiler.start_trace(os.fspath(self._folder), profiler_options=self._options)
        profile.running = self
        self._findings.start()

    def _save(self) -> None:
        if profile.running is not self:
            return
        jax.block_until_ready(jax.live_arrays())  # steps that have started belong to the recording
        jax.effects_barrier()
        profile.running = None
        self._findings.stop()
        jax.profiler.stop_trace()
        self._findings.read(Path(self._folder))
        self._report = self._findings.report()
        (Path(self._folder) / "report.txt").write_text(f"{self._report}\n", encoding="utf-8")
        if self._metadata:
            (Path(self._folder) / "profiler_metadata.json").write_text(json.dumps(self._metadata, indent=1))
        if self._ready is not None:
            self._ready(self)

    @property
    def report(self) -> ProfileReport:
        """The summary of the recording: the costliest operators by lines of the program, times, memory.

        `print(profiler.report)` shows it; the file `report.txt` beside the traces contains it too.

        Raises:
            RuntimeError: If nothing has been recorded yet.
        """
        if self._report is None:
            raise RuntimeError(f"{type(self).__name__}.report: nothing is recorded yet; call stop() first.")
        return self._report

    def add_metadata(self, key: str, value: str) -> None:
        """Write a text beside the trace under a name, into `profiler_metadata.json`."""
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(
                f"{type(self).__name__}.add_metadata: key and value must be strings, got {key!r}: {value!r}."
            )
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Write a JSON text beside the trace under a name.

        Raises:
            ValueError: If the text is no JSON.
        """
        try:
            self._metadata[key] = json.loads(value)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{type(self).__name__}.add_metadata_json: the value of '{key}' is no JSON: {error}."
            ) from None


class Profiler(profile):
    """Records all operations from its construction (see `profile`) to `analyse`.

    Args:
        output_path: The folder of the traces.
        start_profile: Whether to start at once.
        **options: See `profile`.

    Examples:
        >>> import sporax as ms, tempfile
        >>> profiler = ms.Profiler(output_path=tempfile.mkdtemp())
        >>> y = ms.ops.sin(ms.Tensor([1.0]))
        >>> profiler.analyse()
        >>> profiler.report.operators[0].operator
        'ops.sin'
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if self._starts:
            self.start()

    def __enter__(self) -> Profiler:
        return self

    def analyse(
        self, offline_path: str | None = None, pretty: bool = False, step_list: object = None, mode: str = "sync"
    ) -> None:
        """Stop recording if necessary, and write the trace and its summary (see `report`)."""
        self.stop()


class mstx:
    """Marks in the trace, with a message of the program."""

    _ranges: ClassVar[dict[int, Any]] = {}
    _count = 0

    @staticmethod
    def mark(message: str, stream: object = None, domain: str = "default") -> None:
        """Mark a moment."""
        with jax.profiler.TraceAnnotation(_message("mark", message), domain=domain):
            pass

    @classmethod
    def range_start(cls, message: str, stream: object = None, domain: str = "default") -> int:
        """Start a time range and return its number."""
        annotation = jax.profiler.TraceAnnotation(_message("range_start", message), domain=domain)
        annotation.__enter__()
        cls._count += 1
        cls._ranges[cls._count] = annotation
        return cls._count

    @classmethod
    def range_end(cls, range_id: int, domain: str = "default") -> None:
        """End a time range; a number that is not open is ignored."""
        annotation = cls._ranges.pop(range_id, None)
        if annotation is not None:
            annotation.__exit__(None, None, None)


def _message(function: str, message: object) -> str:
    if not isinstance(message, str) or not message:
        raise TypeError(f"mstx.{function}: message must be a string that is not empty, got {message!r}.")
    return message
