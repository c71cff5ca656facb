"""An operation computes the same for an array however it lies in memory, and leaves the array as it is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from data_tables import audio as sounds
from data_tables import audio_effects, vision

from sporax import dataset
from sporax._src.data import randomness


def _strided(array: np.ndarray) -> np.ndarray:
    wide = np.zeros([2 * size + 1 for size in array.shape], array.dtype)
    view = wide[tuple(slice(1, None, 2) for _ in array.shape)]
    view[...] = array
    return view


def _last_axis_first(array: np.ndarray) -> np.ndarray:
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, -1, 0)), 0, -1)


def _reversed(array: np.ndarray) -> np.ndarray:
    turned = tuple(slice(None, None, -1) for _ in array.shape)
    return np.ascontiguousarray(array[turned])[turned]


def _read_only(array: np.ndarray) -> np.ndarray:
    copied = array.copy()
    copied.flags.writeable = False
    return copied


def _swapped(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("S"))


VIEWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "strided": _strided, "last axis first": _last_axis_first, "Fortran's order": np.asfortranarray, "reversed": _reversed,
    "read-only": _read_only, "other byte order": _swapped,
}  # fmt: skip
IMAGES = {
    "uint8": vision.IMAGE,
    "float32": vision.IMAGE.astype(np.float32),
    "float64": vision.IMAGE.astype(np.float64) / 256,
}

MEANS = "[120.0, 110.0, 100.0], [50.0, 60.0, 70.0]"
# Those whose results are recorded elsewhere.
MORE = f"""CenterCrop(5) Crop((1,2),(3,4)) CutOut(3) HWC2CHW() HorizontalFlip() Invert() Normalize({MEANS}) Normalize([0.5],[2.0])
NormalizePad({MEANS}) NormalizePad({MEANS},'float16') Pad(2) Pad(2,0,Border.REFLECT) Rescale(0.1,0.0) Rescale(0.1,0.5)
Resize((7,9)) Resize((7,9),Inter.AREA) Resize((7,9),Inter.NEAREST) Resize((7,9),Inter.BICUBIC) Resize((7,9),Inter.PILCUBIC)
SlicePatches(2,3) Solarize((50,180)) ToTensor() ToType('float16') VerticalFlip() RandomErasing(1.0,(0.1,0.1),(1.0,1.0))""".replace(
    ", ", ","
)


def _results(call: Callable[[], Any]) -> list[tuple[Any, ...]] | str:
    rows = randomness.rows_of((0, 0, 0))
    rows.at(0)
    try:
        with rows:
            found = call()
    except (TypeError, ValueError, RuntimeError) as error:
        return type(error).__name__
    parts = [np.asarray(part) for part in (found if isinstance(found, tuple) else (found,))]
    return [(part.dtype, part.shape, part.tobytes()) for part in parts]


def _assert_equal_for_views(call: Callable[[np.ndarray], Any], array: np.ndarray) -> None:
    expected = _results(lambda: call(array.copy()))
    for name, view in VIEWS.items():
        given = view(array)
        assert _results(lambda given=given: call(given)) == expected, name
        np.testing.assert_array_equal(given, array, err_msg=name)


@pytest.mark.parametrize("dtype", IMAGES)
@pytest.mark.parametrize("text", [*sorted({case.rsplit(" ", 1)[0] for case in vision.GOLDENS}), *MORE.split()])
def test_images(text: str, dtype: str) -> None:
    call, image = eval(text, vars(dataset.vision).copy()), IMAGES[dtype]
    _assert_equal_for_views(call, image)


SOUNDS = [
    *((text, audio_effects.NAMES) for text in sorted(audio_effects.GOLDENS) if "array" in audio_effects.GOLDENS[text]),
    *((text, sounds.NAMES) for text in sorted(sounds.GOLDENS)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "names"), SOUNDS, ids=[text for text, _ in SOUNDS])
def test_sounds(text: str, names: dict[str, Any]) -> None:
    operation, is_call, arguments = text.rpartition(")(")
    if not is_call:  # a function of numbers
        return
    call = eval(operation + ")", dict(names))
    sound = eval(arguments.removesuffix(")"), dict(names))
    _assert_equal_for_views(call, sound)
