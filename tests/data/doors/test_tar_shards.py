"""Tar files whose files of one name are a row."""

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest

import sporax.dataset as ds


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def write(path: Path, files: dict[str, bytes], mode: str = "w") -> str:
    with tarfile.open(path, mode) as archive:
        for name, raw in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            archive.addfile(info, io.BytesIO(raw))
    return str(path)


def row(k: int) -> dict[str, bytes]:
    parts = {"jpg": b"\xff\0", "cls": b"%d" % k, "txt": b"caf\xc3\xa9", "json": json.dumps({"box": [k, 1]}).encode()}
    return {f"train/{k}.{ending}": raw for ending, raw in {**parts, "mask.npy": npy(np.full(2, k))}.items()}


def test_rows_of_shards(tmp_path: Path) -> None:
    write(tmp_path / "a-00.tar", row(0) | row(1))
    write(tmp_path / "a-01.tar.gz", row(2), "w:gz")
    data = ds.from_source([str(tmp_path / "a-00.tar"), str(tmp_path / "a-01.tar.gz")])
    assert data.get_col_names() == ["jpg", "cls", "txt", "json.box", "mask.npy"] and data.get_dataset_size() == 3
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert [r["cls"].item() for r in rows] == [0, 1, 2] and rows[2]["json.box"].tolist() == [2, 1]
    assert (
        rows[0]["jpg"].tolist() == [255, 0]
        and rows[0]["txt"].item() == "café"
        and rows[1]["mask.npy"].tolist() == [1, 1]
    )


def test_numbers_in_braces_and_keys(tmp_path: Path) -> None:
    for k in range(3):
        write(tmp_path / f"b-{k:02d}.tar", row(k))
    data = ds.from_source(f"{tmp_path}/b-{{00..02}}.tar", ["__key__", "cls"])
    assert [r["__key__"].item() for r in data.create_dict_iterator(num_epochs=1, output_numpy=True)] == [
        "train/0",
        "train/1",
        "train/2",
    ]


def test_broken_shards(tmp_path: Path) -> None:
    path = write(tmp_path / "c.tar", row(0))
    raw = Path(path).read_bytes()
    Path(path).write_bytes(raw[: len(raw) // 3])
    with pytest.raises(RuntimeError, match=r"c\.tar is no whole tar file: truncated header"):
        list(ds.from_source(path))
    Path(path).write_bytes(b"no tar")
    with pytest.raises(RuntimeError, match=r"c\.tar is no whole tar file"):
        list(ds.from_source(path))
    with pytest.raises(RuntimeError, match=r"d\.tar: 0\.cls cannot be read: invalid literal for int"):
        list(ds.from_source(write(tmp_path / "d.tar", {"0.cls": b"cat"})))
    with pytest.raises(RuntimeError, match=r"e\.tar has two files 0\.cls in one row"):
        list(ds.from_source(write(tmp_path / "e.tar", {"0.cls": b"1", "0.CLS": b"1"})))
    with pytest.raises(RuntimeError, match=r"row 1 has no \['txt'\]; it has \['__key__', 'cls'\]"):
        list(ds.from_source(write(tmp_path / "f.tar", {"0.cls": b"1", "0.txt": b"a", "1.cls": b"2"})))
