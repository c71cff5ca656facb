"""Operations on images: MindSpore's results, draws, and every error's text."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import sporax.dataset as ds
from sporax._src.data.vision import opencv
from sporax.dataset import vision

FOLDER = Path(__file__).parents[2] / "goldens"
ARRAYS = np.load(FOLDER / "vision.npz")
IMAGE = ARRAYS["image"]
V = vision


def _images(*leading: int) -> np.ndarray:
    return np.random.RandomState(0).randint(0, 256, (*leading, 6, 8, 3)).astype(np.uint8)


GOLDENS = json.loads((FOLDER / "vision.json").read_text(encoding="utf-8"))["results"]
FLOATS = ("HsvToRgb", "RgbToHsv")


@pytest.mark.parametrize("case", sorted(GOLDENS))
def test_images_are_mindspores(case: str) -> None:
    _compare(case)


@pytest.mark.parametrize("case", sorted(GOLDENS))
def test_images_are_mindspores_without_opencv(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opencv, "library", lambda: None)
    _compare(case)


def _compare(case: str) -> None:
    text, kind = case.rsplit(" ", 1)
    expected, name = GOLDENS[case], text.split("(")[0]
    image = ARRAYS["wide"] if kind == "wide" else IMAGE
    given = Image.fromarray(image) if kind == "pillow" else image.copy()
    call = eval(f"vision.{text}".replace("Inter.", "vision.Inter.").replace("ConvertMode.", "vision.ConvertMode.")
                .replace("Border.", "vision.Border.").replace("SliceMode.", "vision.SliceMode."))  # fmt: skip
    if "error" in expected:
        with pytest.raises((TypeError, RuntimeError)):
            call(given)
        return
    found = call(given)
    parts = found if isinstance(found, tuple) else (found,)
    assert len(parts) == expected["count"] and isinstance(parts[0], Image.Image) == expected["pillow"]
    for place, part in enumerate(parts, expected["first"]):
        got, want = np.asarray(part), ARRAYS[f"a{place}"]
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        if name in FLOATS:
            np.testing.assert_allclose(got, want, rtol=1e-12)
        else:
            np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.asarray(given), image)  # the input is left alone


@pytest.mark.parametrize(
    "operation",
    [vision.AdjustBrightness(0.5), vision.AdjustContrast(0.5), vision.AdjustSaturation(0.5), vision.AdjustSharpness(0.5),
     vision.AdjustGamma(2.0), vision.Affine(20, (0.1, 0), 1.0, 0, vision.Inter.BILINEAR), vision.GaussianBlur(3)],
    ids=lambda o: type(o).__name__,
)  # fmt: skip
def test_floats_are_near_bytes(operation: Any) -> None:
    exact = operation(IMAGE.astype(np.float32) / 255)
    assert exact.dtype == np.float32
    assert np.abs(exact * 255 - operation(IMAGE)).max() < 2.0


RANDOM = [
    vision.RandomAffine(30, (0, 0.2), (0.8, 1.2), 10, vision.Inter.BILINEAR),
    vision.RandomPosterize((1, 8)), vision.RandomSolarize((0, 255)), vision.RandomColor(), vision.RandomSharpness(),
    vision.RandomLighting(0.5), vision.RandAugment(), vision.AutoAugment(), vision.TrivialAugmentWide(),
    vision.AutoAugment(vision.AutoAugmentPolicy.CIFAR10), vision.AutoAugment(vision.AutoAugmentPolicy.SVHN),
    vision.UniformAugment([vision.Invert(), vision.Posterize(2), vision.Equalize()], 2),
    vision.RandomSelectSubpolicy([[(vision.Invert(), 0.5), (vision.Equalize(), 0.5)], [(vision.Posterize(1), 1.0)]]),
    vision.RandomResize((9, 7)),
]  # fmt: skip


@pytest.mark.parametrize("operation", RANDOM, ids=lambda o: type(o).__name__)
def test_draws_differ_by_row_and_repeat_by_seed(operation: Any) -> None:
    def epoch(workers: int) -> list[bytes]:
        data = ds.NumpySlicesDataset(np.repeat(IMAGE[None], 24, 0), ["image"], shuffle=False)
        rows = data.map(operation, "image", num_parallel_workers=workers).create_tuple_iterator(
            num_epochs=1, output_numpy=True
        )
        found = [row[0] for row in rows]
        assert {(f.dtype, f.ndim) for f in found} == {(np.dtype(np.uint8), 3)}
        return [f.tobytes() for f in found]

    ds.config.set_seed(5)
    first = epoch(1)
    ds.config.set_seed(5)
    assert epoch(2) == first  # whatever the number of threads
    assert len(set(first)) > 1


@pytest.mark.parametrize("name", ["RandomAutoContrast", "RandomEqualize", "RandomInvert", "RandomPerspective"])
def test_probabilities(name: str) -> None:
    kind, image = getattr(vision, name), Image.fromarray(IMAGE) if name == "RandomPerspective" else IMAGE
    assert np.array_equal(kind(prob=0.0)(image), IMAGE) and not np.array_equal(kind(prob=1.0)(image), IMAGE)
    half = kind(prob=0.5)
    changed = np.mean([not np.array_equal(half(image), IMAGE) for _ in range(200)])
    assert 0.3 < changed < 0.7


ERRORS: list[tuple[Any, type[Exception], str]] = [
    (lambda: V.AdjustBrightness("x"), TypeError, "AdjustBrightness: brightness_factor must be a number, got 'x'"),
    (lambda: V.AdjustContrast(-1), ValueError, r"AdjustContrast: contrast_factor must be in \[0.0, inf\], got -1"),
    (lambda: V.AdjustHue(0.6), ValueError, r"AdjustHue: hue_factor must be in \[-0.5, 0.5\], got 0.6"),
    (lambda: V.AdjustHue(0.1)(IMAGE / 255), RuntimeError, "AdjustHue: expected a uint8 image"),
    (
        lambda: V.AdjustSaturation(0.5)(IMAGE[..., 0]),
        RuntimeError,
        r"AdjustSaturation: expected an image of \(H, W, 3\)",
    ),
    (lambda: V.RandomColor()(IMAGE[..., 0]), RuntimeError, r"RandomColor: expected an image of \(H, W, 3\)"),
    (lambda: V.RandomLighting("x"), TypeError, "RandomLighting: alpha must be a number, got 'x'"),
    (lambda: V.RandomLighting(-1), ValueError, "RandomLighting: alpha must not be negative, got -1"),
    (lambda: V.RandomLighting()(IMAGE[..., 0]), RuntimeError, r"RandomLighting: expected an image of \(H, W, 3\)"),
    (lambda: V.AdjustGamma("x"), TypeError, "AdjustGamma: gamma must be a number, got 'x'"),
    (lambda: V.AdjustGamma(-1), ValueError, "AdjustGamma: gamma must not be negative, got -1"),
    (lambda: V.AutoContrast("x"), TypeError, "AutoContrast: cutoff must be a number, got 'x'"),
    (lambda: V.AutoContrast(50), ValueError, r"AutoContrast: cutoff must be in \[0, 50\), got 50"),
    (lambda: V.AutoContrast(0, "x"), TypeError, "AutoContrast: ignore must be an int or a list of them, got 'x'"),
    (lambda: V.Equalize()(IMAGE / 255), RuntimeError, "Equalize: expected a uint8 image"),
    (lambda: V.Posterize(9), ValueError, r"Posterize: bits must be in \[0, 8\], got 9"),
    (lambda: V.RandomPosterize("x"), TypeError, r"RandomPosterize: bits must be an int or \(least, most\), got 'x'"),
    (lambda: V.RandomPosterize((3, 1)), ValueError, "RandomPosterize: bits must be .* in order"),
    (lambda: V.Solarize((0, 300)), ValueError, r"Solarize: threshold must be within \[0, 255\]"),
    (lambda: V.Affine("x", (0, 0), 1, 0), TypeError, "Affine: degrees must be a number, got 'x'"),
    (lambda: V.Affine(0, 3, 1, 0), TypeError, "Affine: translate must be two numbers, got 3"),
    (lambda: V.Affine(0, (2, 0), 1, 0), ValueError, r"Affine: translate must be within \[-1, 1\]"),
    (lambda: V.Affine(0, (0, 0), 0, 0), ValueError, "Affine: scale must be positive, got 0"),
    (lambda: V.RandomAffine(-1), ValueError, "RandomAffine: degrees must not be negative if it is one number, got -1"),
    (lambda: V.RandomAffine(0, 3), TypeError, "RandomAffine: translate must be two or four numbers, got 3"),
    (lambda: V.RandomAffine(0, (0, 2)), ValueError, r"RandomAffine: translate must be within \[-1, 1\]"),
    (lambda: V.RandomAffine(0, None, (0, 0)), ValueError, "RandomAffine: scale must have a positive end"),
    (lambda: V.Perspective([1], [2]), TypeError, r"Perspective: start_points must be four points \(x, y\)"),
    (lambda: V.RandomPerspective(2), ValueError, r"RandomPerspective: distortion_scale must be in \[0, 1\], got 2"),
    (
        lambda: V.ResizedCrop(10, 0, 10, 3, 4)(IMAGE),
        RuntimeError,
        r"ResizedCrop: 10×3 at \(10, 0\) leaves uint8\[16, 12, 3\]",
    ),
    (lambda: V.FiveCrop(4)(IMAGE), TypeError, "FiveCrop: expected a Pillow image"),
    (lambda: V.FiveCrop(40)(Image.fromarray(IMAGE)), ValueError, "FiveCrop: size .* is larger than the image"),
    (lambda: V.PadToSize(20, "x"), TypeError, r"PadToSize: offset must be an int or \(top, left\), got 'x'"),
    (lambda: V.PadToSize(10)(IMAGE), RuntimeError, r"PadToSize: .* does not fit into \(10, 10\)"),
    (lambda: V.SlicePatches(1, 1, 0), TypeError, "SlicePatches: slice_mode must be a SliceMode, got 0"),
    (lambda: V.SlicePatches(17)(IMAGE), RuntimeError, "SlicePatches: .* cannot be cut into 17×1"),
    (lambda: V.Erase(0, 0, 1, 1, "x"), TypeError, "Erase: value must be a number or three of them, got 'x'"),
    (lambda: V.Erase(0, 0, 1, 1, 300), ValueError, r"Erase: value must be of \[0, 255\], got 300"),
    (
        lambda: V.Erase(16, 0, 1, 1)(IMAGE),
        RuntimeError,
        r"Erase: expected an image of \(H, W, C\) with a pixel at \(16, 0\)",
    ),
    (lambda: V.GaussianBlur("x"), TypeError, "GaussianBlur: kernel_size must be an int or two, got 'x'"),
    (lambda: V.GaussianBlur(4), ValueError, "GaussianBlur: kernel_size must be odd, got 4"),
    (lambda: V.GaussianBlur(3, "x"), TypeError, "GaussianBlur: sigma must be a number or two, got 'x'"),
    (lambda: V.GaussianBlur(3, -1.0), ValueError, "GaussianBlur: sigma must be positive, got -1.0"),
    (lambda: V.ConvertColor(3), TypeError, "ConvertColor: convert_mode must be a ConvertMode, got 3"),
    (lambda: V.ConvertColor(V.ConvertMode.COLOR_RGBA2RGB)(IMAGE), RuntimeError, "COLOR_BGRA2BGR takes 4 channels"),
    (lambda: V.RgbToHsv()(IMAGE), TypeError, "RgbToHsv: expected an array with three channels first"),
    (lambda: V.LinearTransformation(3, 3), TypeError, "transformation_matrix must be an array, got 3"),
    (
        lambda: V.LinearTransformation(np.eye(2), np.ones(3)),
        ValueError,
        "expected a square matrix and a vector of its length",
    ),
    (lambda: V.LinearTransformation(np.eye(2), np.ones(2))(np.ones(3)), ValueError, "the matrix is for 2 elements"),
    (lambda: V.LinearTransformation(np.eye(2), np.ones(2))(Image.fromarray(IMAGE)), TypeError, "got a Pillow image"),
    (lambda: V.MixUpBatch("x"), TypeError, "MixUpBatch: alpha must be a number, got 'x'"),
    (lambda: V.MixUpBatch(0), ValueError, "MixUpBatch: Input alpha must be greater than 0, got 0"),
    (lambda: V.MixUpBatch()(IMAGE), RuntimeError, "MixUpBatch: expected images and labels, got 1 columns"),
    (lambda: V.MixUpBatch()(IMAGE, np.eye(16)), RuntimeError, "MixUpBatch: expected a batch of images, of rank 4"),
    (
        lambda: V.MixUpBatch()(IMAGE[None], np.eye(2)),
        RuntimeError,
        "MixUpBatch: expected one-hot labels, a row for each",
    ),
    (lambda: V.CutMixBatch(0), TypeError, "CutMixBatch: image_batch_format must be an ImageBatchFormat, got 0"),
    (
        lambda: V.CutMixBatch(V.ImageBatchFormat.NCHW)(IMAGE[None], np.eye(1)),
        RuntimeError,
        "expected 1 or 3 channels in NCHW",
    ),
    (lambda: V.MixUp(2, 0.2)(IMAGE[None], np.eye(1)), ValueError, "MixUp: expected 2 images and labels"),
    (lambda: V.RandAugment(2, 31), ValueError, r"RandAugment: magnitude must be in \[0, 30\], got 31"),
    (lambda: V.RandAugment()(IMAGE[..., 0]), RuntimeError, r"RandAugment: expected an image of \(H, W, 3\)"),
    (lambda: V.AutoAugment(3), TypeError, "AutoAugment: policy must be an AutoAugmentPolicy, got 3"),
    (lambda: V.UniformAugment([V.Invert()]), ValueError, "UniformAugment: num_ops is 2, but there are 1 transforms"),
    (lambda: V.RandomSelectSubpolicy(3), TypeError, "RandomSelectSubpolicy: policy must be a list of lists, got 3"),
    (lambda: V.RandomSelectSubpolicy([[]]), ValueError, "policy must hold chains of at least one operation"),
    (lambda: V.RandomSelectSubpolicy([[3]]), TypeError, r"a step must be \(operation, probability\), got 3"),
    (lambda: V.read_file(3), TypeError, "read_file: filename must be a path, got 3"),
    (lambda: V.read_image("nope"), RuntimeError, "read_image: the file nope does not exist"),
    (lambda: V.read_image(__file__), RuntimeError, "holds no image"),
    (lambda: V.read_image(__file__, 3), TypeError, "mode must be an ImageReadMode, got 3"),
    (lambda: V.write_file("x", np.ones(2)), RuntimeError, "write_file: expected a vector of uint8"),
    (lambda: V.encode_png(np.ones((2, 2))), RuntimeError, "encode_png: expected uint8 of"),
    (lambda: V.encode_jpeg(IMAGE, 0), RuntimeError, r"encode_jpeg: quality must be in \[1, 100\], got 0"),
    (lambda: V.encode_png(IMAGE, "a"), TypeError, "encode_png: compression_level must be an int, got 'a'"),
    (lambda: V.get_image_size(3), TypeError, "get_image_size: expected an array"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS)
def test_error_texts(call: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


@pytest.mark.parametrize("leading", [(2,), (2, 2)])
@pytest.mark.parametrize(
    "call",
    [
        V.HorizontalFlip(),
        V.VerticalFlip(),
        V.RandomHorizontalFlip(1.0),
        V.Resize((4, 5)),
        V.Resize(4, vision.Inter.NEAREST),
        V.CenterCrop((4, 12)),
        V.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        V.AdjustGamma(0.5),
        V.Rotate(30),
        V.RandomResizedCrop((6, 8), (1.0, 1.0), (1.3333, 1.3334)),
    ],
    ids=lambda call: type(call).__name__,
)
def test_batches_of_images(call: Any, leading: tuple[int, ...]) -> None:
    """MindSpore 2.7.0 does to an array of (..., H, W, C) what it does to each image in it."""
    images = _images(*leading)
    each = np.stack([call(image) for image in images.reshape(-1, 6, 8, 3)])
    found = call(images)
    assert found.dtype == each.dtype
    assert (found == each.reshape(*leading, *each.shape[1:])).all()


@pytest.mark.parametrize(
    "call",
    [
        V.RandomVerticalFlip(1.0),
        V.Pad(1),
        V.Crop((0, 0), 2),
        V.Rotate(30, expand=True),
        V.NormalizePad([0.0] * 3, [1.0] * 3),
        V.AdjustBrightness(2.0),
    ],
    ids=lambda call: type(call).__name__,
)
def test_operations_that_take_one_image(call: Any) -> None:
    with pytest.raises(RuntimeError, match=r"vision\.\w+: expected an image"):
        call(_images(2))
