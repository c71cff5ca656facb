"""The tool that compares training scripts: a script made here on three sides, and the section that it writes."""

import importlib.util
import json
import sys

import pytest
from house import ROOT

SPEC = importlib.util.spec_from_file_location("scripts_tool", ROOT / "tools" / "scripts.py")
scripts = sys.modules["scripts_tool"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(scripts)

TRAIN = """import sys
import numpy as np
import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Dropout(0.5), torch.nn.Linear(2, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=float(sys.argv[1]))
x = torch.from_numpy(np.loadtxt("rows.csv", delimiter=",", skiprows=1)).float()
while True:
    loss = ((net(x) - torch.rand(len(x), 1)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_script_has_equal_losses_on_all_sides(tmp_path):
    folder = tmp_path / "checkouts" / "owner" / "name" / "deep"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(TRAIN)
    data, edits = "table('rows.csv', 'abc', 8)", (("Dropout(0.5)", "Dropout(0.0)"),)
    script = scripts.Script("owner/name", "deep/train.py", "0.1", None, edits, data, steps=4)
    found = scripts.compare(scripts.Places(tmp_path / "checkouts", tmp_path, tmp_path / "work"), script)
    assert not found["errors"] and found["losses"] == 4
    assert scripts.is_equal(found, "mint") and scripts.is_equal(found, "run")
    assert not scripts.is_equal(found, "mindspore")
    assert (folder / "train.py").read_text() == TRAIN and not (folder / "rows.csv").exists()


def test_an_edit_must_fit():
    with pytest.raises(ValueError, match=r"owner/name:a\.py does not have the text 'lr=1'"):
        scripts._edited("lr=2", (("lr=1", "lr=3"),), "owner/name:a.py")


def test_losses_that_are_missing():
    assert scripts.difference([1.0, 2.0], [1.0, 2.1]) == pytest.approx(0.05)
    with pytest.raises(ValueError, match="1 losses instead of 2"):
        scripts.difference([1.0, 2.0], [1.0])


def test_the_section_says_what_is_equal():
    base = {"converted": 3, "todo": 0, "edits": 1, "losses": 20}
    results = {
        "a/b:c.py": base | {"differences": {"mint": 1e-6, "run": 2e-6, "mindspore": 3e-3}, "errors": {}},
        "a/b:d.py": base | {"differences": {"mint": 1e-6}, "errors": {"run": "TypeError: why"}},
    }
    text = scripts.page(json.loads(json.dumps(results)))
    assert text.startswith("# Training scripts of public repositories\n")
    assert "1 of 2 scripts have equal losses" in text and "0 have equal losses under MindSpore" in text
    assert "| a/b | c.py | 3 | 0 | 1 | 20 | 1.0e-06 | 2.0e-06 | 3.0e-03 |" in text
    assert "- a/b d.py, run: TypeError: why" in text


def test_the_tables_are_read():
    assert {script.target for script in scripts.table()} <= {"mint", "classic"}
    assert len({script.name for script in scripts.table()}) == len(scripts.table()) > 20
