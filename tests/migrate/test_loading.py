"""Files of two programs in one process: each has its own modules, whatever their names, also while its network runs."""

import inspect
import sys

import pytest

from sporax._src.migrate.loading import load_function, load_program, modules_of


@pytest.fixture(autouse=True)
def _unchanged():
    """Loading leaves no module and no path behind."""
    modules, paths = set(sys.modules), [*sys.path]
    yield
    assert sys.path == paths
    assert not {
        name for name in set(sys.modules) - modules if name.partition(".")[0] in ("pkg", "beside", "net", "late")
    }


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


SCRIPT = "from beside import NAME\ndef build():\n    import late\n    return NAME, late.NAME\n"


def test_scripts_of_one_name_import_their_own_neighbours(tmp_path):
    built = []
    for name in ("a", "b"):
        write(tmp_path / name, net=SCRIPT, beside=f"NAME = '{name}'\n", late=f"NAME = 'late {name}'\n")
        built.append(load_function(f"{tmp_path / name / 'net.py'}:build"))
    assert [build() for build in (*built, *built)] == [("a", "late a"), ("b", "late b")] * 2


def test_packages_of_one_name_with_packages_below(tmp_path):
    for name in ("a", "b"):
        write(tmp_path / name / "pkg", __init__="from .net import build\n", names=f"NAME = '{name}'\n")
        write(
            tmp_path / name / "pkg",
            net="from .deep import WORD\ndef build():\n    from .deep.late import L\n    return WORD, L\n",
        )
        write(
            tmp_path / name / "pkg" / "deep",
            __init__="from .word import WORD\n",
            late="from pkg.names import NAME as L\n",
        )
        write(
            tmp_path / name / "pkg" / "deep",
            word="from ..names import NAME\nWORD = NAME * 2\ndef word():\n    return WORD\n",
        )
    built = [load_function(f"{tmp_path / name / 'pkg' / 'net.py'}:build") for name in ("a", "b")]
    assert [build() for build in (*built, *built)] == [("aa", "a"), ("bb", "b")] * 2
    assert load_function(f"{tmp_path / 'b' / 'pkg' / '__init__.py'}:build")() == ("bb", "b")
    assert load_function(f"{tmp_path / 'a' / 'pkg' / 'deep' / 'word.py'}:word")() == "aa"


def test_files_of_a_package_may_be_scripts(tmp_path):
    folder = write(tmp_path / "pkg", __init__="", net=SCRIPT, beside="NAME = 1\n", late="NAME = 2\n")
    assert load_function(f"{folder / 'net.py'}:build")() == (1, 2)


def test_a_package_may_have_the_name_of_one_that_is_imported(tmp_path):
    folder = write(
        tmp_path / "wave", __init__="", net="from .own import NAME\ndef build():\n    return NAME\n", own="NAME = 3\n"
    )
    import wave

    assert load_function(f"{folder / 'net.py'}:build")() == 3
    assert sys.modules["wave"] is wave


def test_folders_that_a_program_adds_are_its_own(tmp_path):
    for name in ("a", "b"):
        write(tmp_path / name / "lib", beside=f"NAME = '{name}'\n")
        head = "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))\n"
        write(tmp_path / name, net=f"{head}import beside\ndef build():\n    return beside.NAME\n")
    assert [load_function(f"{tmp_path / name / 'net.py'}:build")() for name in ("a", "b")] == ["a", "b"]


def test_installed_modules_are_shared(tmp_path):
    text = "import numpy, json\nfrom email import charset\ndef build():\n    return numpy, json, charset\n"
    first, second = (load_function(f"{write(tmp_path / n, net=text) / 'net.py'}:build")() for n in ("a", "b"))
    assert all(one is other is sys.modules[one.__name__] for one, other in zip(first, second, strict=True))


def test_files_of_one_folder_are_one_program(tmp_path):
    text = "import beside\ndef build():\n    return beside\n"
    write(tmp_path, net=text, cell=text, beside="")
    assert load_function(f"{tmp_path / 'net.py'}:build")() is load_function(f"{tmp_path / 'cell.py'}:build")()


def test_a_function_runs_within_another_program(tmp_path):
    for name in ("a", "b"):
        write(
            tmp_path / name,
            net="def build(inner=None):\n    import late\n    return [late.NAME, *(inner() if inner else [])]\n",
        )
        write(tmp_path / name, late=f"NAME = '{name}'\n")
    a, b = (load_function(f"{tmp_path / name / 'net.py'}:build") for name in ("a", "b"))
    assert a(lambda: b(a)) == ["a", "b", "a"]


def test_a_network_runs_with_the_modules_of_its_program(tmp_path):
    text = "class Net:\n    def run(self):\n        import late\n        return late.NAME\ndef build():\n    return Net(), 3\n"
    folder = write(tmp_path, net=text, late="NAME = 5\n")
    net, _ = load_function(f"{folder / 'net.py'}:build")()
    with pytest.raises(ModuleNotFoundError):
        net.run()
    with modules_of(net):
        assert net.run() == 5
    with modules_of(pytest), pytest.raises(ModuleNotFoundError):
        net.run()


def test_a_file_that_fails_leaves_nothing(tmp_path):
    folder = write(tmp_path, net="import beside\n1 / 0\n", beside="")
    with pytest.raises(ZeroDivisionError):
        load_program(str(folder / "net.py"))
    with pytest.raises(ValueError, match=r"net\.py fails to load: ZeroDivisionError: division by zero"):
        load_function(f"{folder / 'net.py'}:build")


def test_functions_keep_their_signatures(tmp_path):
    folder = write(tmp_path, net="def optimizer(net, cell):\n    return net, cell\n")
    assert [*inspect.signature(load_function(f"{folder / 'net.py'}:optimizer")).parameters] == ["net", "cell"]
