"""Operations on images: what chance decides stays within its bounds, and what cannot be is refused by name."""

import numpy as np
import pytest
from PIL import Image

from sporax._src.data import config
from sporax.dataset import vision

PIXELS = np.random.RandomState(0).randint(0, 256, (12, 16, 3)).astype(np.uint8)
PICTURE = Image.fromarray(PIXELS)
RANDOM = {
    "crop": vision.RandomCrop((10, 8), (1, 2, 3, 4)),
    "crop_reflect": vision.RandomCrop((14, 18), 3, padding_mode=vision.Border.REFLECT),
    "flip": vision.RandomHorizontalFlip(),
    "flip_vertical": vision.RandomVerticalFlip(),
    "resized_crop": vision.RandomResizedCrop((7, 9)),
    "colour": vision.RandomColorAdjust((0.5, 1.5), (0.5, 1.5), (0.5, 1.5), (-0.1, 0.1)),
    "rotation": vision.RandomRotation(30, vision.Inter.BILINEAR, fill_value=(1, 2, 3)),
    "grey": vision.RandomGrayscale(0.5),
    "cut_out": vision.CutOut(4, 2),
}
PIL_ONLY = {"grey"}
SHAPES = {"crop": (10, 8, 3), "crop_reflect": (14, 18, 3), "resized_crop": (7, 9, 3)}


def _input(name):
    return PICTURE if name in PIL_ONLY else PIXELS


@pytest.mark.parametrize("name", RANDOM)
def test_random_operations_follow_the_seed_and_keep_type_and_shape(name):
    def draw():
        config.set_seed(7)
        return [np.asarray(RANDOM[name](_input(name))) for _ in range(12)]

    first, second = draw(), draw()
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == np.uint8
        assert a.shape == SHAPES.get(name, (12, 16, 3))
    assert len({image.tobytes() for image in first}) > 1


@pytest.mark.parametrize("name", sorted(set(RANDOM) - {"crop_reflect", "cut_out"}))
def test_pillow_in_is_pillow_out(name):
    result = RANDOM[name](PICTURE)
    assert isinstance(result, Image.Image)
    assert (result.size[1], result.size[0]) == SHAPES.get(name, (12, 16, 3))[:2]


@pytest.mark.parametrize("operation", [vision.HorizontalFlip(), vision.Crop((0, 0), 4), vision.CutOut(2)])
def test_operations_that_mindspore_knows_for_arrays_only_give_arrays(operation):
    assert isinstance(operation(PICTURE), np.ndarray)


@pytest.mark.parametrize("name", RANDOM)
def test_images_of_one_call_share_one_draw(name):
    left, right = RANDOM[name](_input(name), _input(name))
    np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float32, np.float64])
@pytest.mark.parametrize("name", ["crop", "flip", "flip_vertical", "resized_crop", "cut_out", "rotation"])
def test_geometry_keeps_any_type(name, dtype):
    assert RANDOM[name](PIXELS.astype(dtype)).dtype == dtype


