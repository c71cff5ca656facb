"""`sporax cache` shows where compiled graphs are kept and deletes them, and nothing else."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sporax._src.base import config
from sporax._src.cli import main


def run(*args: str) -> str:
    done = CliRunner().invoke(main, ["cache", *args])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path))
    (tmp_path / "jit_f-0123-cache").write_bytes(b"x" * 1_500_000)
    (tmp_path / "jit_f-0123-atime").write_bytes(b"x" * 8)
    (tmp_path / "mine.txt").write_text("kept")
    return tmp_path


def test_shows_folder_files_and_size(folder: Path) -> None:
    assert run() == f"{folder}: 2 files, 1.5 MB\n"
    assert len(list(folder.iterdir())) == 3


def test_clear_deletes_compiled_graphs_only(folder: Path) -> None:
    assert run("--clear") == f"{folder}: 2 files, 1.5 MB\ncleared\n"
    assert [p.name for p in folder.iterdir()] == ["mine.txt"]
    assert run() == f"{folder}: 0 files, 0.0 MB\n"


def test_converted_modules_are_listed_and_deleted(folder: Path) -> None:
    converted = folder / "converted"
    converted.mkdir()
    (converted / "0123-cache").write_bytes(b"x" * 500_000)
    assert run() == f"{folder}: 2 files, 1.5 MB\n{converted}: 1 files, 0.5 MB\n"
    assert run("--clear").endswith("cleared\n")
    assert run() == f"{folder}: 0 files, 0.0 MB\n"


def test_folder_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path / "none"))
    assert run() == f"{tmp_path / 'none'}: 0 files, 0.0 MB\n"


def test_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(config._settings, "enable_compile_cache", False)
    assert run() == "The compile cache is off (SPORAX_CACHE_DIR).\n"


def test_warm_runs_a_program_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path / "cache"))
    program = tmp_path / "train.py"
    program.write_text("import sys, mindspore as ms\nprint((ms.Tensor([1.0]) + float(sys.argv[1])).asnumpy())\n")
    shown = run("warm", str(program), "2")
    assert shown.startswith(f"{tmp_path / 'cache'}: ") and shown.endswith(" new files\n")
    assert list((tmp_path / "cache").glob("*-cache"))
    assert run("warm", str(program), "2").endswith(": 0 new files\n")


def test_warm_ends_a_program_that_compiles_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path))
    text = "import time, mindspore as ms\nx = ms.Tensor([1.0]) + 1\nwhile True:\n    x, _ = x + 1, time.sleep(0.01)\n"
    (tmp_path / "train.py").write_text(text)
    assert run("warm", "--quiet", "2", str(tmp_path / "train.py")).endswith(" new files\n")


def test_warm_names_a_program_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path))
    (tmp_path / "train.py").write_text("raise SystemExit(3)\n")
    done = CliRunner().invoke(main, ["cache", "warm", str(tmp_path / "train.py")])
    assert done.exit_code == 1 and done.output == f"Error: {tmp_path / 'train.py'} ended with status 3.\n"


def test_warm_needs_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(config._settings, "enable_compile_cache", False)
    done = CliRunner().invoke(main, ["cache", "warm", "train.py"])
    assert done.exit_code == 1 and done.output == "Error: the compile cache is off (SPORAX_CACHE_DIR).\n"
