"""The import hook converts modules as they are imported."""

import importlib
import inspect
import sys
import traceback

import pytest
from converted_programs import answering_mindspore

import sporax
from sporax._src.migrate.running.compilation import Compiler
from sporax._src.migrate.running.finder import ConvertingFinder, install

TEXT = "import torch\n\n\ndef f(x):\n    return torch.cat([x, x], axis=0).tolist()\n\n\ndef g(x):\n    y = f(x)\n    return y / 0\n"


@pytest.fixture
def finder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPORAX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    finder = ConvertingFinder(Compiler())
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    with answering_mindspore():
        yield finder
    for name in ("hooked_a", "hooked_b"):
        sys.modules.pop(name, None)


def test_a_module_is_converted_and_shows_its_own_lines(finder, tmp_path) -> None:
    (tmp_path / "hooked_a.py").write_text(TEXT)
    module = importlib.import_module("hooked_a")
    x = sporax.Tensor([1])
    assert module.f(x) == [1, 1]
    assert module.__file__ == str(tmp_path / "hooked_a.py")
    assert inspect.getsource(module.f) == "".join(TEXT.splitlines(keepends=True)[3:5])
    with pytest.raises(TypeError) as caught:
        module.g(x)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.line) == (module.__file__, 10, "return y / 0")
    assert finder.compiler.conversions == 1


def test_a_module_without_torch_is_loaded_as_it_is(finder, tmp_path) -> None:
    (tmp_path / "hooked_b.py").write_text("x = 1\n")
    assert importlib.import_module("hooked_b").x == 1
    assert finder.compiler.conversions == 0
    assert finder.find_spec("json", None) is None


def test_helpers_of_a_program_that_was_converted_before_are_not_taken(finder, tmp_path) -> None:
    (tmp_path / "_from_torch").mkdir()
    (tmp_path / "_from_torch" / "__init__.py").write_text("")
    (tmp_path / "hooked_b.py").write_text(
        "import torch\n\n\ndef f(x):\n    return torch.quantile(x, 0.5, interpolation='nearest')\n"
    )
    module = importlib.import_module("hooked_b")
    assert float(module.f(sporax.Tensor([1.0, 2.0, 3.0]))) == 2
    assert "_from_torch" not in sys.modules


def test_an_imported_torch_is_refused(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", object())
    with pytest.raises(RuntimeError, match="torch is already imported"):
        install()
