"""The devices of this process: their properties, memory and synchronization."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import jax

from sporax._src.base import config
from sporax._src.base.completion import synchronize
from sporax._src.base.errors import describe


class CurrentDevice(NamedTuple):
    """What `get_current_device` returns."""

    device_target: str
    device_id: int


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device that computations run on.

    Args:
        device_target: `"CPU"`, `"GPU"`, `"TPU"`; `"Ascend"` runs on the best device present.
        device_id: The number of the device.

    Raises:
        ValueError: If the device is unknown.

    Examples:
        >>> import sporax as ms
        >>> ms.set_device("CPU")
        >>> ms.get_current_device().device_target
        'CPU'
    """
    config.set_context(device_target=device_target)
    if device_id is not None:
        config.set_context(device_id=device_id)


def get_current_device() -> CurrentDevice:
    """Return the device that computations run on, as `(device_target, device_id)`."""
    return CurrentDevice(config.get_context("device_target"), config.get_context("device_id"))


class DeviceCtx:
    """A `with` block in which computations run on a device; afterwards they run on the device that was chosen before.

    Args:
        name: `"CPU"`, `"GPU"`, `"TPU"` or `"Ascend"`, as for `set_device`.
        device_id: The number of the device; 0 if None.

    Raises:
        ValueError: If the block begins and the device is unknown.

    Examples:
        >>> import sporax as ms
        >>> with ms.DeviceCtx("CPU"):
        ...     print(ms.ops.ones(2))
        [1. 1.]
    """

    def __init__(self, name: str, device_id: int | None = None) -> None:
        self.name = name
        self.device_id = device_id

    def __enter__(self) -> DeviceCtx:
        if self.device_id is None:
            self.device_id = 0
        if self.device_id < 0:
            raise ValueError(f"DeviceCtx: device_id must be at least 0, got {self.device_id}.")
        before = get_current_device()
        set_device(self.name, self.device_id)
        self._before = before
        return self

    def __exit__(self, *error: object) -> None:
        set_device(*self._before)


_KINDS = ("CPU", "GPU", "TPU", "Ascend")


def _devices(device_target: str | None = None) -> list[Any]:
    if device_target is None:
        device_target = config.get_context("device_target")
    name = _kind(device_target).lower()
    try:
        return jax.devices({"ascend": jax.default_backend()}.get(name, name))
    except RuntimeError:
        return []


def _kind(device_target: object) -> str:
    """Return a kind of device; TypeError or ValueError if it is none."""
    if not isinstance(device_target, str):
        raise TypeError(f"device_target must be a str, got {describe(device_target)}.")
    if device_target not in _KINDS:
        raise ValueError(f"device_target must be one of {', '.join(_KINDS)}, got {describe(device_target)}.")
    return device_target


def _device(device_id: int, device_target: str | None) -> Any:
    """Return a device; ValueError if there is none of this number."""
    found = _devices(device_target)
    if isinstance(device_id, bool) or not isinstance(device_id, int):
        raise TypeError(f"device_id must be an int, got {describe(device_id)}.")
    if not 0 <= device_id < len(found):
        raise ValueError(f"device_id must be in [0, {len(found)}), the devices of this kind, got {device_id}.")
    return found[device_id]


def device_count(device_target: str | None = None) -> int:
    """Return the number of devices of a kind."""
    return len(_devices(device_target))


def is_available(device_target: str) -> bool:
    """Return whether there is a device of a kind."""
    return device_target != "Ascend" and bool(_devices(device_target))


def is_initialized(device_target: str) -> bool:
    """Return whether devices of a kind are in use."""
    return _kind(device_target) == config.get_context("device_target")


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """Return the name of a device; that of a processor is "CPU", as in MindSpore."""
    return _name(_device(device_id, device_target))


def _name(device: Any) -> str:
    return "CPU" if device.platform == "cpu" else str(device.device_kind)


def get_device_properties(device_id: int, device_target: str | None = None) -> dict[str, Any]:
    """Return the properties of a device: its name and memory in bytes."""
    device = _device(device_id, device_target)
    return {"name": _name(device), "total_memory": (device.memory_stats() or {}).get("bytes_limit", 0)}


def get_device_capability(device_id: int, device_target: str | None = None) -> Any:
    """Return the compute capability of a GPU as (major, minor), None of another device."""
    text = getattr(_device(device_id, device_target), "compute_capability", None)
    return tuple(int(part) for part in str(text).split(".")) if text else None


def get_arch_list(device_target: str | None = None) -> None:
    """Return None: XLA compiles for the device that is present, there is no list of architectures it was built for."""
    if device_target is not None:
        _kind(device_target)


# --- memory ---------------------------------------------------------------------------------------------------------


def memory_stats(device_target: str | None = None) -> dict[str, Any]:
    """Return the statistics of the device's allocator, in bytes; empty on a CPU."""
    devices = _devices(device_target)
    return dict(devices[0].memory_stats() or {}) if devices else {}


