"""Videos: frames, sound and times, read by the package av (PyAV), which brings FFmpeg."""

from __future__ import annotations

import io
import os
from fractions import Fraction
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data.tensor_bridge import as_array
from sporax._src.data.transforms.base import TensorOperation

__all__ = ["DecodeVideo", "VideoDecoder", "read_video", "read_video_timestamps"]

Time = int | float | Fraction
_UNITS = ("pts", "sec")


class DecodeVideo(TensorOperation):
    """Decodes the bytes of a video file to frames (uint8, ``(T, H, W, 3)``) and sound (``(channels, samples)``).

    Raises:
        RuntimeError: If the input is not one vector of bytes, holds no video, or the package av is missing.

    Examples:
        >>> from sporax.dataset import vision
        >>> vision.DecodeVideo()([1.0])
        Traceback (most recent call last):
            ...
        RuntimeError: vision.DecodeVideo: expected the bytes of a file, uint8[n], got float64[1].
    """

    def __call__(self, *inputs: Any) -> Any:
        where = "vision.DecodeVideo"
        if len(inputs) != 1 or not isinstance(inputs[0], (np.ndarray, list)):
            raise TypeError(f"{where}: expected an array, got {describe(inputs[0] if len(inputs) == 1 else inputs)}.")
        raw = as_array(inputs[0])
        if raw.dtype != np.uint8 or raw.ndim != 1 or not raw.size:
            raise RuntimeError(f"{where}: expected the bytes of a file, uint8[n], got {describe(raw)}.")
        return _read(where, io.BytesIO(raw.tobytes()), "the input")[:2]


class VideoDecoder:
    """Gives frames of a video file by number, and what is known of the video.

    Args:
        source (str): The file.

    Raises:
        TypeError: If `source` is not a str.
        ValueError: If the file does not exist.
        RuntimeError: If it holds no video, or the package av is missing.

    Examples:
        >>> from sporax.dataset import vision
        >>> vision.VideoDecoder("none.mp4")
        Traceback (most recent call last):
            ...
        ValueError: vision.VideoDecoder: the file none.mp4 does not exist.
    """

    def __init__(self, source: str) -> None:
        self.source = _file("vision.VideoDecoder", source)
        self._metadata = self.metadata

    @property
    def metadata(self) -> dict[str, Any]:
        """Width and height, the duration in seconds, the number of frames, and the frames a second."""
        with _opened("vision.VideoDecoder", self.source, self.source) as container:
            stream = container.streams.video[0]
            return {
                "width": stream.width,
                "height": stream.height,
                "duration_seconds": round(float((stream.duration or 0) * stream.time_base), 6),
                "num_frames": stream.frames,
                "average_fps": float(stream.average_rate),
            }

    def get_frames_at(self, indices: list[int]) -> np.ndarray:
        """Return frames (uint8, ``(T, H, W, 3)``); MindSpore's CPU refuses this method.

        Args:
            indices (list[int]): The numbers of the frames.

        Raises:
            TypeError: If `indices` is not a list of ints.
            ValueError: If there is no such frame.
        """
        where = "vision.VideoDecoder.get_frames_at"
        if not isinstance(indices, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in indices):
            raise TypeError(f"{where}: indices must be a list of ints, got {describe(indices)}.")
        if not indices:
            return np.empty(0, np.uint8)
        wanted, found, count = set(indices), {}, 0
        with _opened(where, self.source, self.source) as container:
            for count, frame in enumerate(container.decode(video=0), 1):
                if count - 1 in wanted:
                    found[count - 1] = frame.to_ndarray(format="rgb24")
        if wrong := sorted(wanted - found.keys()):
            raise ValueError(f"{where}: indices must be in [0, {count}), got {wrong[0]}.")
        return np.stack([found[index] for index in indices])


