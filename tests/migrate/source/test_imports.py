"""How a file names what it takes from MindSpore, and the lines that import it."""

import ast

import pytest

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.imports import Imports


def test_a_variable_of_the_program_keeps_its_name():
    done = convert("import torch\nmint = 3\nx = torch.cat([], mint)\n")
    assert done.text == "import mindspore\nmint = 3\nx = mindspore.mint.cat([], mint)\n"


def imports_of(text: str, **options) -> Imports:
    return Imports(ast.parse(text), **options)


def test_names_are_written_as_their_module_is_imported() -> None:
    imports = imports_of("x = 1\n")
    for path in ("mint.add", "mindspore.Tensor", "np.pi", "mint.nn.Linear"):
        assert imports.name(path) == path
    assert imports.text({"mint", "mindspore"}) == "import mindspore\nfrom mindspore import mint"
    assert imports.text({"np"}) == "import numpy as np"


def test_imports_that_the_file_has_are_not_written_again() -> None:
    imports = imports_of("import numpy as np\n")
    imports.name("np.pi")
    assert imports.text({"np"}) == ""


@pytest.mark.parametrize("own", ["ops = 1", "def ops(): ...", "class ops: ...", "def f(ops): ..."])
def test_a_name_that_the_file_has_is_written_out(own: str) -> None:
    imports = imports_of(own)
    assert (imports.name("ops.add"), imports.name("dataset.vision")) == ("mindspore.ops.add", "dataset.vision")
    assert imports.text({"mindspore"}) == "import mindspore"


def test_helpers_are_noted_by_name() -> None:
    imports = imports_of("", replaced={"mint.cat": "_cat"})
    assert (imports.name("_number"), imports.name("mint.cat")) == ("_number", "_cat")
    assert [*imports.helpers] == ["_number", "_cat"]
    assert imports.text({"_number", "_cat"}) == ""
