"""Files of images."""

from pathlib import Path

import numpy as np
import pytest
from data_tables import operations_of
from data_tables.vision import IMAGE
from PIL import Image

from sporax._src.data.vision import opencv
from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.files")


def test_files_of_images(tmp_path: Path) -> None:
    path = str(tmp_path / "a.png")
    vision.write_png(path, IMAGE)
    np.testing.assert_array_equal(vision.read_image(path), IMAGE)
    assert vision.read_image(path, vision.ImageReadMode.GRAYSCALE).shape == (16, 12, 1)
    assert bytes(vision.read_file(path)[1:4]) == b"PNG"
    vision.write_jpeg(str(tmp_path / "a.jpg"), IMAGE, 100)
    assert np.abs(vision.read_image(str(tmp_path / "a.jpg")).astype(int) - IMAGE).mean() < 12
    np.testing.assert_array_equal(vision.Decode()(vision.encode_png(IMAGE)), IMAGE)
    assert vision.get_image_size(Image.fromarray(IMAGE)) == [16, 12]
    assert (
        vision.get_image_num_channels(IMAGE[..., 0]) == 1 and vision.get_image_num_channels(Image.fromarray(IMAGE)) == 3
    )


@pytest.mark.parametrize("with_opencv", [True, False])
def test_files_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_opencv: bool) -> None:
    """The channels are MindSpore's: no transparency, no palettes, and images turned as the file says unless they are kept."""
    if not with_opencv:
        monkeypatch.setattr(opencv, "library", lambda: None)
    image, mode = Image.fromarray(IMAGE), vision.ImageReadMode
    for kind in ("RGBA", "LA", "P", "1", "L", "I;16", "CMYK"):
        path = str(tmp_path / f"{kind[0]}.tiff")
        (Image.fromarray(IMAGE[..., 0].astype(np.uint16) * 257) if kind == "I;16" else image.convert(kind)).save(path)
        kept = vision.read_image(path)
        assert kept.dtype == (np.uint16 if kind == "I;16" else np.uint8)
        assert kept.shape == (16, 12, 1 if kind in ("1", "L", "I;16") else 3), kind
        assert vision.read_image(path, mode.COLOR).shape == (16, 12, 3)
        assert vision.read_image(path, mode.GRAYSCALE).shape == (16, 12, 1)
    turn = Image.Exif()
    turn[0x112] = 6
    image.save(tmp_path / "t.png", exif=turn)
    shapes = [vision.read_image(str(tmp_path / "t.png"), which).shape for which in (mode.UNCHANGED, mode.COLOR)]
    assert shapes == [(16, 12, 3), (12, 16, 3)]


@pytest.mark.parametrize("kind", [np.float32, np.int32])
def test_numbers_of_32_bits_are_no_bytes(tmp_path: Path, kind: type) -> None:
    path, numbers = str(tmp_path / "a.tiff"), IMAGE[..., 0].astype(kind) * 3000
    Image.fromarray(numbers).save(path)
    np.testing.assert_array_equal(vision.read_image(path)[..., 0], numbers)
    with pytest.raises(RuntimeError, match=r"read_image: .*a\.tiff holds numbers of 32 bits; read it with"):
        vision.read_image(path, vision.ImageReadMode.COLOR)
    with pytest.raises(
        RuntimeError, match=r"Decode: .* its pixels are numbers of 32 bits; vision\.read_image reads them"
    ):
        vision.Decode()(np.fromfile(path, np.uint8))
