"""Files of images."""

from pathlib import Path

import numpy as np
from data_tables import operations_of
from data_tables.vision import IMAGE
from PIL import Image

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
