"""The kernels by OpenCV and their NumPy forms give the same pixels; OpenCV is used without traces, or not at all."""

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sporax._src.data.vision import opencv, warp
from sporax._src.data.vision.enums import Border, ConvertMode, Inter

cv2: Any = pytest.importorskip("cv2")

MAP = warp.rotation((40.0, 25.0), 33.0)
CORNERS = np.array([[0, 0], [60, 0], [60, 40], [0, 40]], float)
MOVED = np.array([[5, 3], [55, 6], [62, 44], [2, 37]], float)
TABLE = np.random.default_rng(1).integers(0, 256, 256, np.uint8)
SIDES = (1, 2, 3, 4)

# A kernel, and the largest difference of float32 images in [0, 255].
Kernel = Callable[[np.ndarray], np.ndarray]
ANY: dict[str, tuple[Kernel, float]] = {
    "mirrored": (opencv.mirrored, 0),
    **{f"padded {mode}": (lambda x, mode=mode: opencv.padded(x, SIDES, (1, 2, 3), mode), 0) for mode in Border},
    **{
        f"resize {kind.name} {size}": (lambda x, kind=kind, size=size: opencv.resize(x, *size, kind), 1e-4)
        for kind in (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.AREA)
        for size in ((20, 31), (90, 131), (26, 38), (53, 77))
    },
    **{
        f"affine {kind.name}": (lambda x, kind=kind: opencv.affine(x, MAP, (50, 80), kind, (9, 8, 7)), 1e-4)
        for kind in (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.AREA)
    },
    **{
        f"perspective {kind.name}": (
            lambda x, kind=kind: opencv.perspective(x, CORNERS, MOVED, (50, 80), kind, (9,)), 1e-4)
        for kind in (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC)
    },
    "mixed": (lambda x: opencv.mixed(x, 1.3, x[::-1], 1 - 1.3), 1e-4),
    "mixed far": (lambda x: opencv.mixed(x, -0.7, x[::-1].copy(), 1.7), 1e-4),
    "smoothed": (opencv.smoothed, 1e-4),
    "blurred": (lambda x: opencv.blurred(x, (3, 7), (1.1, 2.3)), 1e-4),
    "scaled": (lambda x: opencv.scaled(x, 1.37), 0),
    "halved": (opencv.halved, 0),
    "rescaled": (lambda x: opencv.rescaled(x, np.float32(1 / 255), np.float32(-0.3)), 0),
    "negated": (lambda x: opencv.negated(x, 50.5, 180), 0),
}  # fmt: skip
OF_BYTES: dict[str, Kernel] = {
    "looked up": lambda x: opencv.looked_up(x, TABLE),
    "equalized": opencv.equalized,
    "by tables": lambda x: opencv.by_tables(x, lambda counts: (np.cumsum(counts) % 256).astype(np.uint8)),
}
OF_COLOURS: dict[str, Kernel] = {
    "grey": opencv.grey,
    "shifted": lambda x: opencv.shifted(x, np.array([1.4, -2.6, 300.3], np.float32)),
    "channels first": opencv.channels_first,
    **{
        name: (lambda x, mode=mode: opencv.converted(x, mode))
        for name, mode in ConvertMode.__members__.items()
        if name.startswith(("COLOR_RGB2", "COLOR_BGR2"))
    },
}


def _image(dtype: str, channels: int, rng: np.random.Generator) -> np.ndarray:
    values = rng.random((53, 77, channels) if channels else (53, 77)) * 255
    return values.astype(dtype)


