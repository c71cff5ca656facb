"""`tools/coverage.py` counts what sporax answers, from census files like these."""

import importlib.util
import json
import sys

import pytest
from house import ROOT

from sporax._src.compat import finder


@pytest.fixture(autouse=True)
def without_alias():
    yield
    finder.uninstall()


def load_tool():
    spec = importlib.util.spec_from_file_location("coverage_tool", ROOT / "tools" / "coverage.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["coverage_tool"] = module
    spec.loader.exec_module(module)
    return module


CENSUS = {
    "api_ranked.csv": "name,ns,kind,documented,uses,uses_strong,repos,repos_strong\n"
    "mindspore.Tensor,mindspore,class:class,1,10,,9,\n"
    "mindspore.Tensor.shape,mindspore.Tensor,property,1,900,30,9,3\n"
    "mindspore.no_such_name,mindspore,function,1,5,,1,\n"
    "mindspore.nothing,mindspore,missing,0,0,,9,\n"
    "mindspore.unused,mindspore,function,0,0,,0,\n",
    "api_kwargs.csv": "name,kwarg,kw_uses\nmindspore.set_seed,seed,3\nmindspore.set_seed,sead,2\n"
    "mindspore.set_seed,,\n",
    "import_paths.csv": "module,imports,in_2_7 (1=module 2=attribute only),repos\n"
    "mindspore.nn,7,1,9\nmindspore.no.such,2,1,2\nmindspore.gone,9,0,4\n",
    "api_used_not_in_27.csv": "name,uses,imports,exists_in_2_7,repos\n"
    "mindspore.__version__,4,1,1,9\nmindspore.nn.gone.Name,1,1,1,3\nmindspore.x,9,9,0,2\n",
}


@pytest.fixture
def census(tmp_path):
    for name, text in CENSUS.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_counts(census, capsys):
    out = census / "counts.json"
    assert load_tool().main(["--census", str(census), "--json", str(out)]) == 0
    counts = json.loads(out.read_text())
    assert counts["mindspore"] == {
        "names": 2,
        "found": 1,
        "uses": 15,
        "uses_found": 10,
        "missing": [[5, "mindspore.no_such_name"]],
    }
    assert counts["mindspore.Tensor"]["uses_found"] == 30
    assert counts["keyword arguments"]["missing"] == [[2, "mindspore.set_seed(sead=)"]]
    assert counts["importable modules"]["missing"] == [[2, "mindspore.no.such"]]
    assert counts["names outside the public list"]["uses_found"] == 5
    text = capsys.readouterr().out
    assert "all names" in text and "66.7 %" in text and "      5  mindspore.no_such_name" in text
    assert load_tool().main(["--census", str(census), "--namespace", "mindspore.Tensor"]) == 0
    assert "no_such_name" not in capsys.readouterr().out


def listed(capsys) -> list[tuple[int, str]]:
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    return [(int(repositories), name) for repositories, name in lines]


def test_names_used_by_several(census, capsys):
    main = load_tool().main
    assert main(["--census", str(census), "--used-by", "3"]) == 1
    assert listed(capsys) == [(4, "mindspore.gone"), (3, "mindspore.nn.gone.Name")]
    assert main(["--census", str(census), "--used-by", "2"]) == 1
    assert listed(capsys)[2:] == [(2, "mindspore.no.such"), (2, "mindspore.x")]
    assert main(["--census", str(census), "--used-by", "5"]) == 0
    assert listed(capsys) == []


def test_names_left_out(census, capsys):
    main, document = load_tool().main, census / "left_out.md"
    document.write_text("Some `other` names, and no_such_name without quotes.\n")
    assert main(["--census", str(census), "--left-out", str(document)]) == 1
    assert listed(capsys) == [(1, "mindspore.no_such_name")]
    document.write_text("`no_such_name` is a joke.\n")
    assert main(["--census", str(census), "--left-out", str(document)]) == 0
    arguments = ["--census", str(census), "--used-by", "2", "--left-out", str(document)]
    assert main(arguments) == 1 and len(listed(capsys)) == 4
    document.write_text("`mindspore.gone`, `nn.gone.*` and `{no.such, y}`\n")
    assert main(arguments) == 1 and listed(capsys) == [(2, "mindspore.x")]
    document.write_text("`gone`, `nn.gone.{Name, Other}` and `{no.such, x}`\n")
    assert main(arguments) == 0


def test_names_that_are_found():
    """A program finds these; hidden modules, what constructors set and what subclasses add included."""
    tool = load_tool()
    finder.install()
    for name in (
        "mindspore.common.seed._get_graph_seed",
        "mindspore.dataset.Dataset.use_sampler",
        "mindspore.train.CheckpointConfig.keep_checkpoint_max",
        "mindspore.nn.transformer.layers._Linear",
    ):
        assert tool.resolve(name) is not tool.ABSENT, name
    for name in (
        "mindspore.train.CheckpointConfig.keep",
        "mindspore.dataset.Dataset.no_such",
        "mindspore.seed.no_such",
    ):
        assert tool.resolve(name) is tool.ABSENT, name
