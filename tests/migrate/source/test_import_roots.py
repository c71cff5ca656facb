"""The folder that has the helpers of a file is one that the program imports from when it runs."""

import contextlib
import io
import json

import pytest
from converted_programs import answering_mindspore, helpers_in
from program_folders import snapshot, write_program

from sporax._src.migrate.source.project import migrate


@pytest.fixture
def source(tmp_path):
    return write_program(tmp_path / "source")


HELPERS = "from _from_torch.nn.activations import _RReLU\n"


@pytest.fixture
def package(source):
    """A package and a script that imports it."""
    folder = source / "net"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "inner" / "__init__.py").touch()
    (folder / "layers.py").write_text("from torch import nn\nlayers = [nn.RReLU]\n")
    (folder / "inner" / "use.py").write_text("import torch\nis_rrelu = isinstance(net, torch.nn.RReLU)\n")
    (source / "train.py").write_text("from torch import nn\nfrom net.layers import layers\nprint(nn.RReLU in layers)\n")
    return folder


def test_the_files_of_a_program_share_their_helpers(source, package, tmp_path):
    """So that a class made in one file is the class that another asks for."""
    migrate(source, tmp_path / "out")
    after = snapshot(tmp_path / "out")
    assert after["net/layers.py"].decode() == f"{HELPERS}layers = [_RReLU]\n"
    assert after["net/inner/use.py"].decode() == f"{HELPERS}is_rrelu = isinstance(net, _RReLU)\n"
    assert after["train.py"].decode() == f"{HELPERS}from net.layers import layers\nprint(_RReLU in layers)\n"
    assert [name for name in after if "_from_torch" in name] == [
        "_from_torch/__init__.py",
        "_from_torch/nn/__init__.py",
        "_from_torch/nn/activations.py",
    ]
    scope = {}
    with answering_mindspore(), helpers_in(tmp_path / "out"), contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(after["train.py"], scope)
    assert printed.getvalue() == "True\n"


def test_a_script_in_a_package_imports_by_the_name_that_it_uses_itself(source, package, tmp_path):
    (package / "train.py").write_text(
        "from torch import nn\nfrom net.layers import layers\nprint(nn.RReLU in layers)\n"
    )
    migrate(package, tmp_path / "net")
    after = snapshot(tmp_path / "net")
    assert after["train.py"].startswith(
        b"from net._from_torch.nn.activations import _RReLU\nfrom net.layers import layers\n"
    )
    assert after["layers.py"].startswith(b"from ._from_torch.nn.activations import _RReLU\n")


def test_a_package_alone_has_its_helpers_inside(source, package, tmp_path):
    migrate(package, tmp_path / "out")
    after = snapshot(tmp_path / "out")
    assert after["layers.py"].startswith(b"from ._from_torch.nn.activations import _RReLU\n")
    assert after["inner/use.py"].startswith(b"from .._from_torch.nn.activations import _RReLU\n")
    assert "_from_torch/nn/activations.py" in after


def test_scripts_of_another_folder_have_helpers_beside_them(source, package, tmp_path):
    """Unless the program imports that folder by name."""
    for folder in ("examples", "models"):
        (source / folder).mkdir()
        (source / folder / "one.py").write_text("from torch import nn\nlayer = nn.Mish\n")
    (source / "train.py").write_text("from models.one import layer\n")
    migrate(source, tmp_path / "out")
    homes = {name.partition("_from_torch")[0] for name in snapshot(tmp_path / "out") if "_from_torch" in name}
    assert homes == {"", "examples/"}


@pytest.mark.parametrize("out", ["alone.py", "folder", "folder/inner.py"])
def test_a_script_has_its_helpers_beside_it(package, tmp_path, out):
    """Also those of another script that was converted there."""
    out = tmp_path / out
    out.parent.mkdir(exist_ok=True)
    (tmp_path / "more.py").write_text("import torch\ntorch.set_grad_enabled(False)\n")
    for script in (package / "layers.py", tmp_path / "more.py"):
        migrate(script, out, force=True)
    folder = out.parent if out.suffix else out
    assert sorted(path.name for path in (folder / "_from_torch").rglob("*.py") if path.stem != "__init__") == [
        "activations.py",
        "grad_mode.py",
    ]


def test_a_notebook_has_its_helpers_beside_it(tmp_path):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    book = {"cells": [{**cell, "source": ["import torch\n", "torch.set_grad_enabled(False)"]}], "metadata": {}}
    (tmp_path / "n.ipynb").write_text(json.dumps({**book, "nbformat": 4, "nbformat_minor": 5}))
    migrate(tmp_path / "n.ipynb", tmp_path / "out" / "n.ipynb")
    after = json.loads((tmp_path / "out" / "n.ipynb").read_text())["cells"][0]["source"]
    assert after[0] == "from _from_torch.training.grad_mode import _set_grad_enabled\n"
    assert (tmp_path / "out" / "_from_torch" / "training" / "grad_mode.py").exists()


def test_scripts_beside_an_init_file_import_helpers_by_name(tmp_path):
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "layers.py").write_text("from torch import nn\nlayers = [nn.RReLU]\n")
    (folder / "main.py").write_text(
        "from layers import layers\nfrom torch import nn\nnet = nn.Sequential(layers[0]())\n"
    )
    migrate(folder, tmp_path / "out")
    assert HELPERS in (tmp_path / "out" / "layers.py").read_text()
    assert (tmp_path / "out" / "_from_torch" / "nn" / "activations.py").exists()


def test_a_script_takes_its_helpers_from_the_root_above_from_which_it_imports(source, package, tmp_path):
    """A package of helpers beside the script would hide that of the package that it imports."""
    for folder, name in (("projects/small", "net.layers"), ("tools", "absent")):
        (source / folder).mkdir(parents=True)
        (source / folder / "run.py").write_text(
            f"from torch import nn\nfrom {name} import layers\nprint(nn.RReLU in layers)\n"
        )
    migrate(source, tmp_path / "out")
    after = snapshot(tmp_path / "out")
    folders = {name.partition("_from_torch")[0] for name in after if "_from_torch" in name}
    assert folders == {"", "tools/"}
    assert after["projects/small/run.py"].decode().startswith(HELPERS)
    (source / "net").rename(source / "src")
    (source / "projects" / "small" / "net.py").write_text("from torch import nn\nlayers = [nn.RReLU]\n")
    migrate(source, tmp_path / "own")
    assert "projects/small/_from_torch/nn/activations.py" in snapshot(tmp_path / "own")


def test_a_folder_src_counts_as_a_root(source, package, tmp_path):
    (source / "src").mkdir()
    package.rename(source / "src" / "net")
    migrate(source, tmp_path / "out")
    folders = {name.partition("_from_torch")[0] for name in snapshot(tmp_path / "out") if "_from_torch" in name}
    assert folders == {"src/"}
