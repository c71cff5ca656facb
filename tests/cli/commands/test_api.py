"""`sporax api`: a name that is looked up, and a program whose names are shown. The map itself is tested in `migrate`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sporax._src.cli.commands.api import COLUMNS, api


def test_a_name_is_looked_up_with_or_without_show() -> None:
    short, long = (CliRunner().invoke(api, words) for words in (["torch.cat"], ["show", "torch.cat"]))
    assert short.exit_code == 0 and short.output == long.output
    assert "torch.cat(tensors, dim=0, *, out=None)\n  -> mint.cat(tensors, dim)   (different)" in short.output
    told = json.loads(CliRunner().invoke(api, ["torch.cat", "--json"]).output)
    assert [entry["torch"].partition("(")[0] for entry in told["entries"]] == ["torch.cat"]


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("ops.concat", "ops.concat(tensors, axis=0)"),
        ("mindspore.ops.concat", "ops.concat(tensors, axis=0)"),
        ("sporax.nn.Dense", "nn.Dense(in_channels, out_channels, "),
        ("Dense", "nn.Dense(in_channels, out_channels, "),
        ("Tensor.reshape", "Tensor.reshape(*shape_, shape=None)"),
        ("reshape", "mint.reshape(input, shape)"),
        ("set_context", "set_context(**options)"),
        ("nn", "nn\n"),
    ],
)
def test_names_of_sporax(name: str, want: str) -> None:
    done = CliRunner().invoke(api, [name])
    assert done.exit_code == 0 and f"\n{want}" in done.output, done.output


def test_names_like_those_of_sporax() -> None:
    done = CliRunner().invoke(api, ["ops.rellu"])
    assert done.exit_code == 1 and "near are ops.relu" in done.output
    data = json.loads(CliRunner().invoke(api, ["ops.concat", "--json"]).output)
    assert data["public"][0]["name"] == "ops.concat"


def test_a_name_that_is_none() -> None:
    done = CliRunner().invoke(api, ["torch.catt"])
    assert done.exit_code == 1 and "Error: neither sporax nor the map has torch.catt; near are torch.cat" in done.output


def test_a_program_is_scanned(tmp_path: Path) -> None:
    program, page, data = (tmp_path / name for name in ("p.py", "p.html", "p.json"))
    program.write_text("import torch\nx = torch.cat([torch.ones(2), torch.ones(1)])\ntorch.no_such(x)\n")
    done = CliRunner().invoke(api, ["scan", str(program), "--json", str(data), "--html", str(page)])
    assert done.exit_code == 0, done.output
    assert "torch.ones" in done.output and "torch.cat" in data.read_text()
    assert all(column in page.read_text() for column in COLUMNS)
    missing = CliRunner().invoke(api, ["scan", str(tmp_path / "none.py")])
    assert missing.exit_code == 1 and "none.py" in missing.output


def test_the_command() -> None:
    shown = CliRunner().invoke(api, ["torch.outer"]).output
    assert "torch.outer(input, vec2, *, out=None)\n  -> mint.outer(input, vec2)   (identical)" in shown
    data = json.loads(CliRunner().invoke(api, ["show", "torch.outer", "--json"]).output)
    assert data["schema"] == 1
    assert data["entries"][0]["state"] == "identical"
