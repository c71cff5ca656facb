"""Decoding and conversions: the rows of the tables, files there and back."""

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from data_tables import operations_of
from data_tables.vision_draws import PICTURE, PIXELS

from sporax.dataset import transforms, vision

TestOperations = operations_of("sporax._src.data.vision.convert")


def png(image=PICTURE):
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return np.frombuffer(buffer.getvalue(), np.uint8)


def test_decode_gives_rgb_as_array_or_picture():
    np.testing.assert_array_equal(vision.Decode()(png()), PIXELS)
    np.testing.assert_array_equal(vision.Decode()(png().tobytes()), PIXELS)
    assert vision.Decode(to_pil=True)(png()).mode == "RGB"
    assert vision.Decode()(png(PICTURE.convert("L"))).shape == (12, 16, 3)
    assert vision.RandomCropDecodeResize((5, 6))(png()).shape == (5, 6, 3)


def test_a_pillow_pipeline_ends_in_channels_first():
    steps = [vision.ToPIL(), vision.Resize(10), vision.CenterCrop(8), vision.RandomHorizontalFlip(), vision.ToTensor()]
    (result,) = transforms.Compose([*steps, vision.Normalize([0.5] * 3, [0.5] * 3, is_hwc=False)])(PIXELS)
    assert result.shape == (3, 8, 8)
    assert result.dtype == np.float32
    assert -1 <= result.min() < result.max() <= 1


def forged_png(width: int, *chunks: tuple[bytes, bytes]) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, width, 8, 0, 0, 0, 0))
    parts = [chunk(*c) for c in chunks]
    return (
        b"\x89PNG\r\n\x1a\n" + head + b"".join(parts) + chunk(b"IDAT", zlib.compress(bytes(20))) + chunk(b"IEND", b"")
    )


IMAGES = {
    "a bomb": (forged_png(60_000), "exceeds limit"),
    "a text": (forged_png(4, (b"zTXt", b"a\0\0" + zlib.compress(bytes(10**8)))), "Decompressed data too large|text"),
    "cut": (forged_png(4)[:44], "is truncated|Truncated|broken"),
    "a program": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "cannot identify"),
}


@pytest.mark.parametrize("kind", IMAGES)
def test_images_are_refused(tmp_path: Path, kind: str) -> None:
    content, match = IMAGES[kind]
    with pytest.raises(
        RuntimeError, match=rf"vision.Decode: the {len(content)} bytes are not an image file: .*({match})"
    ):
        vision.Decode()(np.frombuffer(content, np.uint8))
    (tmp_path / "x.png").write_bytes(content)
    with pytest.raises(RuntimeError, match=rf"vision.read_image: .*x\.png holds no image: .*({match})"):
        vision.read_image(str(tmp_path / "x.png"))
