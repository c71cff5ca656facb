"""How a file names what it takes from MindSpore, and the lines that import it."""

from sporax._src.migrate.source.convert import convert


def test_a_variable_of_the_program_keeps_its_name():
    done = convert("import torch\nmint = 3\nx = torch.cat([], mint)\n")
    assert done.text == "import mindspore\nmint = 3\nx = mindspore.mint.cat([], mint)\n"
