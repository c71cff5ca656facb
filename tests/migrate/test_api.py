"""`sporax api`: a name of either side, argument by argument, and the names that a program uses."""

import json

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
    assert done.output.startswith("Error: the map has no torch.catt; near are torch.cat")
    assert run("Ω" * 40).output == f"Error: the map has no {'Ω' * 40}.\n"


def test_the_command():
    shown = run("torch.outer").output
    assert "torch.outer(input, vec2, *, out=None)\n  -> mint.outer(input, vec2)   (identical)" in shown
    data = json.loads(run("show", "torch.outer", "--json").output)
    assert data["schema"] == 1
    assert data["entries"][0]["state"] == "identical"


def test_a_scan(tmp_path):
    (tmp_path / "a.py").write_text("import torch\nx = torch.cat([torch.zeros_like(y)])\nz = torch.no_such(x)\n")
    done = run("scan", tmp_path / "a.py", "--json", tmp_path / "s.json", "--html", tmp_path / "s.html")
    assert done.exit_code == 0, done.output
    data = json.loads((tmp_path / "s.json").read_text())
    assert data["counts"]["missing"] == 1
    missing = data["uses"][0]
    assert (missing["name"], missing["state"], missing["places"]) == ("torch.no_such", "missing", ["a.py:3"])
    page = (tmp_path / "s.html").read_text()
    assert "torch.no_such" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert run("scan", tmp_path / "none").output.startswith("Error: there is no ")


def test_what_is_otherwise_and_taken_care_of():
    assert "  note: MindSpore's function raises for integers" in run("torch.exp").output


def test_what_is_converted_with_the_statements_around_it():
    (entry,) = find("torch.autograd.grad")
    assert (entry.state, entry.mindspore[:24]) == ("different", "mindspore.value_and_grad")