def _both(kernel: Kernel, image: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> tuple[np.ndarray, np.ndarray]:
    before = image.copy()
    fast = kernel(image)
    with monkeypatch.context() as without:
        without.setattr(opencv, "library", lambda: None)
        plain = kernel(image)
    assert (fast.dtype, fast.shape) == (plain.dtype, plain.shape)
    assert np.array_equal(image, before)
    return fast, plain


@pytest.mark.parametrize("channels", [0, 1, 3, 4, 5])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("name", ANY)
def test_pixels(name: str, dtype: str, channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, most = ANY[name]
    fast, plain = _both(kernel, _image(dtype, channels, np.random.default_rng(0)), monkeypatch)
    if dtype == "uint8" and name.startswith("resize BICUBIC"):
        apart = np.abs(fast.astype(int) - plain)
        assert apart.max() <= 1 and (apart > 0).mean() < 1e-3  # OpenCV adds rows as float32
    elif dtype == "uint8" or most == 0:
        np.testing.assert_array_equal(fast, plain)
    else:
        np.testing.assert_allclose(fast, plain, rtol=0, atol=most)


@pytest.mark.parametrize("channels", [0, 1, 3, 4])
@pytest.mark.parametrize("name", OF_BYTES)
def test_tables(name: str, channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    np.testing.assert_array_equal(
        *_both(OF_BYTES[name], _image("uint8", channels, np.random.default_rng(0)), monkeypatch)
    )


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("name", OF_COLOURS)
def test_colours(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, plain = _both(OF_COLOURS[name], _image(dtype, 3, np.random.default_rng(0)), monkeypatch)
    np.testing.assert_allclose(fast, plain, rtol=0, atol=1e-4 if dtype == "float32" else 0)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_tables_by_channel(channels: int, dtype: str, is_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    tables = (255 * rng.random((channels, 256))).astype(dtype)
    kernel = lambda x: opencv.by_channel(x, tables, is_first)
    fast, plain = _both(kernel, _image("uint8", channels, rng), monkeypatch)
    assert fast.dtype == plain.dtype == dtype
    np.testing.assert_array_equal(fast, plain)


@pytest.mark.parametrize("width", [5, 31, 64, 77])
def test_hues(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.random.default_rng(width).integers(0, 256, (40, width, 3), np.uint8)
    for steps in (0, 51, 200):
        fast, plain = _both(lambda x, steps=steps: opencv.hue_turned(x, steps), image, monkeypatch)
        apart = np.abs(fast.astype(int) - plain)
        assert apart.max() <= 1 and (apart > 0).mean() < 1e-3  # NumPy multiplies and adds in two steps


@pytest.mark.parametrize("view", ["reversed", "part", "transposed", "read-only"])
def test_views(view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.random.default_rng(0).integers(0, 256, (54, 78, 3), np.uint8)
    given = {"reversed": image[::-1, ::-1], "part": image[1:, :-1], "transposed": image.transpose(1, 0, 2)}.get(
        view, image
    )
    given.flags.writeable = view != "read-only"
    for name in ("mirrored", "padded constant", "resize BILINEAR (20, 31)", "affine BILINEAR", "smoothed", "negated"):
        np.testing.assert_array_equal(*_both(ANY[name][0], given, monkeypatch))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "uint16", "int32", "int64", "float16", "float64"])
def test_types_that_opencv_takes_or_not(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    image = (np.random.default_rng(0).random((53, 77, 3)) * 100).astype(dtype)
    for name in ("mirrored", "padded edge", "affine NEAREST"):
        np.testing.assert_array_equal(*_both(ANY[name][0], image, monkeypatch))
    if dtype not in ("bool", "int8"):
        fast, plain = _both(ANY["affine BILINEAR"][0], image, monkeypatch)
        np.testing.assert_allclose(fast.astype(float), plain.astype(float), atol=1e-4)


def test_images_that_opencv_does_not_take() -> None:
    assert opencv.mirrored(np.zeros((0, 4, 3), np.uint8)).shape == (0, 4, 3)
    wide = np.arange(40000, dtype=np.float32)[None]
    shifted = opencv.affine(wide, np.array([[1.0, 0, 1], [0, 1, 0]]), wide.shape, Inter.NEAREST, (0,))
    assert shifted[0, -3:].tolist() == [39996, 39997, 39998]


@pytest.mark.parametrize("kind", [Inter.NEAREST, Inter.BILINEAR, Inter.AREA])
def test_opencv_5_samples_where_opencv_4_does(kind: Inter, monkeypatch: pytest.MonkeyPatch) -> None:
    image = np.random.default_rng(0).integers(0, 256, (53, 77, 3), np.uint8)
    calls = (
        lambda: opencv.affine(image, MAP, (50, 80), kind, (9, 8, 7)),
        lambda: opencv.perspective(image, CORNERS, MOVED, (50, 80), kind, (9,)),
        lambda: opencv.halved(image.astype(np.float32)),
    )
    before = [call() for call in calls]
    monkeypatch.setattr(opencv, "_is_new", lambda module: True)
    for found, expected in zip([call() for call in calls], before, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_the_switch_of_intels_library_is_as_before() -> None:
    states = []

    def one() -> None:
        for state in (True, False):
            cv2.ipp.setUseIPP(state)
            opencv.resize(np.zeros((4, 4), np.uint8), 2, 2, Inter.BILINEAR)
            states.append(cv2.ipp.useIPP() is (state and on))

    on = cv2.ipp.useIPP()
    thread = threading.Thread(target=one)
    thread.start()
    thread.join()
    assert states == [True, True] and cv2.ipp.useIPP() is on


def _run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_opencv_is_loaded_by_the_first_image_and_has_no_threads_beside_workers() -> None:
    program = """
import sys, threading
import numpy as np
import sporax.dataset.vision as vision
print("cv2" in sys.modules)
def resize():
    vision.Resize(2)(np.zeros((4, 4), np.uint8))
def on_a_thread():
    thread = threading.Thread(target=resize)
    thread.start()
    thread.join()
resize()
import cv2
cv2.setNumThreads(3)
resize()
print(cv2.getNumThreads())
on_a_thread()
print(cv2.getNumThreads())
cv2.setNumThreads(2)
on_a_thread()
print(cv2.getNumThreads())
"""
    assert _run(program).split() == ["False", "3", "1", "2"]


def test_without_opencv_one_warning_says_what_to_install() -> None:
    program = """
import sys, warnings
sys.modules["cv2"] = None
import numpy as np
import sporax.dataset.vision as vision
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        print(vision.Resize(2)(np.full((4, 4), 7, np.uint8)).tolist())
print(len(caught), caught[0].message)
"""
    *results, warned = _run(program).splitlines()
    assert results == ["[[7, 7], [7, 7]]"] * 2
    assert (
        warned.startswith("1 sporax.dataset.vision: image operations run in NumPy")
        and 'pip install "sporax[data]"' in warned
    )
