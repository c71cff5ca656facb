"""The profiler."""

from sporax._src.runtime.profiler import (
    AicoreMetrics,
    ExportType,
    Profiler,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
    mstx,
    profile,
    schedule,
    tensorboard_trace_handler,
)

__all__ = [
    "AicoreMetrics",
    "ExportType",
    "Profiler",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "mstx",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]