NAMED_ERRORS = {
    "resize_size": (lambda: vision.Resize("a"), TypeError, "vision.Resize: size must be an int or .*got 'a'"),
    "resize_zero": (lambda: vision.Resize((0, 3)), ValueError, r"size must be in \[1"),
    "resize_inter": (lambda: vision.Resize(3, 2), TypeError, "interpolation must be a Inter, got 2"),
    "resize_rank": (lambda: vision.Resize(3)(np.zeros(4)), RuntimeError, r"vision.Resize: expected an image.*\[4\]"),
    "resize_pil_area": (lambda: vision.Resize(3, vision.Inter.AREA)(PICTURE), TypeError, "cannot be interpolated"),
    "normalize_length": (lambda: vision.Normalize([1.0], [1.0, 2.0]), ValueError, "one length, got 1 and 2"),
    "normalize_std": (lambda: vision.Normalize([1.0], [0.0]), ValueError, "std must hold positive numbers"),
    "normalize_type": (lambda: vision.Normalize(1.0, [0.0]), TypeError, "mean must be a list"),
    "normalize_text": (lambda: vision.Normalize(["a"], [0.0]), TypeError, "mean must be a list"),
    "normalize_channels": (
        lambda: vision.Normalize([0.0] * 3, [1.0] * 3)(np.zeros((3, 4, 4))), RuntimeError, "3 channels last.*4, 4"),
    "normalize_pad_type": (lambda: vision.NormalizePad([0.0], [1.0], "int8"), ValueError, "'int8'"),
    "normalize_pad_kind": (lambda: vision.NormalizePad([0.0], [1.0], 5), TypeError, "dtype must be a str"),
    "rescale": (lambda: vision.Rescale("a", 0), TypeError, "rescale must be a number"),
    "flip": (lambda: vision.RandomHorizontalFlip(2), ValueError, r"prob must be in \[0, 1\], got 2"),
    "flip_type": (lambda: vision.RandomHorizontalFlip(None), TypeError, "prob must be a number"),
    "crop": (lambda: vision.RandomCrop(20)(PIXELS), RuntimeError, r"\(20, 20\) is larger than .*\[12, 16\]"),
    "crop_padding": (lambda: vision.RandomCrop(2, (1, 2, 3)), ValueError, "1, 2 or 4 numbers"),
    "crop_padding_type": (lambda: vision.RandomCrop(2, "a"), TypeError, "padding must be an int"),
    "fixed_crop": (lambda: vision.Crop((8, 8), 9)(PIXELS), RuntimeError, r"9×9 at \(8, 8\) leaves the image"),
    "fixed_crop_place": (lambda: vision.Crop(3, 9), TypeError, "coordinates must be"),
    "pad_colour": (lambda: vision.Pad(1, (1, 2)), TypeError, "fill_value must be"),
    "pad_colour_range": (lambda: vision.Pad(1, 300), ValueError, r"\[0, 255\], got 300"),
    "pad_mode": (lambda: vision.Pad(1, 0, "edge!"), TypeError, "padding_mode must be a Border"),
    "scale": (lambda: vision.RandomResizedCrop(3, scale=(1, 0.5)), ValueError, r"scale must be \(least, most\)"),
    "ratio": (lambda: vision.RandomResizedCrop(3, ratio=3), TypeError, r"ratio must be \(least, most\)"),
    "rotation": (lambda: vision.RandomRotation(-3), ValueError, "must not be negative"),
    "rotation_center": (lambda: vision.RandomRotation(3, center=3), TypeError, "center must be"),
    "colour_negative": (lambda: vision.RandomColorAdjust(-1), ValueError, "brightness must not be negative"),
    "colour_range": (lambda: vision.RandomColorAdjust(hue=(0, 0.7)), ValueError, "hue must be .*-0.5, 0.5"),
    "colour_type": (lambda: vision.RandomColorAdjust(contrast="a"), TypeError, "contrast must be a number or a pair"),
    "colour_image": (
        lambda: vision.RandomColorAdjust((2, 2))(np.zeros((3, 3))), RuntimeError, r"uint8 of \(H, W, 3\)"),
    "grey": (lambda: vision.Grayscale(2), ValueError, "must be 1 or 3, got 2"),
    "grey_array": (lambda: vision.Grayscale()(PIXELS), TypeError, "vision.Grayscale: expected a Pillow image, got uint8"),
    "random_grey_array": (lambda: vision.RandomGrayscale()(PIXELS), TypeError, "RandomGrayscale: expected a Pillow image"),
    "perspective_array": (
        lambda: vision.RandomPerspective()(PIXELS), ValueError, "vision.RandomPerspective: expected a Pillow image"),
    "invert": (lambda: vision.Invert()(np.zeros((2, 2), int)), RuntimeError, "expected an image of uint8 or floats"),
    "decode": (lambda: vision.Decode()(np.zeros(4, np.uint8)), RuntimeError, "the 4 bytes are not an image file"),
    "decode_rank": (lambda: vision.Decode()(PIXELS), TypeError, "bytes of an image file as a vector"),
    "decode_list": (lambda: vision.Decode()([1, 2]), TypeError, "bytes of an image file as a vector"),
    "decode_floats": (lambda: vision.Decode()(np.zeros(4, np.float32)), RuntimeError, "image file as a vector"),
    "to_pil": (lambda: vision.ToPIL()(np.zeros((2, 2))), TypeError, "vision.ToPIL: expected uint8"),
    "to_tensor": (lambda: vision.ToTensor()(np.zeros(3)), RuntimeError, "vision.ToTensor: expected"),
    "hwc2chw": (lambda: vision.HWC2CHW()(np.zeros(3)), RuntimeError, "vision.HWC2CHW: expected"),
    "erasing_value": (lambda: vision.RandomErasing(value=None), TypeError, "value must be a number"),
    "erasing_rank": (lambda: vision.RandomErasing()(np.zeros((4, 4))), RuntimeError, r"\(C, H, W\)"),
    "cut_out": (lambda: vision.CutOut(0), ValueError, "length must be in"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED_ERRORS)
def test_errors_name_what_came(name):
    call, kind, text = NAMED_ERRORS[name]
    with pytest.raises(kind, match=text):
        call()
