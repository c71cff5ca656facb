"""The harness for programs of others: its tables, how it compares, and a run of a clone made here."""

import argparse
import gzip
import importlib.util
import json
import os
import re
import sys

import pytest
from house import ROOT

SPEC = importlib.util.spec_from_file_location("programs_tool", ROOT / "tools" / "programs.py")
programs = sys.modules["programs_tool"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(programs)

MODULE = """
from mindspore import nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(3, 2)
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        return self.drop(self.layer(x))
"""
NETS = [
    programs.Network("mine", name, (".",), "import its_net", build, "floats(4, 3)")
    for name, build in (("broken", "its_net.Missing()"), ("whole", "its_net.Net()"))
]
OUTPUT = [[[2], "Float32", 5.0, [3.0, 4.0]]]
GOLDEN = {
    "parameters": [["a", [2], True], ["b", [], True]],
    "own_names": ["a", "b"],
    "pynative": {"forward": OUTPUT, "losses": [1.0, 0.5], "norms": [1.0, 2.0]},
    "graph": {"error": "TypeError: no"},
}


@pytest.mark.parametrize("client", programs.clients(), ids=lambda client: client.name)
def test_tables_name_each_network_once_and_goldens_belong_to_them(client):
    names = [network.name for network in client.networks]
    assert re.fullmatch(r"[0-9a-f]{40}|PyPI [0-9.]+", client.commit)
    assert set(programs.read_goldens(client.name)) <= set(names)
    assert not any("{" in network.build.replace("{}", "") and "name}" in network.build for network in client.networks)


def test_same_results_agree_and_what_mindspore_does_not_run_is_skipped():
    found = programs.compare(GOLDEN, GOLDEN)
    assert programs.fault(found) == ""
    assert found["pynative"] == {"forward": 0.0, "losses": 0.0, "norms": 0.0}
    assert found["graph"] == {"skipped": "TypeError: no"}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"parameters": [["a", [2], True]]}, "1 names of 2 missing, first b"),
        ({"parameters": [*GOLDEN["parameters"], ["c", [], True]]}, "1 names too many, first c"),
        ({"parameters": GOLDEN["parameters"][::-1]}, "another order"),
        ({"parameters": [["a", [3], True], ["b", [], True]]}, "a is [[3], True], not [[2], True]"),
        ({"own_names": ["a", "x.b"]}, "names of Parameters: x.b, not b"),
        ({"pynative": {"error": "ValueError: x"}}, "pynative: ValueError: x"),
        ({"pynative": {"forward": OUTPUT, "error": "no gradient"}}, "pynative: training: no gradient"),
        ({"pynative": GOLDEN["pynative"] | {"losses": [1.0, 0.6]}}, "pynative: differs: losses 2.0e-01"),
        ({"pynative": GOLDEN["pynative"] | {"norms": [1.0]}}, "pynative: differs: norms inf"),
        ({"pynative": GOLDEN["pynative"] | {"forward": [[[2], "Float32", 5.0, [3.0, float("nan")]]]}}, "forward inf"),
        ({"pynative": GOLDEN["pynative"] | {"forward": [[[2], "Float16", 5.0, [3.0, 4.0]]]}}, "forward inf"),
    ],
)
def test_what_differs_is_named(change, text):
    assert text in programs.fault(programs.compare(GOLDEN | change, GOLDEN))


def test_half_precision_has_fewer_digits():
    rounded = GOLDEN | {"pynative": GOLDEN["pynative"] | {"forward": [[[2], "Float32", 5.0, [3.01, 4.0]]]}}
    assert "forward 2.8e-03" in programs.fault(programs.compare(rounded, GOLDEN))
    assert programs.fault(programs.compare(rounded, GOLDEN, half=True)) == ""


