"""The tool that compares networks of repositories: networks made here, whose differences it must tell from rounding."""

import importlib.util
import sys

import pytest
from house import ROOT

from sporax import compat

SPEC = importlib.util.spec_from_file_location("repositories_tool", ROOT / "tools" / "repositories.py")
repositories = sys.modules["repositories_tool"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(repositories)

NETWORKS = """import torch
from torch import nn


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Linear(64, 8), nn.LayerNorm(8, eps=1e-3)

    def forward(self, x):
        return self.norm(self.first(x))


class Cancelling(Plain):
    def forward(self, x):  # the difference of values that are almost equal
        return self.norm(self.first(x + 1e-3) - self.first(x))
"""


@pytest.fixture
def status(tmp_path):
    """Give a function that compares a network with its conversion, in which some text is replaced by another."""
    folder = tmp_path / "checkouts" / "owner" / "name"
    folder.mkdir(parents=True)
    (folder / "networks_made_here.py").write_text(NETWORKS)
    places = repositories.Places(tmp_path / "checkouts", tmp_path, tmp_path / "work")

    def compared(name, old="", new=""):
        row = {"code": f"from networks_made_here import {name}", "build": f"{name}()", "inputs": "(values(4, 64),)"}
        network = repositories._network("owner/name", name, row | {"root": "", "needs": []})
        report = places.convert([network])
        converted = places.work / "checkouts" / "owner" / "name" / "networks_made_here.py"
        assert old in converted.read_text()
        converted.write_text(converted.read_text().replace(old, new))
        outcome = places.compare(network, report)
        return repositories.status(outcome), outcome

    compat.install()
    yield compared
    compat.uninstall()


def test_a_network_within_the_bounds_is_equal(status):
    found, outcome = status("Plain")
    assert found == "equal" and not outcome.noise


def test_rounding_is_told_from_a_small_error(status):
    found, outcome = status("Cancelling")
    assert found == "equal within rounding" and max(outcome.float64.values()) < 1e-12
    wrong, of_wrong = status("Cancelling", "eps=1e-3", "eps=1.0001e-3")
    assert of_wrong.forward < of_wrong.noise["forward"] and of_wrong.gradients < of_wrong.noise["gradients"]
    assert wrong == "differs"


def test_an_error_beyond_the_noise_differs(status):
    assert status("Plain", "eps=1e-3", "eps=1.001e-3")[0] == "differs"


def test_the_section_counts_each_status():
    figures = {"forward": 1e-7, "gradients": 2e-4}
    exact = {"forward": 1e-15, "gradients": 2e-15}
    of = {
        "a": {"status": "equal", "error": "", **figures},
        "b": {"status": "equal within rounding", "error": "", **figures, "noise": figures, "float64": exact},
        "c": {"status": "differs", "error": "", **figures, "noise": figures, "float64": {}},
        "d": {"status": "differs", "error": "", **figures, "noise": figures, "float64": figures},
        "e": {"status": "announced by a TODO", "error": "TypeError: why", "forward": None, "gradients": None},
        "f": {"status": "raises", "error": "KeyError: 'x'", "forward": None, "gradients": None},
    }
    text = repositories.page({"owner/name": {"converted": 1200, "todo": 2, "networks": of}})
    assert text.startswith("# Networks of public repositories\n") and "Of 6 networks,\n" in text
    assert "- 1 are equal within the bounds" in text and "- 1 are equal within rounding" in text
    assert (
        "- 2 differ for other reasons" in text
        and "- 1 do not run, and a TODO" in text
        and "- 1 do not run, and no" in text
    )
    assert "| owner/name | 1,200 | 2 | 6 | 1 | 1.0e-07 | 2.0e-04 |" in text
    assert "| owner/name | b | 1.0e-07 | 2.0e-04 | 1.0e-07 | 2.0e-04 | 1.0e-15 | 2.0e-15 |" in text
    assert "c differs: outputs by 1.0e-07, gradients by 2.0e-04; it does not run in float64" in text
    assert "d differs: outputs by 1.0e-07, gradients by 2.0e-04; in float64, by at most 2.0e-04\n" in text
    assert "e announced by a TODO: TypeError: why" in text and "f raises: KeyError: 'x'" in text
