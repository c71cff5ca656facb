"""Operations on images that leave nothing to chance: results of a small array and Pillow image."""

import warnings
from pathlib import Path
from typing import Any

import mindspore.dataset.vision as vision
import numpy as np
from PIL import Image

from .common import write_json

CORNERS = "[[0, 0], [11, 0], [11, 15], [0, 15]], [[2, 1], [9, 3], [10, 13], [1, 14]]"
CALLS = f"""AdjustBrightness(0.5)
AdjustBrightness(2.0)
AdjustContrast(0.5)
AdjustContrast(2.0)
AdjustGamma(0.5)
AdjustGamma(2.2, 0.8)
AdjustHue(0.2)
AdjustHue(-0.4)
AdjustSaturation(0.5)
AdjustSaturation(2.0)
AdjustSharpness(0.0)
AdjustSharpness(2.0)
Affine(15, [0.1, -0.1], 1.1, [5, 3])
Affine(15, [0.1, -0.1], 1.1, [5, 3], Inter.BILINEAR, 9)
Affine(30.0, (-0.2, 0.2), 0.8, (0, 10), Inter.NEAREST, (1, 2, 3))
Affine(-45, [0, 0], 2.0, [0, 0], Inter.BICUBIC)
AutoContrast()
AutoContrast(10.0)
AutoContrast(5.0, [0, 255])
ConvertColor(ConvertMode.COLOR_RGB2BGR)
ConvertColor(ConvertMode.COLOR_RGB2GRAY)
ConvertColor(ConvertMode.COLOR_BGR2GRAY)
ConvertColor(ConvertMode.COLOR_RGB2RGBA)
ConvertColor(ConvertMode.COLOR_BGR2RGBA)
Equalize()
Erase(2, 3, 5, 6, (9, 8, 7))
Erase(12, 3, 10, 6, 5)
FiveCrop((5, 4))
GaussianBlur(3)
GaussianBlur((3, 5), (1.0, 2.0))
PadToSize(20)
PadToSize((20, 18), (2, 3), (1, 2, 3))
PadToSize(20, None, 0, Border.EDGE)
Perspective({CORNERS})
Perspective({CORNERS}, Inter.NEAREST)
Perspective({CORNERS}, Inter.CUBIC)
Posterize(0)
Posterize(1)
Posterize(4)
ResizedCrop(2, 3, 8, 7, (5, 6))
ResizedCrop(2, 3, 8, 7, 12, Inter.BICUBIC)
Rotate(30)
Rotate(30, Inter.BILINEAR)
Rotate(30, Inter.BICUBIC, False, None, 7)
Rotate(30, Inter.BILINEAR, True)
Rotate(45, Inter.NEAREST, True, None, (1, 2, 3))
Rotate(-60, Inter.NEAREST, False, (3, 4))
Rotate(90, Inter.NEAREST, True)
SlicePatches(2, 3)
SlicePatches(5, 5, SliceMode.DROP)
SlicePatches(5, 5, SliceMode.PAD, 4)
Solarize((10, 100))
Solarize(128)
TenCrop(4, True)
RandomAdjustSharpness(2.0, 1.0)
RandomAffine((15, 15))
RandomAutoContrast(0.0, None, 1.0)
RandomColor((0.0, 0.0))
RandomColor((1.7, 1.7))
RandomEqualize(1.0)
RandomInvert(1.0)
RandomPosterize((3, 3))
RandomSharpness((0.0, 0.0))
RandomSharpness((1.7, 1.7))
RandomSolarize((10, 10))
HsvToRgb(True)
RgbToHsv(True)""".splitlines()
WIDE = ("AdjustHue", "AutoContrast")  # what OpenCV does to 32 pixels of a row at a time, and histograms of more values
NOT_PILLOW = ("RandomAffine",)  # MindSpore turns Pillow images around another centre than arrays


def image(width: int = 12) -> np.ndarray:
    """Return a picture with slopes, curves and noise."""
    y, x = np.mgrid[:16, :width]
    slopes = np.stack([(x * 19 + y * 3) % 256, (y * 14 + x * 5 + 40) % 256, (x - 6) ** 2 * 3 + (y - 8) ** 2 * 2], -1)
    noise = np.random.default_rng(0).integers(-12, 13, slopes.shape)
    return np.clip(slopes + noise, 0, 255).astype(np.uint8)


def record(out: Path) -> None:
    """Write ``vision.json`` and ``vision.npz``."""
    warnings.simplefilter("ignore")
    array = image()
    inputs = {"array": array, "pillow": Image.fromarray(array), "wide": image(45)}
    arrays: dict[str, np.ndarray] = {"image": array, "wide": inputs["wide"]}
    layout: dict[str, Any] = {}
    for text in CALLS:
        for name, given in inputs.items():
            if (name == "pillow" and text.startswith(NOT_PILLOW)) or (name == "wide" and not text.startswith(WIDE)):
                continue
            try:
                found = eval(text, dict(vars(vision)))(given)
            except Exception as error:
                layout[f"{text} {name}"] = {"error": type(error).__name__}
                continue
            parts = found if isinstance(found, tuple) else (found,)
            first = len(arrays)
            for part in parts:
                arrays[f"a{len(arrays)}"] = np.asarray(part)
            layout[f"{text} {name}"] = {
                "pillow": isinstance(parts[0], Image.Image),
                "first": first,
                "count": len(parts),
            }
    np.savez_compressed(out / "vision.npz", **arrays)
    write_json(out / "vision.json", {"results": layout})
