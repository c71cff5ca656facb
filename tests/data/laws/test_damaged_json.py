"""JSON files of any source that cannot be read are told."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

import sporax.dataset as ds

JSONS: dict[str, tuple[Callable[[str], ds.Dataset], str]] = {
    "all.json": (
        lambda folder: ds.CocoDataset(folder, f"{folder}/all.json"),
        "CocoDataset: .*all.json lacks an entry for the task",
    ),
    "all.manifest": (
        lambda folder: ds.ManifestDataset(f"{folder}/all.manifest"),
        "ManifestDataset: line 0 of .*all.manifest: ",
    ),
    "dev-v1.1.json": (
        lambda folder: ds.SQuADDataset(folder, "dev"),
        "SQuADDataset: .*dev-v1.1.json holds no questions: ",
    ),
    "dev.json": (
        lambda folder: ds.CLUEDataset(f"{folder}/dev.json", "AFQMC", "eval"),
        "CLUEDataset: line 0 of .*dev.json is not a row of AFQMC: ",
    ),
    "gtFine/train/a/a_1_gtFine_polygons.json": (
        lambda folder: ds.CityscapesDataset(folder, "train", "fine", "polygon", shuffle=False),
        "CityscapesDataset: .*polygons.json holds no polygons: ",
    ),
}
CONTENTS = {"deep": (b"[" * 100_000, "nested too deep"), "none": (b"{", "Expecting"), "no text": (b"{\xff}", "")}


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("name", JSONS)
def test_json_that_cannot_be_read_is_told(name: str, kind: str, tmp_path: Path) -> None:
    make, match = JSONS[name]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(CONTENTS[kind][0])
    picture = tmp_path / "leftImg8bit/train/a/a_1_leftImg8bit.png"
    picture.parent.mkdir(parents=True)
    Image.new("RGB", (2, 2)).save(picture)
    with pytest.raises(RuntimeError, match=match) as error:
        next(make(str(tmp_path)).create_tuple_iterator(output_numpy=True))
    assert error.match(CONTENTS[kind][1]) and len(str(error.value)) < 1000
