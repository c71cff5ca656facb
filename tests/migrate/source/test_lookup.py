"""A name of either side in the map, argument by argument, and names that are like a misspelt one."""

import pytest
from click.testing import CliRunner

from sporax._src.cli.commands.api import api
from sporax._src.migrate.source.lookup import close_matches, find


def run(*args):
    return CliRunner().invoke(api, [str(arg) for arg in args])


def test_a_name_of_torch():
    (entry,) = find("torch.outer")
    assert (entry.torch, entry.mindspore, entry.state) == (
        "torch.outer(input, vec2, *, out=None)",
        "mint.outer(input, vec2)",
        "identical",
    )
    assert dict(entry.arguments) == {"input": "the same", "vec2": "the same", "out": "the result is assigned to it"}
    assert entry in find("outer")


@pytest.mark.parametrize("name", ["mint.cat", "mindspore.mint.cat"])
def test_a_name_of_mindspore(name):
    assert "torch.cat" in {entry.torch.partition("(")[0] for entry in find(name)}


def test_a_misspelt_name():
    assert "torch.cat" in close_matches("torch.catt")
    done = run("torch.catt")
    assert done.exit_code == 1
    assert done.output.startswith("Error: neither sporax nor the map has torch.catt; near are torch.cat")
    assert run("Ω" * 40).output == f"Error: neither sporax nor the map has {'Ω' * 40}.\n"


def test_what_is_otherwise_and_taken_care_of():
    assert "  note: MindSpore's function raises for integers" in run("torch.exp").output


def test_what_is_converted_with_the_statements_around_it():
    (entry,) = find("torch.autograd.grad")
    assert (entry.state, entry.mindspore[:24]) == ("different", "mindspore.value_and_grad")
