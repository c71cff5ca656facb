"""Running what the converter writes, with the helpers that it imports, where `mindspore` is answered by sporax."""

import atexit
import contextlib
import importlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import sporax as ms
from sporax._src.migrate.source.convert import convert
from sporax.migrate import Converted

PACKAGE = "_from_torch"
_FOLDERS: list[tuple[Path, dict[str, str]]] = []


def execute(converted: Converted, scope: dict[str, Any]) -> None:
    """Run a converted program in a scope."""
    with answering_mindspore(), helpers_in(_folder(converted.files)):
        exec(compile(converted.text, "converted", "exec"), scope)


def assert_same_answers(text: str, atol: float = 1e-6, targets: tuple[str, ...] = ("mint", "classic")) -> None:
    """Run a torch program, and its conversions for the targets: its `answers` are equal.

    They are numbers, texts, and lists of these.
    """
    expected: dict[str, Any] = {}
    exec(compile(text, "torch", "exec"), expected)
    for target in targets:
        converted = convert(text, target=target)
        assert not converted.todo
        scope: dict[str, Any] = {}
        execute(converted, scope)
        _assert_close(scope["answers"], expected["answers"], atol)


def _assert_close(value: Any, expected: Any, atol: float) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(value) == len(expected)
        for one, other in zip(value, expected, strict=True):
            _assert_close(one, other, atol)
    else:
        assert value == (pytest.approx(expected, abs=atol) if isinstance(expected, float) else expected)


@contextlib.contextmanager
def answering_mindspore() -> Iterator[None]:
    """Answer `import mindspore` with sporax."""
    if ms.compat.is_installed():
        yield
        return
    ms.compat.install()
    try:
        yield
    finally:
        ms.compat.uninstall()


@contextlib.contextmanager
def helpers_in(folder: Path) -> Iterator[None]:
    """Let programs import helpers from a folder, and none that another program imported."""
    _forget_helpers()
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        _forget_helpers()


def _forget_helpers() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def _folder(files: Mapping[str, str]) -> Path:
    """Return a folder that has some files; modules of one target share it, so that each is compiled once."""
    folder, texts = next((pair for pair in _FOLDERS if _agree(pair[1], files)), (None, {}))
    if folder is None:
        folder = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _FOLDERS.append((folder, texts))
    for path in files.keys() - texts.keys():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(files[path])
    texts.update(files)
    importlib.invalidate_caches()
    return folder


def _agree(texts: Mapping[str, str], files: Mapping[str, str]) -> bool:
    return all(texts.get(path, text) == text for path, text in files.items())
