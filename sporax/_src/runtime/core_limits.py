"""Limits on the cores of streams and devices: they are remembered, and XLA schedules kernels as it does without them."""

from __future__ import annotations

import os
from weakref import WeakKeyDictionary

import jax

from sporax._src.base.errors import describe
from sporax._src.runtime.devices import Stream, StreamCtx

Limits = dict[str, int]

_of_streams: WeakKeyDictionary[Stream, Limits] = WeakKeyDictionary()
_of_devices: dict[int, Limits] = {}


def _check_stream(name: str, stream: object) -> None:
    if not isinstance(stream, Stream):
        raise TypeError(f"{name}: stream must be a Stream, got {describe(stream)}.")


def _check_device(name: str, device: object) -> None:
    if not isinstance(device, int) or isinstance(device, bool):
        raise TypeError(f"{name}: device must be an int, got {describe(device)}.")


def _cores(device: int) -> int:
    """Return the cores of a device: the multiprocessors of a GPU, else the processors of the machine."""
    devices = jax.local_devices()
    if not 0 <= device < len(devices):
        raise ValueError(f"device must be in [0, {len(devices)}), got {device}.")
    return getattr(devices[device], "core_count", None) or os.cpu_count() or 1


def _changed(limits: Limits, cube_num: int, vector_num: int) -> Limits:
    """Return limits with new numbers; -1 keeps a number."""
    for name, number in (("cube_num", cube_num), ("vector_num", vector_num)):
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"{name} must be an int, got {describe(number)}.")
        if number != -1 and number < 1:
            raise ValueError(f"{name} must be at least 1, or -1 to keep it, got {number}.")
    given = {"cube_core_num": cube_num, "vector_core_num": vector_num}
    return limits | {name: number for name, number in given.items() if number != -1}


def set_device_limit(device: int, cube_num: int = -1, vector_num: int = -1) -> None:
    """Remember limits on the cores of a device; XLA schedules kernels as it does without them.

    Args:
        device: The number of the device.
        cube_num, vector_num: The number of cores for products of matrices and for other operators; -1 keeps it.

    Raises:
        TypeError: If an argument is no int.
        ValueError: If there is no such device, or a number is not positive.
    """
    _check_device("set_device_limit", device)
    _of_devices[device] = _changed(get_device_limit(device), cube_num, vector_num)


def get_device_limit(device: int) -> Limits:
    """Return the numbers of cores of a device, or its limits, as `cube_core_num` and `vector_core_num`.

    Raises:
        TypeError: If `device` is no int.
        ValueError: If there is no such device.

    Examples:
        >>> import sporax as ms
        >>> sorted(ms.runtime.get_device_limit(0))
        ['cube_core_num', 'vector_core_num']
    """
    _check_device("get_device_limit", device)
    cores = _cores(device)
    return _of_devices.get(device, {"cube_core_num": cores, "vector_core_num": cores}).copy()


def set_stream_limit(stream: Stream, cube_num: int = -1, vector_num: int = -1) -> None:
    """Remember limits on the cores of a stream; XLA schedules kernels as it does without them.

    Args:
        stream: The stream.
        cube_num, vector_num: The number of cores for products of matrices and for other operators; -1 keeps it.

    Raises:
        TypeError: If `stream` is no Stream, or a number no int.
        ValueError: If a number is not positive.
    """
    _check_stream("set_stream_limit", stream)
    _of_streams[stream] = _changed(get_stream_limit(stream), cube_num, vector_num)


def get_stream_limit(stream: Stream) -> Limits:
    """Return the limits of a stream, or those of the first device, as `cube_core_num` and `vector_core_num`.

    Raises:
        TypeError: If `stream` is no Stream.

    Examples:
        >>> import sporax as ms
        >>> stream = ms.runtime.Stream()
        >>> ms.runtime.set_stream_limit(stream, 8, 4)
        >>> ms.runtime.get_stream_limit(stream)
        {'cube_core_num': 8, 'vector_core_num': 4}
    """
    _check_stream("get_stream_limit", stream)
    return _of_streams[stream].copy() if stream in _of_streams else get_device_limit(0)


def reset_stream_limit(stream: Stream) -> None:
    """Forget the limits of a stream.

    Raises:
        TypeError: If `stream` is no Stream.
    """
    _check_stream("reset_stream_limit", stream)
    _of_streams.pop(stream, None)


class StreamLimitCtx(StreamCtx):
    """A `with` block in which a stream is the current one and has limits; the limits it had before return at the end.

    Args:
        stream: The stream.
        cube_num, vector_num: See `set_stream_limit`.

    Raises:
        TypeError: If `stream` is no Stream.

    Examples:
        >>> import sporax as ms
        >>> stream = ms.runtime.Stream()
        >>> with ms.runtime.StreamLimitCtx(stream, 8, 8):
        ...     print(ms.runtime.current_stream() is stream, ms.runtime.get_stream_limit(stream)["cube_core_num"])
        True 8
    """

    stream: Stream

    def __init__(self, stream: Stream, cube_num: int = -1, vector_num: int = -1) -> None:
        _check_stream("StreamLimitCtx", stream)
        super().__init__(stream)
        self._numbers = cube_num, vector_num

    def __enter__(self) -> StreamLimitCtx:
        self._limits = _of_streams.get(self.stream)
        set_stream_limit(self.stream, *self._numbers)
        super().__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        if self._limits is None:
            reset_stream_limit(self.stream)
        else:
            _of_streams[self.stream] = self._limits
