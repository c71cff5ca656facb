"""Imports of torch, in every form, give way to those of MindSpore, and stay where something is left to do."""

import ast

import pytest
from converted_text import HEAD, body

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.project import migrate

HELPER = "from _from_torch.training.not_installed import _not_installed\n"


@pytest.mark.parametrize(
    "imports",
    [
        "import torch",
        "import torch as T",
        "from torch import cat",
        "from torch import cat as C",
        "from torch import *",
    ],
)
def test_names_are_resolved_through_imports(imports):
    name = {"import torch": "torch.cat", "import torch as T": "T.cat", "from torch import cat as C": "C"}.get(
        imports, "cat"
    )
    done = convert(f"{imports}\nx = {name}([], 0)\n")
    assert done.text == "from mindspore import mint\nx = mint.cat([], 0)\n"
    assert done.used == {"torch.cat": 1}


def test_names_that_stand_for_a_module_of_torch():
    text = "import torch\nT = t = torch  # both\nnn, F = torch.nn, T.nn.functional\n"
    text += "y = F.gelu(T.cat([a, t.ones(2)], 1))\nn = nn.ReLU()\n"
    assert convert(text).text == (
        "from mindspore import mint\n"
        "y = mint.nn.functional.gelu(mint.cat([a, mint.ones((2,))], 1))\n"
        "n = mint.nn.ReLU()\n"
    )
    within = "import torch\ndef f(x):\n    F = torch.nn.functional\n    return F.gelu(x)\n"
    assert convert(within).text.endswith("def f(x):\n    pass\n    return mint.nn.functional.gelu(x)\n")


def test_a_name_of_a_module_of_torch_stays_while_anything_is_left_to_do():
    done = convert("import torch\nT = torch\ny = T.no_such_thing(1)\n")
    assert len(done.todo) == 1
    assert done.text.startswith(
        f'{HELPER}try:\n    import torch\nexcept ImportError:\n    torch = _not_installed("torch")\nT = torch\n'
    )


def test_imports_within_functions_go():
    assert convert("def f():\n    import torch\n    return torch.cat([])\n").text == (
        "from mindspore import mint\ndef f():\n    pass\n    return mint.cat([])\n"
    )


def test_what_is_left_keeps_the_names_it_reads():
    text = "import torch\nfrom torch import nn, fft\n\n@f\nclass Net(nn.Module): ...\ntorch.nothing(fft.nothing)\n"
    lines = convert(text).text.splitlines()
    assert (lines[0], lines[-5:-3], lines[-1]) == (
        "from mindspore import nn",
        ["from torch import fft", "import torch"],
        "torch.nothing(fft.nothing)",
    )


def test_what_is_left_may_read_no_torch():
    text = f"{HEAD}def f(x: torch.Tensor):\n    a = x.numpy()\n    x.add_(1)\n    return a\n"
    done = convert(text)
    assert len(done.todo) == 1
    assert "torch" not in {n.id for n in ast.walk(ast.parse(done.text)) if isinstance(n, ast.Name)}
    assert "import torch" not in done.text


def test_a_module_of_the_package_is_no_tensor():
    text = "from . import init\ninit.normal_(x.weight, 0)\ninit.zero_()\n"
    assert body(text) == text


@pytest.mark.parametrize("use", ["from layers import F", "import layers\nlayers.F.relu"])
def test_an_alias_of_a_module_that_other_files_read_is_left(use, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "layers.py").write_text("import torch\nF = torch.nn.functional\nG = torch.nn\n")
    (folder / "use.py").write_text(f"import torch\n{use}\n")
    reports = migrate(folder, tmp_path / "out").files
    todo = next(report.todo for report in reports if report.path == "layers.py")
    assert [line for line, _ in todo] == [2]
    assert "write `import torch.nn.functional as F` in each of them" in todo[0][1]


def test_an_import_of_torch_and_another_module_keeps_both_where_torch_is_left():
    text = convert("import torch, math\nprint(torch.no_such, math.pi)\n").text
    assert {"import math", "import torch"} <= {*text.splitlines()}
