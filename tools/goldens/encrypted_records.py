"""Encrypted files of records that MindSpore wrote, what it reads from ours, and what it refuses."""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import mindspore.dataset as ds
from mindspore.mindrecord import FileReader, FileWriter, MindPage, set_dec_mode, set_enc_key, set_enc_mode

from .common import write_json

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from record_files import swap, unswap

KEY = "0123456789abcdef"
ROWS = [{"id": k, "text": "é" * k} for k in range(3)]


def write(path: str, rows: Any = ROWS) -> None:
    """Write rows with the smallest pages."""
    writer = FileWriter(path, 1, True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema({"id": {"type": "int32"}, "text": {"type": "string"}}, "secret")
    writer.write_raw_data(rows)
    writer.commit()


def settle(key: Any = None, enc_mode: Any = "AES-GCM", dec_mode: Any = None) -> None:
    """Set all three."""
    set_enc_key(key)
    set_enc_mode(enc_mode)
    set_dec_mode(dec_mode)


MODES = {
    "gcm": (KEY, "AES-GCM", None),
    "gcm_accented": ("é23456789abcdefg", "AES-GCM", "AES-GCM"),
    "function": (KEY, swap, unswap),
}


def refused(function: Any, *args: Any) -> str:
    """Return the type of an error."""
    try:
        function(*args)
    except Exception as error:
        return type(error).__name__
    return "none"


def record(out: Path) -> None:
    """Write the folder ``encrypted_records``."""
    folder = out / "encrypted_records"
    folder.mkdir(exist_ok=True)
    answers: dict[str, Any] = {"rows": {}, "dataset": {}, "of_sporax": {}, "appended": {}, "refused": {}}
    for name, mode in MODES.items():
        path = str(folder / f"{name}.mindrecord")
        settle(*mode)
        write(path)
        for file in (path, f"{path}.db"):
            os.chmod(file, 0o644)
        answers["rows"][name] = list(FileReader(path).get_next())
        rows = ds.MindDataset([path], shuffle=False).create_dict_iterator(1, output_numpy=True)
        answers["dataset"][name] = [{k: v.tolist() for k, v in row.items()} for row in rows]
        ours = folder / f"sporax_{name}.mindrecord"  # written by sporax; read here if it is there
        if ours.exists():
            answers["of_sporax"][name] = list(FileReader(str(ours)).get_next())
        copy = shutil.copy(path, tempfile.mkdtemp())
        shutil.copy(f"{path}.db", f"{copy}.db")
        writer = FileWriter.open_for_append(copy)
        writer.write_raw_data([{"id": 9, "text": "more"}])
        writer.commit()
        answers["appended"][name] = list(FileReader(copy).get_next())
    path = str(folder / "gcm.mindrecord")
    plain = os.path.join(tempfile.mkdtemp(), "plain.mindrecord")
    settle()
    write(plain)
    told = answers["refused"]
    told["no key"] = refused(FileReader, path)
    told["no key, MindPage"] = refused(MindPage, path)
    told["no key, MindDataset"] = refused(ds.MindDataset, path)
    told["no key, appending"] = refused(FileWriter.open_for_append, path)
    settle("fedcba9876543210")
    told["another key"] = refused(FileReader, path)
    settle(KEY)
    told["plain"] = refused(FileReader, plain)
    told["two files"] = refused(FileWriter, plain + "x", 2)
    told["two files, save"] = refused(ds.NumpySlicesDataset([1, 2]).save, plain + "y", 2)
    settle(KEY, "AES-GCM", unswap)
    told["another mode"] = refused(FileReader, path)
    settle(KEY, swap)
    told["function without another"] = refused(FileReader, path)
    settle()
    for value in (3, "short", "", b"0123456789abcdef"):
        told[f"set_enc_key({value!r})"] = refused(set_enc_key, value)
    for value in (3, "AES-CBC", "SM4-CBC", None):
        told[f"set_enc_mode({value!r})"] = refused(set_enc_mode, value)
        told[f"set_dec_mode({value!r})"] = refused(set_dec_mode, value)
    settle()
    shutil.rmtree(folder / ".decrypt_mindrecord")
    write_json(folder / "answers.json", answers)
