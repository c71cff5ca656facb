"""ImageNet as records: the rows of the tables, pictures that are left out."""

import os
from pathlib import Path

import pytest
from data_tables import converters_of
from data_tables.converters import TOLD

from sporax import mindrecord
from sporax.mindrecord import FileReader

TestConverters = converters_of("sporax._src.data.converters.imagenet")


def test_many_pictures_go_to_the_files_of_a_set_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "many" / "n01"
    folder.mkdir(parents=True)
    for k in range(522):
        (folder / f"{k:04d}.jpg").write_bytes(b"x")
    (tmp_path / "map.txt").write_text("n01 0\n")
    mindrecord.ImageNetToMR("map.txt", "many", "spread", 4).transform()
    files = [
        [os.path.basename(row["file_name"])[:4] for row in FileReader([f"spread{k}"]).get_next()] for k in range(4)
    ]
    assert files == TOLD["spread"]


def test_pictures_left_out_are_named(sources: Path) -> None:
    converter = mindrecord.ImageNetToMR("imagenet/map.txt", "imagenet", "i")
    with pytest.warns(UserWarning) as told:
        converter.transform()
    texts = [str(item.message) for item in told]
    assert texts == [
        "ImageNetToMR: there is no folder imagenet/n03; class 2 is left out.",
        "ImageNetToMR: imagenet/n01/c.png is left out: it is empty, or is not a *.JPEG or *.jpg file.",
        "ImageNetToMR: imagenet/n02/empty.JPEG is left out: it is empty, or is not a *.JPEG or *.jpg file.",
    ]
    Path("imagenet/map.txt").write_text("n01 three\n")
    converter = mindrecord.ImageNetToMR("imagenet/map.txt", "imagenet", "j")
    with pytest.raises(ValueError, match=r"line 1 of imagenet/map.txt must be a folder and a label, got 'n01 three'"):
        converter.run()
