"""Safetensors: names that come twice in a header."""

import pytest

import sporax as ms


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
