"""`tools/coverage.py` counts what sporax answers, from census files like these."""

import importlib.util
import json
import sys

from house import ROOT


def load_tool():
    spec = importlib.util.spec_from_file_location("coverage_tool", ROOT / "tools" / "coverage.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["coverage_tool"] = module
    spec.loader.exec_module(module)
    return module


CENSUS = {
    "api_ranked.csv": "name,ns,kind,documented,uses,uses_strong\n"
    "mindspore.Tensor,mindspore,class:class,1,10,\n"
    "mindspore.Tensor.shape,mindspore.Tensor,property,1,900,30\n"
    "mindspore.no_such_name,mindspore,function,1,5,\n"
    "mindspore.nothing,mindspore,missing,0,0,\n"
    "mindspore.unused,mindspore,function,0,0,\n",
    "api_kwargs.csv": "name,kwarg,kw_uses\nmindspore.set_seed,seed,3\nmindspore.set_seed,sead,2\n"
    "mindspore.set_seed,,\n",
    "import_paths.csv": "module,imports,in_2_7 (1=module 2=attribute only)\n"
    "mindspore.nn,7,1\nmindspore.no.such,2,1\nmindspore.gone,9,0\n",
    "api_used_not_in_27.csv": "name,uses,imports,exists_in_2_7\n"
    "mindspore.__version__,4,1,1\nmindspore.nn.gone.Name,1,1,1\nmindspore.x,9,9,0\n",
}


def test_counts(tmp_path, capsys):
    for name, text in CENSUS.items():
        (tmp_path / name).write_text(text)
    out = tmp_path / "counts.json"
    assert load_tool().main(["--census", str(tmp_path), "--json", str(out)]) == 0
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
    assert load_tool().main(["--census", str(tmp_path), "--namespace", "mindspore.Tensor"]) == 0
    assert "no_such_name" not in capsys.readouterr().out
