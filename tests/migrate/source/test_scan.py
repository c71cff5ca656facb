"""The names of torch that a program uses, as data and as a page."""

import json

from click.testing import CliRunner

from sporax._src.cli.commands.api import api
from sporax._src.migrate.source.scan import PROGRAM, scan


def test_a_scan(tmp_path):
    (tmp_path / "a.py").write_text("import torch\nx = torch.cat([torch.zeros_like(y)])\nz = torch.no_such(x)\n")
    files = [str(tmp_path / name) for name in ("a.py", "s.json", "s.html")]
    done = CliRunner().invoke(api, ["scan", files[0], "--json", files[1], "--html", files[2]])
    assert done.exit_code == 0, done.output
    data = json.loads((tmp_path / "s.json").read_text())
    assert data["counts"]["missing"] == 1
    missing = data["uses"][0]
    assert (missing["name"], missing["state"], missing["places"]) == ("torch.no_such", "missing", ["a.py:3"])
    assert "(code of the program)" not in [use["name"] for use in data["uses"]]
    page = (tmp_path / "s.html").read_text()
    assert "torch.no_such" in page
    assert "http" not in page.replace("http://www.w3.org", "")
    assert CliRunner().invoke(api, ["scan", str(tmp_path / "none")]).output.startswith("Error: there is no ")


def test_only_names_of_torch_are_listed_as_torchs(tmp_path):
    text = "import torch\ndef f(x: torch.Tensor):\n    for y in x:\n        loss = y.sum()\n    loss.backward()\n    return x\n"
    (tmp_path / "a.py").write_text(text)
    names = {use.name for use in scan(tmp_path / "a.py").uses}
    assert names and all(name.startswith("torch.") or name == PROGRAM for name in names)
