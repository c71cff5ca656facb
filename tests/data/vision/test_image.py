"""Images as arrays or as Pillow images, and the base of the operations that take both."""

import io

import numpy as np
import pytest
from PIL import Image

from sporax._src.data.vision import image as images
from sporax._src.data.vision import opencv
from sporax._src.data.vision.enums import Inter
from sporax.dataset import vision


def _png(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(array).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize("shape, mode", [((2, 3), "L"), ((2, 3, 1), "L"), ((2, 3, 3), "RGB"), ((2, 3, 4), "RGBA")])
def test_arrays_become_pillow_images(shape: tuple[int, ...], mode: str) -> None:
    array = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
    picture = images.to_pil(array)
    assert picture.mode == mode
    assert images.size_of(picture) == images.size_of(array) == (2, 3)
    assert np.array(picture).ravel().tolist() == array.ravel().tolist()


def test_what_is_no_image() -> None:
    with pytest.raises(TypeError, match=r"^vision.ToPIL: expected uint8 of \(H, W\)"):
        images.to_pil(np.zeros((2, 2), np.float32))
    with pytest.raises(TypeError, match="expected the bytes of an image file as a vector"):
        images.decode_pil(np.zeros((2, 2), np.uint8))
    with pytest.raises(RuntimeError, match="expected the bytes of an image file as a vector"):
        images.decode_pil(np.zeros(2, np.float32))
    with pytest.raises(RuntimeError, match=r"^vision.Decode: the 3 bytes are not an image file: "):
        images.decode(np.zeros(3, np.uint8))


def test_bytes_are_decoded() -> None:
    grey = np.array([[0, 200], [7, 255]], np.uint8)
    data = np.frombuffer(_png(grey), np.uint8)
    assert images.decode(data).tolist() == np.repeat(grey[:, :, None], 3, 2).tolist()
    assert images.decode(data, "L").tolist() == grey.tolist()
    assert images.decode_pil(_png(grey)).mode == "RGB"


def _jpeg(mode: str, **options: object) -> bytes:
    pixels = np.random.default_rng(0).integers(0, 256, (37, 53, 4), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels, "CMYK" if mode == "CMYK" else "RGBA").convert(mode).save(file, "JPEG", **options)
    return file.getvalue()


@pytest.mark.parametrize(
    "options", [{}, {"progressive": True}, {"subsampling": 0}, {"exif": b"Exif\x00\x00" + bytes(9)}]
)
@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
def test_jpeg_files_give_the_pixels_of_pillow(mode: str, options: dict[str, object]) -> None:
    data = _jpeg(mode, **options)
    found = images.decode(np.frombuffer(data, np.uint8))
    with Image.open(io.BytesIO(data)) as picture:
        np.testing.assert_array_equal(found, np.array(picture.convert("RGB")))
    assert (opencv.jpeg(np.frombuffer(data, np.uint8)) is None) is (mode == "CMYK")


def test_damaged_jpeg_files() -> None:
    data = _jpeg("RGB")
    with pytest.raises(RuntimeError, match=r"^vision.Decode: the \d+ bytes are not an image file: .*truncated"):
        images.decode(np.frombuffer(data[: len(data) // 2], np.uint8))
    for start in range(0, 200, 7):
        damaged = bytearray(data)
        damaged[start : start + 4] = bytes(4)
        try:
            assert images.decode(np.frombuffer(damaged, np.uint8)).shape[2] == 3
        except RuntimeError as error:
            assert str(error).startswith("vision.Decode: ")
    for short in (
        b"\xff\xd8\xff\xd9",
        b"\xff\xd8\xff\xc0\xff\xd9",
        b"\xff\xd8\xff\xe0\x00\x00" + bytes(9) + b"\xff\xd9",
    ):
        assert opencv.jpeg(np.frombuffer(short, np.uint8)) is None


def test_interpolations_of_pillow() -> None:
    assert images.pil_filter(Inter.ANTIALIAS) is Image.Resampling.LANCZOS
    assert images.pil_filter(Inter.PILCUBIC) is Image.Resampling.BICUBIC
    with pytest.raises(TypeError, match="a Pillow image cannot be interpolated by"):
        images.pil_filter(Inter.AREA)


class Lighter(images.ImageOperation):
    """Adds what it draws."""

    takes_batches = True

    def __init__(self) -> None:
        super().__init__()
        self.drawn = 0

    def _draw(self, image: object) -> int:
        self.drawn += 1
        return self.drawn

    def _array(self, image: np.ndarray, draw: int) -> np.ndarray:
        return image + np.uint8(draw)


def test_all_images_of_a_call_share_one_draw() -> None:
    operation, one = Lighter(), np.zeros((1, 1), np.uint8)
    assert [out.tolist() for out in operation(one, one)] == [[[1]], [[1]]]
    assert operation(one).tolist() == [[2]]
    assert operation(np.zeros((2, 2, 1, 1, 1), np.uint8)).ravel().tolist() == [3] * 4
    picture = operation(Image.fromarray(one))
    assert isinstance(picture, Image.Image) and np.array(picture).tolist() == [[4]]


def test_an_operation_names_itself_in_errors() -> None:
    with pytest.raises(RuntimeError, match=r"^vision.Lighter: expected an image of \(H, W\) or \(H, W, C\), got "):
        Lighter()(np.zeros(3))
    with pytest.raises(
        ValueError, match=r"^vision.Lighter.device: device_target must be 'CPU' or 'Ascend', got 'GPU'\."
    ):
        Lighter().device("GPU")
    with pytest.raises(TypeError, match="device_target must be a str, got 1"):
        Lighter().device(1)
    own = Lighter()
    assert own.device("Ascend") is own


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_images_of_16_bits_give_their_upper_bytes(kind: str) -> None:
    """PNG as MindSpore, which reads such TIFF otherwise; Pillow's conversion would give 255 for all that is above it."""
    array = np.array([[0, 255, 256], [4096, 40000, 65535]], np.uint16)
    file = io.BytesIO()
    Image.fromarray(array).save(file, kind)
    decoded = images.decode(np.frombuffer(file.getvalue(), np.uint8))
    assert decoded[..., 0].tolist() == (array >> 8).tolist() and decoded.shape == (2, 3, 3)


@pytest.mark.parametrize(("mode", "corner"), [("RGBA", (7, 7, 7, 255)), ("RGB", (7, 7, 7)), ("L", 7)])
def test_a_colour_hides_what_is_behind_it(mode: str, corner: object) -> None:
    image = Image.new(mode, (4, 4))
    for operation in (
        vision.Pad(1, 7),
        vision.RandomRotation((45, 45), fill_value=7),
        vision.RandomCrop(6, 1, False, 7),
    ):
        assert operation(image).getpixel((0, 0)) == corner