def read_video(
    filename: str, start_pts: Time = 0, end_pts: Time | None = None, pts_unit: str = "pts"
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Return the frames (uint8, ``(T, H, W, 3)``) and the sound (``(channels, samples)``) of a video file, and their rates.

    Args:
        filename (str): The file.
        start_pts (Union[float, Fraction, int]): The time of the first frame. Default: ``0``.
        end_pts (Union[float, Fraction, int], optional): The time of the last frame. Default: ``None``, the end.
        pts_unit (str): The unit of these times: ``"pts"``, that of the file, or ``"sec"``. Default: ``"pts"``.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If the file does not exist, or an argument is out of range.
        RuntimeError: If the file holds no video, or the package av is missing.

    Examples:
        >>> from sporax.dataset import vision
        >>> vision.read_video("none.mp4")
        Traceback (most recent call last):
            ...
        ValueError: vision.read_video: the file none.mp4 does not exist.
    """
    where = "vision.read_video"
    if not isinstance(filename, str):
        raise TypeError(f"{where}: filename must be a str, got {describe(filename)}.")
    for name, value in ("start_pts", start_pts), ("end_pts", float("inf") if end_pts is None else end_pts):
        if not isinstance(value, (int, float, Fraction)):
            raise TypeError(f"{where}: {name} must be a number, got {describe(value)}.")
    if start_pts < 0:
        raise ValueError(f"{where}: start_pts must be >= 0, got {start_pts}.")
    if end_pts is not None and end_pts < start_pts:
        raise ValueError(f"{where}: end_pts must be >= start_pts={start_pts}, got {end_pts}.")
    _check_unit(where, pts_unit, ValueError)
    return _read(where, _file(where, filename), filename, start_pts, end_pts, pts_unit)


def read_video_timestamps(filename: str, pts_unit: str = "pts") -> tuple[list[Any], float | None]:
    """Return the times of the frames of a video file, and the frames a second.

    Args:
        filename (str): The file.
        pts_unit (str): The unit of the times: ``"pts"``, that of the file, or ``"sec"``. Default: ``"pts"``.

    Raises:
        TypeError: If an argument has the wrong type.
        RuntimeError: If the file does not exist or holds no video, `pts_unit` is unknown, or the package av is missing.

    Examples:
        >>> from sporax.dataset import vision
        >>> vision.read_video_timestamps("none.mp4")
        Traceback (most recent call last):
            ...
        RuntimeError: vision.read_video_timestamps: the file none.mp4 does not exist.
    """
    where = "vision.read_video_timestamps"
    if not isinstance(filename, str):
        raise TypeError(f"{where}: filename must be a str, got {describe(filename)}.")
    _check_unit(where, pts_unit, RuntimeError)
    if not os.path.isfile(filename):
        raise RuntimeError(f"{where}: the file {shown(filename)} does not exist.")
    with _opened(where, filename, filename) as container:
        stream = container.streams.video[0]
        times = sorted(packet.pts for packet in container.demux(stream) if packet.pts is not None)
        if not times:
            return [], None
        base = float(np.float32(stream.time_base))  # MindSpore's times have its precision
        return [pts if pts_unit == "pts" else pts * base for pts in times], float(stream.average_rate)


def _check_unit(where: str, unit: object, kind: type[Exception]) -> None:
    if not isinstance(unit, str):
        raise TypeError(f"{where}: pts_unit must be a str, got {describe(unit)}.")
    if unit not in _UNITS:
        raise kind(f"{where}: pts_unit must be one of {list(_UNITS)}, got {describe(unit)}.")


def _file(where: str, path: object) -> str:
    if not isinstance(path, str):
        raise TypeError(f"{where}: source must be a str, got {describe(path)}.")
    if not os.path.isfile(path):
        raise ValueError(
            f"{where}: the file {shown(path)} {'is a folder' if os.path.isdir(path) else 'does not exist'}."
        )
    return path


def _opened(where: str, source: Any, name: str) -> Any:
    try:
        import av
    except ImportError as error:
        raise RuntimeError(f"{where} needs the package av (pip install 'sporax[video]'): {error}.") from error
    try:
        container = av.open(source)
    except (av.error.FFmpegError, ValueError) as error:
        raise RuntimeError(f"{where}: {shown(name)} holds no video: {shown(error)}.") from error
    if not container.streams.video:
        container.close()
        raise RuntimeError(f"{where}: {shown(name)} holds no video: it has no stream of pictures.")
    return container


def _read(
    where: str, source: Any, name: str, start: Time = 0, end: Time | None = None, unit: str = "pts"
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Return the frames between two times, and of the sound the same part of its length."""
    frames, every, rates = [], 0, {}
    with _opened(where, source, name) as container:
        stream = container.streams.video[0]
        scale = 1 if unit == "pts" else stream.time_base
        first = None
        for every, frame in enumerate(container.decode(stream), 1):
            time = float((frame.pts or 0) * scale)
            if start <= time and (end is None or time <= end):
                first = every - 1 if first is None else first
                frames.append(frame.to_ndarray(format="rgb24"))
        shape = (0, stream.height, stream.width, 3)
        rates["video_fps"] = float(stream.average_rate)
    sound, rate = _sound(where, source, name)
    if rate is not None:
        rates["audio_fps"] = rate
    parts = [round(sound.shape[1] * number / max(every, 1)) for number in (first or 0, (first or 0) + len(frames))]
    return np.stack(frames) if frames else np.empty(shape, np.uint8), sound[:, slice(*parts)], rates


def _sound(where: str, source: Any, name: str) -> tuple[np.ndarray, int | None]:
    if isinstance(source, io.BytesIO):
        source.seek(0)
    with _opened(where, source, name) as container:
        if not container.streams.audio:
            return np.empty((1, 0), np.float32), None
        stream = container.streams.audio[0]
        planes = [_planes(frame) for frame in container.decode(stream)]
        return np.concatenate(planes, 1) if planes else np.empty((1, 0), np.float32), stream.rate


def _planes(frame: Any) -> np.ndarray:
    """Return the channels of a piece of sound, which may lie sample by sample."""
    array = frame.to_ndarray()
    return array if frame.format.is_planar else array.reshape(-1, len(frame.layout.channels)).T
