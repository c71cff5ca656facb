"""`docs/api.md` is what the tables, the cases of the tests and the goldens say now."""

import importlib.util
import sys

import pytest
from house import ROOT

from sporax import ops
from sporax._src.engine.table import TABLE


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("api_page_tool", ROOT / "tools" / "api_page.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["api_page_tool"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(tool):
    return tool.page()


def test_the_page_is_current(page):
    same = (ROOT / "docs" / "api.md").read_text(encoding="utf-8") == page
    assert same, "run `python tools/api_page.py`"


def test_every_name_of_ops_is_there(page):
    words = {word.split("(")[0].strip("`,|") for word in page.replace("\\|", " ").split()}
    assert sorted(set(ops.__all__) - words) == []


def test_lines(tool):
    def cells(name):
        return [cell.strip() for cell in tool.line(TABLE[name]).strip("|").split(" | ")]

    assert cells("relu")[:7] == ["`relu(input, inplace=False)`", "", "ReLU", "fiub", "yes", "1", "`torch.relu`, M"]
    assert cells("nonzero")[4] == "no" and cells("argmax")[5] == "–"
    assert cells("_layer_norm")[0].startswith("`LayerNorm(") and "statistics are float32" in cells("_layer_norm")[7]
    assert cells("any")[7].startswith("values: ") and "dtypes: " in cells("any")[7]


def test_written_and_checked(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "page", lambda: "text\n")
    monkeypatch.setattr(tool, "PAGE", tmp_path / "api.md")
    assert tool.main(["--check"]) == 1 and not tool.PAGE.exists()
    assert tool.main([]) == 0 and tool.PAGE.read_text() == "text\n"
    assert tool.main(["--check"]) == 0