def memory_allocated(device_target: str | None = None) -> int:
    """Return the bytes in use."""
    return memory_stats(device_target).get("bytes_in_use", 0)


def memory_reserved(device_target: str | None = None) -> int:
    """Return the bytes that the pool holds."""
    return memory_stats(device_target).get("bytes_reserved", memory_allocated(device_target))


def max_memory_allocated(device_target: str | None = None) -> int:
    """Return the most bytes that were in use."""
    return memory_stats(device_target).get("peak_bytes_in_use", 0)


def max_memory_reserved(device_target: str | None = None) -> int:
    """Return the most bytes that the pool held."""
    return memory_stats(device_target).get("peak_bytes_reserved", max_memory_allocated(device_target))


def memory_summary(device_target: str | None = None) -> str:
    """Return the statistics of the allocator as lines of text."""
    return "\n".join(f"{name}: {value}" for name, value in sorted(memory_stats(device_target).items()))


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """Accept the wish: XLA counts peaks from the start of the process."""


def reset_max_memory_allocated(device_target: str | None = None) -> None:
    """Accept the wish: XLA counts peaks from the start of the process."""


def reset_max_memory_reserved(device_target: str | None = None) -> None:
    """Accept the wish: XLA counts peaks from the start of the process."""


# --- streams --------------------------------------------------------------------------------------------------------


class Event:
    """A point in time of the device.

    Args:
        enable_timing, blocking: Accepted; an event always knows its time.

    Examples:
        >>> import sporax as ms
        >>> start, end = ms.runtime.Event(enable_timing=True), ms.runtime.Event(enable_timing=True)
        >>> start.record(), end.record()
        (None, None)
        >>> start.elapsed_time(end) >= 0
        True
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False) -> None:
        self._time: float | None = None

    def record(self, stream: object = None) -> None:
        """Wait for the device and take the time."""
        synchronize()
        self._time = time.perf_counter()

    def wait(self, stream: object = None) -> None:
        """Do nothing: a device computes in one order."""

    def synchronize(self) -> None:
        """Do nothing: `record` has waited."""

    def query(self) -> bool:
        """Return True: `record` has waited."""
        return True

    def elapsed_time(self, end_event: Event) -> float:
        """Return the milliseconds to another event.

        Raises:
            RuntimeError: If one of them was not recorded.
        """
        if self._time is None or end_event._time is None:
            raise RuntimeError("Event.elapsed_time: both events must have been recorded.")
        return (end_event._time - self._time) * 1000


class Stream:
    """The order in which the device computes; there is one, so streams exist for programs that name them.

    Args:
        priority, stream_id, **options: Accepted for MindSpore programs.
    """

    def __init__(self, priority: int = 0, stream_id: int = 0, **options: object) -> None:
        self.id = stream_id

    def record_event(self, event: Event | None = None) -> Event:
        """Record an event and return it."""
        event = event or Event()
        event.record()
        return event

    def wait_event(self, event: Event) -> None:
        """Do nothing: a device computes in one order."""

    def wait_stream(self, stream: Stream) -> None:
        """Do nothing: a device computes in one order."""

    def synchronize(self) -> None:
        """Wait until everything that was started is computed."""
        synchronize()

    def query(self) -> bool:
        """Wait, and return True."""
        synchronize()
        return True


class StreamCtx:
    """A `with` block in which a stream is the current one."""

    def __init__(self, ctx_stream: Stream | None) -> None:
        self.stream = ctx_stream

    def __enter__(self) -> StreamCtx:
        self._before = current_stream()
        set_cur_stream(self.stream)
        return self

    def __exit__(self, *error: object) -> None:
        set_cur_stream(self._before)


_default_stream = Stream()
_current = [_default_stream]


def current_stream() -> Stream:
    """Return the current stream."""
    return _current[0]


def default_stream() -> Stream:
    """Return the stream that is current unless another was chosen."""
    return _default_stream


def communication_stream() -> Stream:
    """Return the stream of collective operations, which is the default one."""
    return _default_stream


def set_cur_stream(stream: Stream | None) -> None:
    """Choose the current stream."""
    if stream is not None:
        _current[0] = stream


def set_deterministic(deterministic: bool) -> None:
    """Make results reproducible bit by bit in every run; on a CPU also whatever the process has computed before.

    On a CPU, NumPy computes small operators outside of gradients that have met many shapes; with this setting all are compiled. As
    in
    MindSpore, `HCCL_DETERMINISTIC` and `TE_PARALLEL_COMPILER`, which programs read and pass on, are set, or else removed.

    Raises:
        TypeError: If `deterministic` is no bool.
    """
    if not isinstance(deterministic, bool):
        raise TypeError(f"set_deterministic: expected a bool, got {deterministic!r}.")
    config.set_context(deterministic="ON" if deterministic else "OFF")
    for name, value in ("HCCL_DETERMINISTIC", "true"), ("TE_PARALLEL_COMPILER", "1"):
        if deterministic:
            config.give_to_children(name, value)
        else:
            config.keep_from_children(name)
