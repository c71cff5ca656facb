"""Pictures with captions or annotations: the rows of the tables, and lists that are none."""

import json
from pathlib import Path

import pytest
from data_tables import sources_of

import sporax.dataset as ds

TestSources = sources_of("sporax._src.data.sources.captioned")


def test_lists_of_pictures_that_are_none(tmp_path: Path) -> None:
    for name in ("Annotation", "Flickr"):
        (tmp_path / name).write_bytes(b"\xff")
    with pytest.raises(RuntimeError, match=r"FlickrDataset: .*Annotation is not text in UTF-8"):
        ds.FlickrDataset(str(tmp_path), str(tmp_path / "Annotation")).get_dataset_size()
    told = {"images": [{"id": 1, "file_name": "\0\x1b"}], "categories": [{"id": 3, "name": "a"}]}
    told["annotations"] = [{"id": 1, "image_id": 1, "category_id": 3, "bbox": [1, 2, 3, 4]}]
    (tmp_path / "all.json").write_text(json.dumps(told))
    rows = ds.CocoDataset(str(tmp_path), str(tmp_path / "all.json"))
    with pytest.raises(RuntimeError, match=r"CocoDataset: .*\\x00\\x1b cannot be read: embedded null byte"):
        next(rows.create_tuple_iterator(output_numpy=True))
