"""Times every image operation of `dataset.vision` by turns in sporax and MindSpore, and compares the pixels.

``python -m bench.data.vision --mindspore-python PY [--only REGEX] [--rounds N]`` writes the part "vision" of DATA.md.
"""

from __future__ import annotations

import argparse
import importlib
import io
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.data.turns import Child, machine, serve, write_part

_SQUARE = "[(0, 0), (199, 0), (199, 199), (0, 199)]"
_MOVED = "[(20, 30), (190, 10), (180, 195), (30, 185)]"
_MEAN = "[120.0, 110.0, 100.0], [50.0, 60.0, 70.0]"

# What runs on which images: "u" uint8, "f" float32, "4" of four channels, "2" without channels, "J" a JPEG file,
# "P" a Pillow image.
CASES: dict[str, str] = {
    "AdjustBrightness(1.3)": "uf", "AdjustContrast(1.3)": "uf", "AdjustGamma(0.7)": "uf", "AdjustHue(0.2)": "u",
    "AdjustSaturation(1.5)": "uf", "AdjustSharpness(2.0)": "uf",
    "Affine(20.0, (0.1, -0.05), 1.2, (5.0, 3.0))": "uf",
    "Affine(20.0, (0.1, -0.05), 1.2, (5.0, 3.0), Inter.BILINEAR)": "uf",
    "Affine(20.0, (0.1, -0.05), 1.2, (5.0, 3.0), Inter.BICUBIC)": "uf",
    "AutoContrast()": "u", "CenterCrop(200)": "uf", "Crop((5, 6), (200, 201))": "uf", "CutOut(30)": "uf",
    "ConvertColor(ConvertMode.COLOR_RGB2GRAY)": "uf", "ConvertColor(ConvertMode.COLOR_RGB2BGR)": "uf",
    "ConvertColor(ConvertMode.COLOR_RGB2RGBA)": "uf", "ConvertColor(ConvertMode.COLOR_RGBA2BGR)": "4",
    "ConvertColor(ConvertMode.COLOR_GRAY2RGB)": "2",
    "Decode()": "J", "Decode(True)": "J", "Equalize()": "u", "Erase(10, 20, 50, 60, (1, 2, 3))": "uf",
    "FiveCrop(200)": "P", "GaussianBlur(5, 1.1)": "uf", "GaussianBlur(15)": "uf", "Grayscale(1)": "P",
    "HorizontalFlip()": "uf", "HsvToRgb(True)": "f", "HWC2CHW()": "uf", "Invert()": "uf",
    f"Normalize({_MEAN})": "uf", f"NormalizePad({_MEAN})": "uf", f"NormalizePad({_MEAN}, 'float16')": "uf",
    "Pad((3, 4, 5, 6), (1, 2, 3))": "uf", "Pad(7, 0, Border.REFLECT)": "uf", "PadToSize((520, 530))": "uf",
    f"Perspective({_SQUARE}, {_MOVED})": "uf", f"Perspective({_SQUARE}, {_MOVED}, Inter.NEAREST)": "uf",
    f"Perspective({_SQUARE}, {_MOVED}, Inter.BICUBIC)": "uf",
    "Posterize(3)": "u", "Rescale(1 / 255, 0.0)": "uf", "Rescale(1 / 255, 0.5)": "uf",
    "Resize((256, 200), Inter.NEAREST)": "uf", "Resize((256, 200))": "uf", "Resize((256, 200), Inter.BICUBIC)": "uf",
    "Resize((256, 200), Inter.AREA)": "uf", "Resize((256, 200), Inter.PILCUBIC)": "u",
    "ResizedCrop(5, 6, 200, 210, (224, 224))": "uf", "RgbToHsv(True)": "f",
    "Rotate(30.0)": "uf", "Rotate(30.0, Inter.BILINEAR)": "uf", "Rotate(30.0, Inter.BICUBIC, True)": "uf",
    "SlicePatches(2, 3)": "uf", "Solarize((50, 180))": "uf", "ToTensor()": "uf", "ToPIL()": "u", "VerticalFlip()": "uf",
    # random ones, of one draw where they take ranges
    "AutoAugment()": "u", "RandAugment()": "u", "TrivialAugmentWide()": "u",
    "RandomAdjustSharpness(1.7, 1.0)": "uf", "RandomAutoContrast(prob=1.0)": "u", "RandomColor((1.4, 1.4))": "uf",
    "RandomAffine((20.0, 20.0), (0.1, 0.1), (1.2, 1.2), (5.0, 5.0), Inter.BILINEAR)": "uf",
    "RandomColorAdjust((1.2, 1.2), (0.8, 0.8), (1.3, 1.3), (0.1, 0.1))": "u",
    "RandomCrop(200, 8)": "uf", "RandomCropDecodeResize(224)": "J", "RandomEqualize(1.0)": "u",
    "RandomErasing(1.0)": "f", "RandomGrayscale(1.0)": "P", "RandomHorizontalFlip(1.0)": "uf",
    "RandomInvert(1.0)": "uf", "RandomLighting()": "u", "RandomPerspective(0.5, 1.0)": "P",
    "RandomPosterize((3, 3))": "u", "RandomResize(200)": "uf", "RandomResizedCrop(224)": "uf",
    "RandomRotation((20.0, 20.0), Inter.BILINEAR)": "uf", "RandomSharpness((1.7, 1.7))": "uf",
    "RandomSolarize((128, 128))": "uf", "RandomVerticalFlip(1.0)": "uf",
}  # fmt: skip
# The draw of these decides about pixels.
_DRAWN = re.compile("Augment|CutOut|RandomColorAdjust|RandomCrop|RandomErasing|Lighting|RandomPersp|RandomResize")
_SIZES = {"500×375": (375, 500), "224×224": (224, 224)}
_KINDS = {"u": "uint8", "f": "float32"}


