"""Safetensors: names that come twice in a header, floats of eight bits, checksums."""

import pytest

import sporax as ms
from sporax._src.checkpoint.formats import safetensors_file


def test_names_that_come_twice_in_a_header(tmp_path):
    """Also where they are written differently; the package takes the last in silence."""
    tensor = '{"dtype":"F32","shape":[1],"data_offsets":[0,4]}'
    headers = {
        f'{{"w":{tensor},"w":{tensor}}}': "the name 'w' comes twice",
        f'{{"w":{tensor},"\\u0077":{tensor}}}': "the name 'w' comes twice",
        f'{{"__metadata__":{{"crc_num":"1","crc_num":"2"}},"w":{tensor}}}': "the name 'crc_num' comes twice",
    }
    path = tmp_path / "w.safetensors"
    for header, match in headers.items():
        path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(4))
        with pytest.raises(ValueError, match=rf"w\.safetensors \(\d+ bytes\) is not a readable .*: {match}"):
            ms.load_checkpoint(str(path), format="safetensors")


def test_floats_of_eight_bits(tmp_path):
    values = {
        "x": ms.Tensor([[1.0, 2.0], [3.0, -4.5]]).astype(ms.float8_e4m3fn),
        "y": ms.Tensor([1.0, -2.0]).astype(ms.float8_e5m2),
    }
    path = tmp_path / "w.safetensors"
    ms.save_checkpoint(values, str(path), format="safetensors")
    loaded = ms.load_checkpoint(str(path), format="safetensors")
    assert [p.dtype for p in loaded.values()] == [ms.float8_e4m3fn, ms.float8_e5m2]
    assert [p.astype(ms.float32).asnumpy().tolist() for p in loaded.values()] == [
        [[1.0, 2.0], [3.0, -4.5]],
        [1.0, -2.0],
    ]
    parts = safetensors_file.read_parts(path, lambda name, shape: [slice(1, 2)] if name == "y" else ())
    assert {name: part.astype(float).tolist() for name, part in parts.items()} == {
        "x": [[1.0, 2.0], [3.0, -4.5]],
        "y": [-2.0],
    }


def test_a_checksum_is_written_and_compared(tmp_path):
    path = tmp_path / "w.safetensors"
    ms.save_checkpoint({"w": ms.Tensor([1.0])}, str(path), crc_check=True, format="safetensors")
    assert ms.load_checkpoint(str(path), crc_check=True, format="safetensors")["w"].item() == 1.0
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"its checksum is not the \d+ it was written with"):
        ms.load_checkpoint(str(path), crc_check=True, format="safetensors")