def test_a_clone_is_run_piece_by_piece_and_what_fails_stops_nothing(tmp_path, monkeypatch):
    (tmp_path / "its_net.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    options = argparse.Namespace(site="", limit=300, modes=programs.MODES)
    command = [sys.executable, "-m", "sporax", "run"]
    results = {n.name: found for n, found in programs.run_networks(NETS, tmp_path, command, {}, options)}
    assert "AttributeError: module 'its_net' has no attribute 'Missing'" in results["broken"]["error"]
    whole = results["whole"]
    assert whole["parameters"] == [["layer.weight", [2, 3], True], ["layer.bias", [2], True]]
    assert whole["training"] is True
    assert whole["pynative"]["losses"] == pytest.approx(whole["graph"]["losses"], rel=1e-5)
    assert len(whole["pynative"]["norms"]) == 2 and whole["pynative"]["losses"][2] < whole["pynative"]["losses"][0]


def test_a_network_that_takes_too_long_is_left_and_the_next_one_runs(tmp_path, monkeypatch):
    (tmp_path / "its_net.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    slow = programs.Network("mine", "slow", (".",), "import time", "time.sleep(600)", "()")
    options = argparse.Namespace(site="", limit=20, modes=["pynative"])
    command = [sys.executable, "-m", "sporax", "run"]
    results = {n.name: found for n, found in programs.run_networks([slow, NETS[0]], tmp_path, command, {}, options)}
    assert results["slow"]["error"] == "took more than 20 s"
    assert "Missing" in results["broken"]["error"]


def test_training_is_not_compared_where_mindspore_is_wrong(monkeypatch):
    network = programs.Network("cv", "net", (".",), "", "", "", unsound={"graph": "its second run differs"})
    ran = {"forward": [], "losses": [1.0], "norms": [2.0]}
    golden = {"parameters": [], "own_names": [], "pynative": ran, "graph": ran | {"losses": [3.0]}}
    monkeypatch.setattr(programs, "read_goldens", lambda client, release: {"net": golden})
    theirs = programs.sound_goldens(programs.Client("cv", "owner/cv", "", [network]))["net"]
    found = programs.compare({"parameters": [], "own_names": [], "pynative": ran, "graph": ran}, theirs)
    assert found["pynative"] == {"forward": 0, "losses": 0, "norms": 0}
    assert found["graph"] == {"forward": 0}
    assert "graph its second run differs" in programs.faults_of_record(theirs)


def test_page_is_what_the_results_say(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "PAGE", tmp_path / "programs.md")
    programs.write_page()
    assert (tmp_path / "programs.md").read_text() == (ROOT / "docs" / "programs.md").read_text()


def test_a_sample_gives_each_client_a_share_and_is_written(tmp_path, monkeypatch):
    clients = [programs.Client(name, f"owner/{name}", "", NETS) for name in ("first", "second", "not_cloned")]
    (tmp_path / "owner__first").mkdir(), (tmp_path / "owner__second").mkdir()
    monkeypatch.setattr(programs, "clients", lambda: clients)
    monkeypatch.setattr(programs, "recorded", lambda client, only=(): NETS)
    monkeypatch.setattr(
        programs, "read_goldens", lambda client: {"broken": {"seconds": 2.0}, "whole": {"seconds": 1.0}}
    )
    monkeypatch.setattr(programs, "write_page", lambda: None)
    monkeypatch.setattr(programs, "QUICK", tmp_path / "quick.json")
    monkeypatch.setattr(programs, "QUICK_SECONDS", 8)
    clock = iter(range(0, 1000, 5))
    monkeypatch.setattr(programs.time, "monotonic", lambda: next(clock))

    def checked(client, networks, arguments):
        assert 1 <= arguments.limit <= 8
        for network in networks:
            yield network.name, {"fault": "differs"} if client.name == "second" else {}

    monkeypatch.setattr(programs, "checked", checked)
    assert programs.check_quickly(argparse.Namespace(clones=tmp_path)) == 1
    written = json.loads((tmp_path / "quick.json").read_text())
    assert written["networks"] == {"first:whole": "agrees", "second:whole": "differs"}
    assert programs.quick_lines()[-1] == "`second:whole`: differs"


def test_goldens_of_a_newer_release_leave_out_what_is_as_before(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "GOLDENS", tmp_path)
    monkeypatch.setattr(programs, "RESULTS", tmp_path)
    first = {"net": {"parameters": [["w", [2], True]], "own_names": ["w"], "graph": {"forward": [1]}}}
    newer = {"net": first["net"] | {"own_names": ["v"]}, "other": {"error": "no"}}
    programs.write_goldens("cv", first)
    programs.write_goldens("cv", newer, "2.10")
    assert programs.read_goldens("cv") == first and programs.read_goldens("cv", "2.10") == newer
    assert programs.read_goldens("mine", "2.10") == {}
    kept = json.loads(gzip.decompress((tmp_path / "2.10" / "cv.json.gz").read_bytes()))
    assert kept["net"] == {"own_names": ["v"], "graph": {"forward": [1]}, "as_before": ["parameters"]}
    programs.write_results("cv", {"net": {"parameters": 1}}, "2.10")
    assert programs.read_results("cv", "2.10") == {"net": {"parameters": 1}} and programs.read_results("cv") == {}
    client = programs.Client("cv", "owner/cv", "", [programs.Network("cv", "net", (".",), "", "", "")])
    monkeypatch.setattr(programs, "clients", lambda: [client])
    lines = programs.newer_lines()
    assert "beside MindSpore 2.10" in lines[0] and lines[2] == "| owner/cv | 1 of 2 | 1 of 1 | 0 of 0 | 1 of 1 |"
