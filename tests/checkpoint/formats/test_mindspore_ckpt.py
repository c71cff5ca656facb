"""MindSpore's `.ckpt`: split arrays, text, complex numbers, scalars, the same bytes."""

import numpy as np
import pytest
from format_files import GOLDENS, same

from sporax._src.checkpoint.formats import mindspore_ckpt


def test_reads_split_text_and_complex():
    split = mindspore_ckpt.read(GOLDENS / "split.ckpt")
    assert same(split["a"], np.arange(600, dtype=np.float32))
    assert same(split["b"], np.array(7, np.int32))
    text = mindspore_ckpt.read(GOLDENS / "text.ckpt")
    assert {n: a.item() for n, a in text.items()} == {"epoch": 3, "lr": np.float32(0.1), "flag": True, "note": "héllo"}
    assert same(mindspore_ckpt.read(GOLDENS / "complex.ckpt")["z"], np.array([1 + 2j, 3 - 4j], np.complex64))


@pytest.mark.parametrize("name", ["types.ckpt", "crc.ckpt", "split.ckpt", "text.ckpt", "complex.ckpt"])
def test_rewriting_a_mindspore_file_gives_the_same_bytes(name, tmp_path, monkeypatch):
    monkeypatch.setattr(mindspore_ckpt, "SLICE_BYTES", 1024)
    mindspore_ckpt.write(tmp_path / name, mindspore_ckpt.read(GOLDENS / name), crc_check="crc" in name)
    assert (tmp_path / name).read_bytes() == (GOLDENS / name).read_bytes()


def test_split_needs_every_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(mindspore_ckpt, "SLICE_BYTES", 16)
    path = tmp_path / "s.ckpt"
    mindspore_ckpt.write(path, {"w": np.arange(12, dtype=np.float32)})
    content = path.read_bytes()
    assert len(content) % 3 == 0
    path.write_bytes(content[: len(content) // 3 * 2])
    with pytest.raises(ValueError, match=r"'w' is float32\[12\], 48 bytes; the file has 32"):
        mindspore_ckpt.read(path)


def test_old_scalars(tmp_path):
    path = tmp_path / "old.ckpt"
    path.write_bytes(b"\n\x17\n\x02s0\x12\x11\x08\x00\x12\x07Float32\x1a\x04\x00\x00\xc0?")
    assert same(mindspore_ckpt.read(path)["s0"], np.array(1.5, np.float32))


def test_fields_behind_the_records_are_skipped(tmp_path):
    """A later release may write them; what begins with such a field is no checkpoint."""
    path, newer = tmp_path / "newer.ckpt", b"\x7a\x05hello\x70\x03\x7d1234\x7912345678"
    path.write_bytes((GOLDENS / "types.ckpt").read_bytes() + newer)
    with pytest.warns(
        UserWarning, match=r"newer\.ckpt has something other than a Parameter at byte \d+; it is left out"
    ):
        read = mindspore_ckpt.read(path)
    expected = mindspore_ckpt.read(GOLDENS / "types.ckpt")
    assert list(read) == list(expected) and all(same(read[n], expected[n]) for n in read)
    for content in (newer, (GOLDENS / "types.ckpt").read_bytes() + newer[:4]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"expected a parameter record at byte \d+, found something else"):
            mindspore_ckpt.read(path)
