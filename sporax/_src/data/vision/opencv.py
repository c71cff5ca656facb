"""The kernels of image operations: by OpenCV, or in NumPy where OpenCV is missing or does not take the image.

MindSpore computes images with OpenCV 4.5. So these kernels give its pixels, and take its time. The NumPy forms are in
`plain`, `resample` and `warp`; `_by_opencv` joins the two, so that an operation calls one function. Three rules:

- OpenCV is imported by the first call. It may use threads of its own, as in MindSpore, until the first call on a worker
  thread of a pipeline: that sets ``cv2.setNumThreads(1)``, for the whole process. A program that wants otherwise calls
  ``cv2.setNumThreads`` after that.
- Intel's library in OpenCV rounds differently, so it is off during a call, except where pixels only move. OpenCV
  has this switch for each thread.
- OpenCV 5 maps coordinates in another way. There, `warp` computes the coordinates as OpenCV 4 does, and OpenCV samples.
  docs/notes/data.md says which versions give which pixels.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Concatenate, ParamSpec

import numpy as np

from sporax._src.base.errors import warn_user
from sporax._src.data.vision import plain, resample, warp
from sporax._src.data.vision.enums import Border, ConvertMode, Inter

P = ParamSpec("P")
_Plain = Callable[Concatenate[np.ndarray, P], np.ndarray]
_Kernel = Callable[Concatenate[ModuleType, np.ndarray, P], np.ndarray]

_BYTES = "uint8"
_REALS = "uint8 uint16 int16 float32 float64"
_NUMBERS = "uint8 int8 uint16 int16 int32 float32 float64"
MOST_CHANNELS = 4
_LONGEST_SIDE = 32766  # OpenCV holds the coordinates of a warp in 16 bits
_MAIN_THREAD = threading.main_thread().ident


def library() -> ModuleType | None:
    """Return the module `cv2`, or None, with a warning, if it is not installed."""
    cv2 = _module()
    if cv2 is not None and threading.get_ident() != _MAIN_THREAD:
        _without_threads(cv2)
    return cv2


@functools.cache
def _module() -> ModuleType | None:
    try:
        import cv2
    except ImportError as error:
        warn_user(
            f"sporax.dataset.vision: image operations run in NumPy, up to 100 times slower, as OpenCV is missing "
            f'({error}): pip install "sporax[data]"'
        )
        return None
    return cv2


@functools.cache
def _without_threads(cv2: ModuleType) -> None:
    cv2.setNumThreads(1)


def _is_new(cv2: ModuleType) -> bool:
    return int(cv2.__version__.split(".")[0]) > 4


def _by_opencv(
    form: _Plain[P],
    dtypes: str = _REALS,
    *,
    moves: bool = False,
    longest: float = math.inf,
    of_bool: type[np.generic] | None = None,
) -> Callable[[_Kernel[P]], _Plain[P]]:
    """Return a decorator of a kernel that takes the module `cv2` first.

    Args:
        form: What runs instead where there is no OpenCV, or it does not take an image.
        dtypes: The element types that OpenCV takes.
        moves: Whether pixels only move, so that Intel's library cannot round them.
        longest: The longest side of an image that OpenCV takes.
        of_bool: The element type of the result for an image of bool, which is computed as bytes, 0 and 1; None: `form` takes it.
    """
    known = frozenset(map(np.dtype, dtypes.split()))

    def decorate(kernel: _Kernel[P]) -> _Plain[P]:
        @functools.wraps(form)
        def run(image: np.ndarray, *args: P.args, **kwargs: P.kwargs) -> np.ndarray:
            if image.dtype == np.bool_ and of_bool is not None:
                return run(image.view(np.uint8), *args, **kwargs).astype(of_bool, copy=False)
            cv2 = library()
            channels = 1 if image.ndim == 2 else image.shape[2]
            takes = image.dtype in known and 0 < image.size and channels <= MOST_CHANNELS
            if cv2 is None or not takes or max(image.shape[:2]) > longest:
                return form(image, *args, **kwargs)
            before = cv2.ipp.useIPP()
            cv2.ipp.setUseIPP(moves)
            try:
                result = kernel(cv2, image, *args, **kwargs)
            finally:
                cv2.ipp.setUseIPP(before)
            # OpenCV drops an axis of one channel.
            return result[:, :, None] if channels == 1 and result.ndim < image.ndim else result

        return run

    return decorate


# --- files -----------------------------------------------------------------------------------------------------------

_MOST_PIXELS = 1 << 26
_BASELINE_OR_PROGRESSIVE = (0xC0, 0xC1, 0xC2)


def jpeg(data: np.ndarray) -> np.ndarray | None:
    """Return the RGB image in a JPEG file; None where OpenCV is missing, or the file is not one that it reads as Pillow does.

    That is a complete file of one or three channels of 8 bits, with at most 2^26 pixels.

    Args:
        data: A vector of bytes.
    """
    if data.dtype != np.uint8 or not _is_usual(data.tobytes()) or (cv2 := library()) is None:
        return None
    image = cv2.imdecode(data, cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    return None if image is None else cv2.cvtColor(image, cv2.COLOR_BGR2RGB, image)


def of_file(data: np.ndarray, is_gray: bool, is_turned: bool) -> np.ndarray | None:
    """Return the image in the bytes of a file as MindSpore's `read_image` gives it, or None if OpenCV reads none.

    Args:
        data: The bytes.
        is_gray: Whether to give one channel, else three.
        is_turned: Whether to turn it as the file says.
    """
    if (cv2 := library()) is None:
        return None
    flags = (cv2.IMREAD_GRAYSCALE if is_gray else cv2.IMREAD_COLOR) | (
        0 if is_turned else cv2.IMREAD_IGNORE_ORIENTATION
    )
    image = cv2.imdecode(data, flags)
    return image if image is None or is_gray else cv2.cvtColor(image, cv2.COLOR_BGR2RGB, image)


def _is_usual(data: bytes) -> bool:
    """Return whether bytes are a JPEG file that `jpeg` takes: its segments are read up to that of the sizes."""
    if len(data) < 4 or data[:3] != b"\xff\xd8\xff" or data[-2:] != b"\xff\xd9":
        return False
    start = 2
    while start + 10 <= len(data) and data[start] == 0xFF:
        kind, size = data[start + 1], data[start + 2] << 8 | data[start + 3]
        if kind in _BASELINE_OR_PROGRESSIVE:
            height, width = data[start + 5] << 8 | data[start + 6], data[start + 7] << 8 | data[start + 8]
            return data[start + 4] == 8 and data[start + 9] in (1, 3) and height * width <= _MOST_PIXELS
        if kind >> 4 == 0xC and kind != 0xC4:  # other ways of coding
            return False
        start += 2 + size
    return False


# --- pixels that move ------------------------------------------------------------------------------------------------


@_by_opencv(plain.mirrored, _NUMBERS, moves=True)
def mirrored(cv2: ModuleType, image: np.ndarray) -> np.ndarray:
    return cv2.flip(image, 1)


@_by_opencv(plain.padded, _NUMBERS, of_bool=np.uint8)
def padded(
    cv2: ModuleType, image: np.ndarray, sides: tuple[int, int, int, int], colours: tuple[int, ...], mode: Border
) -> np.ndarray:
    left, top, right, bottom = sides
    channels = 1 if image.ndim == 2 else image.shape[2]
    colour = colours if len(colours) == channels else colours[:1] * channels
    return cv2.copyMakeBorder(image, top, bottom, left, right, _border(cv2, mode), value=colour)


def _border(cv2: ModuleType, mode: Border) -> int:
    return {
        Border.CONSTANT: cv2.BORDER_CONSTANT, Border.EDGE: cv2.BORDER_REPLICATE,
        Border.REFLECT: cv2.BORDER_REFLECT_101, Border.SYMMETRIC: cv2.BORDER_REFLECT,
    }[mode]  # fmt: skip


@_by_opencv(plain.channels_first, _NUMBERS)
def channels_first(cv2: ModuleType, image: np.ndarray) -> np.ndarray:
    planes = np.empty((image.shape[2], *image.shape[:2]), image.dtype)
    for channel, plane in enumerate(planes):
        cv2.extractChannel(image, channel, plane)
    return planes


# --- resizing and warping --------------------------------------------------------------------------------------------


def _flag(cv2: ModuleType, interpolation: Inter) -> int:
    return {
        Inter.NEAREST: cv2.INTER_NEAREST, Inter.BICUBIC: cv2.INTER_CUBIC, Inter.PILCUBIC: cv2.INTER_CUBIC,
        Inter.AREA: cv2.INTER_AREA,
    }.get(interpolation, cv2.INTER_LINEAR)  # fmt: skip


@_by_opencv(resample.resize, of_bool=np.bool_)
def resize(cv2: ModuleType, image: np.ndarray, height: int, width: int, interpolation: Inter) -> np.ndarray:
    return cv2.resize(image, (width, height), interpolation=_flag(cv2, interpolation))


# OpenCV 4.13 misplaces the pixels of other types.
@_by_opencv(warp.affine, "uint8 float32", longest=_LONGEST_SIDE, of_bool=np.bool_)
def affine(
    cv2: ModuleType,
    image: np.ndarray,
    m: np.ndarray,
    size: tuple[int, int],
    interpolation: Inter,
    fill: tuple[float, ...],
) -> np.ndarray:
    if _is_new(cv2):
        return _remapped(cv2, image, warp.affine_coordinates(m, size, interpolation), interpolation, fill)
    flags, colour = _flag(cv2, interpolation), warp.colour(fill)
    return cv2.warpAffine(image, m, size[::-1], flags=flags, borderMode=cv2.BORDER_CONSTANT, borderValue=colour)


@_by_opencv(warp.perspective, "uint8 float32", longest=_LONGEST_SIDE, of_bool=np.uint8)
def perspective(
    cv2: ModuleType,
    image: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    size: tuple[int, int],
    interpolation: Inter,
    fill: tuple[float, ...],
) -> np.ndarray:
    m = cv2.getPerspectiveTransform(start.astype(np.float32), end.astype(np.float32))
    if _is_new(cv2):
        return _remapped(cv2, image, warp.perspective_coordinates(m, size, interpolation), interpolation, fill)
    flags, colour = _flag(cv2, interpolation), warp.colour(fill)
    return cv2.warpPerspective(image, m, size[::-1], flags=flags, borderMode=cv2.BORDER_CONSTANT, borderValue=colour)


def _remapped(
    cv2: ModuleType, image: np.ndarray, coordinates: np.ndarray, interpolation: Inter, fill: tuple[float, ...]
) -> np.ndarray:
    whole, parts = coordinates, None
    if interpolation is not Inter.NEAREST:
        whole, fractions = coordinates >> warp.BITS, coordinates & warp.STEPS - 1
        parts = (fractions[1] * warp.STEPS + fractions[0]).astype(np.uint16)
    pairs = np.clip(whole, -32768, 32767).astype(np.int16).transpose(1, 2, 0)
    flags = cv2.INTER_LINEAR if interpolation is Inter.AREA else _flag(cv2, interpolation)
    colour = warp.colour(fill)
    return cv2.remap(
        image, np.ascontiguousarray(pairs), parts, flags, borderMode=cv2.BORDER_CONSTANT, borderValue=colour
    )


# --- values that change by themselves --------------------------------------------------------------------------------


@_by_opencv(plain.looked_up, _BYTES)
def looked_up(cv2: ModuleType, image: np.ndarray, table: np.ndarray) -> np.ndarray:
    return cv2.LUT(image, table)


@_by_opencv(plain.by_channel, _BYTES, moves=True)
def by_channel(cv2: ModuleType, image: np.ndarray, tables: np.ndarray, is_first: bool) -> np.ndarray:
    if not is_first:
        return cv2.LUT(image, np.ascontiguousarray(tables.T)[None])
    planes = np.empty((len(tables), *image.shape[:2]), tables.dtype)
    for channel, table, plane in zip(cv2.split(image), tables, planes, strict=True):
        cv2.LUT(channel, table, plane)
    return planes


@_by_opencv(plain.scaled, _BYTES)
def scaled(cv2: ModuleType, image: np.ndarray, factor: float) -> np.ndarray:
    return cv2.convertScaleAbs(image, alpha=float(np.float32(factor)))


@_by_opencv(plain.negated, _BYTES)
def negated(cv2: ModuleType, image: np.ndarray, low: float, high: float) -> np.ndarray:
    lines = np.ascontiguousarray(image).reshape(image.shape[0], -1)
    inside = cv2.inRange(lines, int(np.ceil(low)), int(np.floor(min(high, 255))))  # 255 or 0
    return cv2.bitwise_xor(lines, inside).reshape(image.shape)


@_by_opencv(plain.shifted, "uint8 float32")
def shifted(cv2: ModuleType, image: np.ndarray, colour: np.ndarray) -> np.ndarray:
    return cv2.add(image, (*colour.tolist(), 0.0))


@_by_opencv(plain.rescaled, "uint8 float32")
def rescaled(cv2: ModuleType, image: np.ndarray, factor: np.float32, summand: np.float32) -> np.ndarray:
    if not summand:  # one pass
        return np.multiply(image, factor, dtype=np.float32, casting="unsafe")
    lines = image.reshape(len(image), -1).astype(np.float32, copy=False)
    result = cv2.transform(lines, np.array([[factor, summand]], np.float32))  # rounds once, as MindSpore does
    return result.reshape(image.shape)


@_by_opencv(plain.halved, "float32")
def halved(cv2: ModuleType, image: np.ndarray) -> np.ndarray:
    return plain.halved(image) if _is_new(cv2) else cv2.convertFp16(image).view(np.float16)


# --- histograms ------------------------------------------------------------------------------------------------------


@_by_opencv(plain.by_tables, _BYTES)
def by_tables(cv2: ModuleType, image: np.ndarray, table_of: plain.Tables) -> np.ndarray:
    def changed(plane: np.ndarray) -> np.ndarray:
        counts = cv2.calcHist([plane], [0], None, [256], [0, 256]).ravel().astype(np.int64)
        return cv2.LUT(plane, table_of(counts))

    return cv2.merge([changed(plane) for plane in cv2.split(image)])


@_by_opencv(plain.equalized, _BYTES)
def equalized(cv2: ModuleType, image: np.ndarray) -> np.ndarray:
    return cv2.merge([cv2.equalizeHist(plane) for plane in cv2.split(image)])


# --- colours ---------------------------------------------------------------------------------------------------------


@_by_opencv(plain.grey, "uint8 uint16 float32")
def grey(cv2: ModuleType, image: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)


@_by_opencv(plain.mixed, "uint8 float32")
def mixed(cv2: ModuleType, image: np.ndarray, share: float, other: np.ndarray, other_share: float) -> np.ndarray:
    return cv2.addWeighted(image, share, other, other_share, 0)


@_by_opencv(plain.hue_turned, _BYTES)
def hue_turned(cv2: ModuleType, image: np.ndarray, steps: int) -> np.ndarray:
    colours = cv2.cvtColor(image, cv2.COLOR_RGB2HSV_FULL)
    colours[:, :, 0] += np.uint8(steps)
    return cv2.cvtColor(colours, cv2.COLOR_HSV2RGB_FULL)


@_by_opencv(plain.converted, "uint8 uint16 float32")
def converted(cv2: ModuleType, image: np.ndarray, mode: ConvertMode) -> np.ndarray:
    return cv2.cvtColor(image, int(mode))


# --- neighbours ------------------------------------------------------------------------------------------------------

_SMOOTH = np.full((3, 3), 1 / 13, np.float32)
_SMOOTH[1, 1] = 5 / 13


@_by_opencv(plain.smoothed, of_bool=np.uint8)
def smoothed(cv2: ModuleType, image: np.ndarray) -> np.ndarray:
    result = cv2.filter2D(image, -1, _SMOOTH).reshape(image.shape)
    for rim in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
        result[rim] = image[rim]
    return result


@_by_opencv(plain.blurred, of_bool=np.uint8)
def blurred(cv2: ModuleType, image: np.ndarray, size: tuple[int, int], sigma: tuple[float, float]) -> np.ndarray:
    return cv2.GaussianBlur(image, size, sigma[0], sigmaY=sigma[1])
