"""Lines of files by number, as in MindSpore."""

import pickle
from pathlib import Path

import pytest
from recorded_errors import TOLD

from sporax.dataset.utils import LineReader


@pytest.mark.parametrize("name", [name for name, entry in TOLD["lines"].items() if "text" in entry])
def test_lines_are_mindspores(name: str, tmp_path: Path) -> None:
    entry, path = TOLD["lines"][name], tmp_path / "text"
    path.write_bytes(entry["text"].encode())
    reader = LineReader(str(path))
    assert [reader.len(), len(reader)] == entry["len"]
    assert [reader.readline(k) for k in range(1, len(reader) + 1)] == entry["lines"]
    assert [reader[k] for k in range(len(reader), 0, -1)] == entry["lines"][::-1]
    for bad in (0, reader.len() + 1, "1", 1.0):
        with pytest.raises((TypeError, ValueError), match=r"LineReader.readline: line must be") as caught:
            reader.readline(bad)
        assert caught.type.__name__ == entry[f"readline({bad!r})"]
    reader.close()
    copied = pickle.loads(pickle.dumps(reader))
    assert len(copied) == len(reader) and all(copied[k] == reader[k] for k in range(1, len(reader) + 1))


def test_files_of_a_line_reader(tmp_path: Path) -> None:
    for name, value, text in (
        ("missing", str(tmp_path / "nowhere"), "LineReader: there is no file .*nowhere"),
        ("folder", str(tmp_path), "LineReader: there is no file"),
        ("number", 3, "LineReader: filename must be a path, got 3"),
    ):
        with pytest.raises((TypeError, RuntimeError), match=text) as caught:
            LineReader(value)
        assert caught.type.__name__ == TOLD["lines"][name]["error"]
