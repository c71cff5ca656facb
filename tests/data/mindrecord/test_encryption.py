"""Encrypted files of records: MindSpore's are read, MindSpore has read ours, other keys and damage are errors."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from record_files import swap, unswap

import sporax.dataset as ds
from sporax._src.data.mindrecord import encryption
from sporax.mindrecord import FileReader, FileWriter, MindPage, set_dec_mode, set_enc_key, set_enc_mode

FOLDER = Path(__file__).parents[2] / "goldens" / "encrypted_records"
TOLD = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
KEY = "0123456789abcdef"


MODES: dict[str, Any] = {
    "gcm": (KEY, "AES-GCM", None),
    "gcm_accented": ("é23456789abcdefg", "AES-GCM", "AES-GCM"),
    "function": (KEY, swap, unswap),
}


def settle(key: Any = None, enc_mode: Any = "AES-GCM", dec_mode: Any = None) -> None:
    set_enc_key(key)
    set_enc_mode(enc_mode)
    set_dec_mode(dec_mode)


@pytest.fixture(autouse=True)
def plain() -> Iterator[None]:
    yield
    settle()


def write(path: Path, rows: Any = TOLD["rows"]["gcm"], shards: int = 1) -> str:
    writer = FileWriter(str(path), shards, True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema({"id": {"type": "int32"}, "text": {"type": "string"}}, "secret")
    writer.write_raw_data(rows)
    writer.commit()
    return str(path)


def read(path: Any) -> list[dict[str, Any]]:
    return list(FileReader(str(path)).get_next())


def copied(name: str, folder: Path) -> str:
    for end in ("", ".db"):
        shutil.copy(f"{FOLDER / name}.mindrecord{end}", folder)
    return str(folder / f"{name}.mindrecord")


@pytest.mark.parametrize("name", MODES)
def test_files_of_both(name: str, tmp_path: Path) -> None:
    settle(*MODES[name])
    path = copied(name, tmp_path)
    assert read(path) == TOLD["rows"][name] == TOLD["of_sporax"][name] == read(copied(f"sporax_{name}", tmp_path))
    data = ds.MindDataset([path], shuffle=False)
    rows = [{k: v.tolist() for k, v in row.items()} for row in data.create_dict_iterator(1, output_numpy=True)]
    assert rows == TOLD["dataset"][name]
    pages = MindPage(path)
    pages.category_field = "id"
    assert pages.read_at_page_by_name("2", 0, 9) == TOLD["rows"][name][2:]


@pytest.mark.parametrize("name", MODES)
def test_appending(name: str, tmp_path: Path) -> None:
    settle(*MODES[name])
    path = copied(name, tmp_path)
    before = read(path)
    writer = FileWriter.open_for_append(path)
    writer.write_raw_data([{"id": 9, "text": "more"}])
    writer.commit()
    assert read(path) == TOLD["appended"][name] != before
    assert b"more" not in Path(path).read_bytes() and Path(path).read_bytes().endswith(b"ENCRYPT")


@pytest.mark.parametrize("mode", ["AES-GCM", "function"])
def test_round_trip_in_pieces(mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encryption, "PIECE_BYTES", 1000)
    settle(KEY * 2, swap if mode == "function" else mode, unswap if mode == "function" else None)
    path = write(tmp_path / "a")
    raw = Path(path).read_bytes()
    assert raw.endswith(bytes(4) + (b"UDF-ENC" if mode == "function" else b"AES-GCM") + b"ENCRYPT")
    assert b"schema" not in raw and b"INDEXES" not in Path(f"{path}.db").read_bytes()
    assert read(path) == TOLD["rows"]["gcm"]
    ds.NumpySlicesDataset([1, 2, 3], ["a"], shuffle=False).save(str(tmp_path / "saved"))
    rows = ds.MindDataset(str(tmp_path / "saved"), shuffle=False).create_dict_iterator(1, output_numpy=True)
    assert [row["a"].item() for row in rows] == [1, 2, 3]
    assert (tmp_path / "saved").read_bytes().endswith(b"ENCRYPT")


def test_copies_are_made_once_and_removed(tmp_path: Path) -> None:
    """Another state of a file has another copy; none is left when the process has ended."""
    code = (
        "import os, sys\n"
        "from sporax.mindrecord import *\n"
        "path = sys.argv[1]\n"
        "set_enc_key('0123456789abcdef')\n"
        "def write(value):\n"
        "    writer = FileWriter(path, 1, True)\n"
        "    writer.add_schema({'a': {'type': 'int32'}})\n"
        "    writer.write_raw_data([{'a': value}])\n"
        "    writer.commit()\n"
        "def read():\n"
        "    return [row['a'] for row in FileReader(path).get_next()]\n"
        "write(1)\n"
        "assert read() == read() == [1]\n"
        "hidden = [n for n in os.listdir(os.path.dirname(path)) if n.startswith('.')]\n"
        "assert len(hidden) == 1 and hidden[0].startswith('.decrypt_mindrecord-'), hidden\n"
        "assert os.stat(os.path.join(os.path.dirname(path), hidden[0])).st_mode & 0o777 == 0o700\n"
        "if os.fork() == 0:\n"
        "    sys.exit(0)\n"
        "os.wait()\n"
        "assert read() == [1]\n"
        "write(2)\n"
        "assert read() == [2]\n"
        "print('done')\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "a")], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "done\n", done.stderr
    assert sorted(os.listdir(tmp_path)) == ["a", "a.db"]


def test_copies_of_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(KEY)
    (tmp_path / "data").mkdir()
    (tmp_path / "copies").mkdir()
    path = write(tmp_path / "data" / "a")
    monkeypatch.setattr(os, "access", lambda *args: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    assert read(path) == TOLD["rows"]["gcm"]
    assert sorted(os.listdir(tmp_path / "data")) == ["a", "a.db"] and len(os.listdir(tmp_path / "copies")) == 1


def test_types_of_errors_are_mindspores(tmp_path: Path) -> None:
    settle(KEY)
    secret = write(tmp_path / "secret")
    settle()
    plain_file = write(tmp_path / "plain")
    told = TOLD["refused"]

    def refused(name: str, text: str, function: Any, *args: Any) -> None:
        with pytest.raises(Exception, match=text) as caught:
            function(*args)
        assert caught.type.__name__ == told.pop(name)

    locked = "secret is encrypted: call set_enc_key with its key"
    refused("no key", locked, FileReader, secret)
    refused("no key, MindPage", locked, MindPage, secret)
    refused("no key, MindDataset", locked, ds.MindDataset, secret)
    refused("no key, appending", locked, FileWriter.open_for_append, secret)
    settle("fedcba9876543210")
    refused("another key", "secret cannot be decrypted: the key is another, or the encrypted bytes", FileReader, secret)
    settle(KEY)
    refused("plain", r"plain is not encrypted: call set_enc_key\(None\)", FileReader, plain_file)
    refused("two files", "2 files of one set cannot be encrypted; pass shard_num=1", FileWriter, plain_file + "x", 2)
    save = ds.NumpySlicesDataset([1, 2]).save
    refused("two files, save", "2 files of one set cannot be encrypted", save, plain_file + "y", 2)
    settle(KEY, "AES-GCM", unswap)
    refused("another mode", "secret is encrypted in AES-GCM, but the mode to decrypt is UDF-ENC", FileReader, secret)
    settle(KEY, swap)
    refused("function without another", "set_dec_mode needs the one that decrypts them", FileReader, secret)
    settle()
    for value, text in ((3, "a str or None, got int"), (b"0123456789abcdef", "a str or None, got bytes")):
        refused(f"set_enc_key({value!r})", f"set_enc_key: enc_key must be {text}", set_enc_key, value)
    for value in ("short", ""):
        text = f"enc_key must have 16, 24 or 32 characters, got {len(value)}"
        refused(f"set_enc_key({value!r})", text, set_enc_key, value)
    for value in (3, "AES-CBC", "SM4-CBC", None):
        text = "must be 'AES-GCM' or a function, got"
        refused(f"set_enc_mode({value!r})", f"set_enc_mode: enc_mode {text}", set_enc_mode, value)
        if value is not None:
            refused(f"set_dec_mode({value!r})", f"set_dec_mode: dec_mode {text}", set_dec_mode, value)
    assert told.pop("set_dec_mode(None)") == "none"
    assert told == {}
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []


def test_a_function_that_raises_leaves_nothing(tmp_path: Path) -> None:
    def broken(source: Any, size: int, target: Any, key: str) -> None:
        raise OSError("no more keys")

    settle(KEY, broken)
    with pytest.raises(OSError, match="no more keys"):
        write(tmp_path / "a")
    settle(KEY, swap, broken)
    path = write(tmp_path / "b")
    with pytest.raises(OSError, match="no more keys"):
        read(path)
    assert sorted(os.listdir(tmp_path)) == ["b", "b.db"]


def test_damaged_files(tmp_path: Path) -> None:
    settle(KEY)
    path = Path(write(tmp_path / "a"))
    raw = path.read_bytes()
    cases = {
        raw[:3] + bytes([raw[3] ^ 1]) + raw[4:]: "its last piece ends at byte|is cut short or damaged",
        raw[:1000] + bytes([raw[1000] ^ 1]) + raw[1001:]: "the key is another, or the encrypted bytes are damaged",
        b"\x7f" + raw[1:]: "the piece before byte 4 is cut short or damaged",
        bytes(4) + raw[4:]: "its last piece ends at byte 4 of",
        raw[-14:]: "its last piece ends at byte|is cut short or damaged",
        b"ENCRYPT": "is encrypted in ENCRYPT, but the mode to decrypt is AES-GCM",
    }
    for content, text in cases.items():
        path.write_bytes(content)
        with pytest.raises(RuntimeError, match=rf"mindrecord: .*a (cannot be decrypted: .*)?({text})"):
            read(path)
    path.write_bytes(raw)
    assert read(path) == TOLD["rows"]["gcm"]


def test_without_the_package(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None\n"
        "from sporax.mindrecord import FileWriter, set_enc_key\n"
        "set_enc_key('0' * 16)\n"
        "writer = FileWriter(sys.argv[1])\n"
        "writer.add_schema({'a': {'type': 'int32'}})\n"
        "writer.write_raw_data([{'a': 1}])\n"
        "try: writer.commit()\n"
        "except RuntimeError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a")], capture_output=True, text=True, timeout=120
    )
    assert "encrypted files need the package cryptography (pip install 'sporax[encryption]')" in done.stdout
    assert list(tmp_path.iterdir()) == []
