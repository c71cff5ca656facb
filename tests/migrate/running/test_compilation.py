"""A module is converted once; its code is kept on disk by content."""

import marshal
from pathlib import Path

import pytest

from sporax._src.migrate.running.compilation import Compiler, version
from sporax._src.migrate.source.source_text import ConversionFault

TEXT = b"import torch\n\n\ndef f(x):\n    y = 1 / 0\n    return torch.cat([x], axis=y)\n"


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "converted"


def converted(data: bytes, file: Path, **options: bool) -> int:
    """Compile a module in a process that has compiled nothing, and return how many conversions this takes."""
    file.write_bytes(data)
    compiler = Compiler()
    code = compiler.compile(data, str(file), "own_module", **options)
    assert code is not None
    assert code.co_filename == str(file)
    return compiler.conversions


def test_the_second_process_converts_nothing(cache, tmp_path) -> None:
    file = tmp_path / "own_module.py"
    assert [converted(TEXT, file), converted(TEXT, file)] == [1, 0]
    assert converted(TEXT + b"\n", file) == 1
    assert converted(TEXT, file, is_main=True) == 1
    assert converted(TEXT, tmp_path / "other.py") == 1


def test_a_change_of_the_converter_converts_again(cache, tmp_path, monkeypatch) -> None:
    file = tmp_path / "own_module.py"
    converted(TEXT, file)
    monkeypatch.setattr("sporax._src.migrate.running.compilation.version", lambda: "another")
    assert converted(TEXT, file) == 1


def test_a_damaged_entry_is_made_again(cache, tmp_path) -> None:
    file = tmp_path / "own_module.py"
    converted(TEXT, file)
    for entry in cache.glob("*-cache"):
        entry.write_bytes(entry.read_bytes()[:-3] + b"abc")
    assert [converted(TEXT, file), converted(TEXT, file)] == [1, 0]


def test_without_a_cache_every_process_converts(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("sporax._src.base.config.cache_dir", lambda: None)
    file = tmp_path / "own_module.py"
    assert [converted(TEXT, file), converted(TEXT, file)] == [1, 1]


def test_what_is_left_is_kept_with_the_code(cache, tmp_path) -> None:
    file = tmp_path / "own_module.py"
    text = b"import torch\nx = torch.jit.load\n"
    for _ in range(2):
        compiler = Compiler()
        compiler.compile(text, str(file), "own_module")
        ((line, reason),) = compiler.modules[str(file)].left
        assert (line, reason.partition(":")[0]) == (2, "torch.jit.load")


def test_a_fault_of_the_converter_is_an_import_error(cache, tmp_path, monkeypatch) -> None:
    def fail(*args: object, **options: object) -> None:
        raise ConversionFault("line 1: edits overlap")

    monkeypatch.setattr("sporax._src.migrate.running.compilation.convert", fail)
    with pytest.raises(ImportError, match=r"own_module\.py cannot be converted: line 1: edits overlap"):
        converted(TEXT, tmp_path / "own_module.py")


def test_a_module_without_torch_is_none_of_its_business(cache, tmp_path) -> None:
    assert Compiler().compile(b"x = 1\n", str(tmp_path / "site-packages" / "plain.py"), "plain") is None
    file = tmp_path / "own_plain.py"
    file.write_bytes(b"x = 1\n")
    compiler = Compiler()
    assert compiler.compile(b"x = 1\n", str(file), "own_plain") is None
    assert compiler.modules == {}


def test_the_version_is_a_digest() -> None:
    assert len(version()) == 64
    assert marshal.loads(marshal.dumps(version())) == version()
