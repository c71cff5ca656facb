"""`sporax.compat`: the name `mindspore` served in a process that runs already, and given back."""

import importlib
import subprocess
import sys
import threading
from types import ModuleType

import numpy as np
import pytest

import sporax
import sporax.compat


@pytest.fixture(autouse=True)
def given_back():
    for name in sporax.nn.__all__:
        getattr(sporax.nn, name)  # what is imported when it is asked for stays
    before = surroundings()
    yield
    sporax.compat.uninstall()
    assert surroundings() == before


def surroundings() -> tuple:
    modules = {name for name in sys.modules if name.partition(".")[0] == "mindspore"}
    return modules, list(sys.meta_path), list(sys.path), set(vars(np)), set(vars(sporax.nn))


def test_it_is_loaded_when_it_is_asked_for():
    code = (
        "import sys, sporax; before = 'sporax.compat' in sys.modules; sporax.compat.install(); import mindspore as ms\n"
    )
    code += "print(before, ms.Tensor is sporax.Tensor)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["False", "True"]


def test_install_and_uninstall():
    with pytest.raises(ModuleNotFoundError, match="mindspore"):
        importlib.import_module("mindspore")
    sporax.compat.install()
    assert sporax.compat.is_installed()
    assert importlib.import_module("mindspore").nn is importlib.import_module("mindspore.nn") is sporax.nn
    assert np.product([2, 3]) == 6
    sporax.compat.uninstall()
    assert not sporax.compat.is_installed() and not hasattr(np, "product")
    with pytest.raises(ModuleNotFoundError, match="mindspore"):
        importlib.import_module("mindspore")


def test_calls_do_not_add_up():
    """Nested or repeated: installed is installed, and one `uninstall` ends it."""
    for _ in range(2):
        sporax.compat.install()
        held = importlib.import_module("mindspore")
        sporax.compat.install()
        assert importlib.import_module("mindspore") is held
        sporax.compat.uninstall()
        assert not sporax.compat.is_installed()
        assert held.Tensor is sporax.Tensor
        sporax.compat.uninstall()


def test_threads_install_and_import():
    found, start = [], threading.Barrier(8)

    def work():
        start.wait()
        sporax.compat.install()
        found.append(importlib.import_module("mindspore.nn"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [sporax.nn] * 8
    assert sys.path.count(sporax._src.compat.finder.WORKER_PATH) == 1


def test_the_real_mindspore_is_not_mixed(monkeypatch):
    real = ModuleType("mindspore")
    real.__file__ = "/somewhere/mindspore/__init__.py"
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "mindspore", real)
        with pytest.raises(RuntimeError, match="mindspore is already imported, from /somewhere/mindspore"):
            sporax.compat.install()
        assert not sporax.compat.is_installed() and sys.modules["mindspore"] is real
