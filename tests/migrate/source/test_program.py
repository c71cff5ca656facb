"""What a file has to know of the others: their Modules, mixins, and the names that they import from it."""

import ast

import pytest
from converted_text import HEAD, body
from program_folders import write_program

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.program import Program, mixins, module_classes
from sporax._src.migrate.source.project import migrate


def test_modules_of_other_files_are_known():
    trees = [ast.parse("class A(nn.Module): ..."), ast.parse("class B(a.A): ..."), ast.parse("class C: ...")]
    modules = module_classes(trees)
    assert modules == {"A", "B"}
    text = "from .b import B\nclass D(B):\n    def forward(self): ...\n"
    assert convert(text, program=Program(modules)).text == text.replace("forward", "construct")


def test_classes_of_other_frameworks_are_no_modules():
    trees = [
        ast.parse("import flax.linen as nn\nclass A(nn.Module): ..."),
        ast.parse("from torch import nn\nclass B(nn.Module): ..."),
        ast.parse("from package.layers import B\nclass C(B): ..."),
    ]
    assert module_classes(trees) == {"B", "C"}


def test_a_class_is_a_module_where_one_of_its_name_is():
    trees = [ast.parse("class A(nn.Module): ..."), ast.parse("class A(Other): ...")]
    assert module_classes(trees) == {"A"}


def test_a_mixin_of_modules_computes_as_they_do():
    text = "class Head:\n    def forward(self, x): ...\n    def train(self): ...\nclass Net(Head, nn.Module): ...\n"
    trees = [ast.parse(HEAD + text)]
    modules = module_classes(trees)
    program = Program(modules, mixins=mixins(trees, modules))
    assert program.mixins == {"Head"}
    assert body(text, program=program) == text.replace("forward", "construct").replace("nn.Module", "nn.Cell")


@pytest.fixture
def source(tmp_path):
    return write_program(tmp_path / "source")


def test_names_of_torch_that_another_file_imports_are_defined(source, tmp_path):
    """And no others."""
    (source / "layers.py").write_text(
        "try:\n    from torch.nn import Linear, Identity\nexcept ImportError:\n    pass\n"
    )
    (source / "use.py").write_text("from .layers import Identity\n")
    migrate(source, tmp_path / "out")
    after = "from mindspore import mint\ntry:\n    Identity = mint.nn.Identity\nexcept ImportError:\n    pass\n"
    assert (tmp_path / "out" / "layers.py").read_text() == after
    (source / "layers.py").write_text("from torch import no_such as Identity, cat\n")
    migrate(source, tmp_path / "out", force=True)
    assert (tmp_path / "out" / "layers.py").read_text().count("from torch import no_such as Identity\n") == 1


def test_names_of_torch_that_come_by_a_star_are_known(source, tmp_path):
    (source / "layers.py").write_text("import torch\nimport torch.nn.functional as F\n")
    (source / "more.py").write_text("from .layers import *\n")
    (source / "use.py").write_text("from pkg.more import *\ny = F.relu(torch.t(x))\n")
    migrate(source, tmp_path / "out")
    after = "from pkg.more import *\nfrom mindspore import mint\ny = mint.nn.functional.relu(mint.t(x))\n"
    assert (tmp_path / "out" / "use.py").read_text() == after


def test_a_class_of_torch_is_not_the_module_that_has_its_name():
    text = (
        "import torch\nfrom torch import distributions, nn\n"
        "class Fixed(torch.distributions.Categorical): ...\n"
        "class Other(distributions.Categorical): ...\n"
        "class Categorical(nn.Module):\n    def forward(self, x):\n        return Fixed(logits=x)\n"
    )
    modules = module_classes([ast.parse(text)])
    assert modules == {"Categorical"}
    assert "return Fixed(logits=x)\n" in convert(text, program=Program(modules)).text