def images(size: tuple[int, int]) -> dict[str, Any]:
    """Return the images for the letters of `CASES`."""
    from PIL import Image

    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (size[0] // 8 + 1, size[1] // 8 + 1, 4)).repeat(8, 0).repeat(8, 1)
    noisy = coarse[: size[0], : size[1]] + rng.integers(-20, 21, (*size, 4))
    pixels = np.clip(noisy, 0, 255).astype(np.uint8)
    colours = np.ascontiguousarray(pixels[:, :, :3])
    file = io.BytesIO()
    Image.fromarray(colours).save(file, "JPEG", quality=90)
    return {
        "u": colours, "f": colours.astype(np.float32), "4": pixels, "2": pixels[:, :, 0].copy(),
        "J": np.frombuffer(file.getvalue(), np.uint8), "P": Image.fromarray(colours),
    }  # fmt: skip


def answers(framework: str) -> Callable[..., dict[str, Any]]:
    """Return the function that times one operation in a framework, and writes its result into a file."""
    module = importlib.import_module(f"{framework}.dataset.vision")
    given = {name: images(size) for name, size in _SIZES.items()}
    made: dict[str, Any] = {}

    def answer(case: str, size: str, kind: str, seconds: float, out: str = "") -> dict[str, Any]:
        if case not in made:
            made[case] = eval(f"vision.{case}", {"vision": module, **vars(module)})
        operation, image = made[case], given[size][kind]
        result = operation(image)
        if out:
            parts = result if isinstance(result, (tuple, list)) else (result,)
            np.save(out, np.concatenate([np.asarray(part).astype(np.float64).ravel() for part in parts]))
        best, end = float("inf"), time.perf_counter() + seconds
        while time.perf_counter() < end:
            start = time.perf_counter()
            operation(image)
            best = min(best, time.perf_counter() - start)
        return {"ms": best * 1e3}

    return answer


def _pixels(folder: Path) -> str:
    ours, theirs = (np.load(folder / f"{name}.npy") for name in ("sporax", "mindspore"))
    if ours.shape != theirs.shape:
        return "other shape"
    apart = np.abs(ours - theirs)
    return "equal" if not apart.any() else f"{np.count_nonzero(apart) / apart.size:.1%} differ, ≤ {apart.max():.2g}"


def measure(children: dict[str, Child], case: str, size: str, kind: str, rounds: int) -> tuple[float, float, str]:
    """Return the best times of both in milliseconds, and what the comparison of pixels says."""
    best = dict.fromkeys(children, float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            for name, child in children.items():
                out = "" if turn else str(Path(folder) / f"{name}.npy")
                answered = child.ask(case=case, size=size, kind=kind, seconds=0.01, out=out)
                best[name] = min(best[name], answered["ms"])
        pixels = "drawn" if _DRAWN.search(case) else _pixels(Path(folder))
    return best["sporax"], best["mindspore"], pixels


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sporax-python", default=sys.executable)
    parser.add_argument("--mindspore-python", required=True)
    parser.add_argument("--only", default="", help="a regular expression: print these operations, and write nothing")
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    pythons = {"sporax": options.sporax_python, "mindspore": options.mindspore_python}
    children = {name: Child(python, "bench.data.vision", name) for name, python in pythons.items()}
    rows, ratios, slower = [], [], []
    for case, kinds in CASES.items():
        if not re.search(options.only, case):
            continue
        cells, said = [], []
        for size in _SIZES:
            for column in _KINDS:
                kind = column if column in kinds else kinds if column == "u" and kinds not in ("uf", "f") else ""
                if not kind:
                    cells.append("")
                    continue
                ours, theirs, pixels = measure(children, case, size, kind, options.rounds)
                ratios.append(ours / theirs)
                slower += [f"{case} ({_KINDS[column]}, {size}): {ours / theirs:.2f}"] if ours > theirs else []
                cells.append(f"{ours:.3f} / {theirs:.3f} = {ours / theirs:.2f}")
                said.append(pixels)
        different = [text for text in said if text != "equal"]
        pixels = max(different, key=len) if different else "equal"
        rows.append(f"| `{case}` | {' | '.join(cells)} | {pixels} |")
        print(rows[-1], flush=True)
    for child in children.values():
        child.end()
    if not options.only:
        write_part("vision", _text(rows, ratios, slower))


def _text(rows: list[str], ratios: list[float], slower: list[str]) -> str:
    heads = [f"{size} {kind}" for size in _SIZES for kind in _KINDS.values()]
    listed = "\n".join(f"- {line}" for line in slower) or "- none"
    return f"""
## Vision operations

Milliseconds for one call on one image: sporax / MindSpore = ratio. Best times of both, by turns, on {machine()}.
`python -m bench.data.vision` writes this part. An operation on other images (a file, a Pillow image, four channels or none) stands
under uint8. "drawn" means that chance decides about the pixels.

The median of {len(ratios)} ratios is {np.median(ratios):.2f}; {sum(ratio <= 1 for ratio in ratios)} are at most 1.
These are above 1:

{listed}

| operation | {" | ".join(heads)} | pixels |
|---|{"---|" * (len(heads) + 1)}
{chr(10).join(rows)}
"""


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(answers(sys.argv[2]))
    else:
        main()
