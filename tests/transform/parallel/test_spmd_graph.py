"""Strategies: a graph of all devices computes what one device does, of one process or of several, each with its pieces."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from house import ROOT
from launching import PROGRAMS, launched

PROGRAM = PROGRAMS / "strategies.py"


def _alone(folder, how: str, devices: int) -> dict:
    environment = os.environ | {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    command = [sys.executable, "-m", "sporax", "run", PROGRAM, folder, how, *([str(devices)] if devices > 1 else [])]
    subprocess.run(list(map(str, command)), env=environment, check=True, timeout=300)
    return json.loads((folder / "rank_0.json").read_text())


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict:
    return _alone(tmp_path_factory.mktemp("whole"), "strategies", 1)


@pytest.mark.parametrize(("how", "other"), [("strategies", 128), ("optimizer", 16)])
def test_devices_of_one_process_compute_what_one_does(tmp_path, whole, how: str, other: int):
    found = _alone(tmp_path, how, 8)
    np.testing.assert_allclose(found["losses"], whole["losses"], rtol=1e-5)
    np.testing.assert_allclose(found["output"], whole["output"], rtol=1e-4, atol=1e-5)
    pieces = [512 // 8] * 8
    assert found["sizes"]["weight"] == found["sizes"]["moment1.weight"] == pieces
    assert found["sizes"]["moment1.other"] == [other] * 8
    assert (
        "axis 1 of input 0 and axis 0 of input 1 correspond and must be sharded equally, got 2 and 1" in found["error"]
    )


def test_two_processes_compute_what_one_does(tmp_path, whole):
    run = launched(PROGRAM, tmp_path, "strategies")
    assert run.returncode == 0, run.stdout + run.stderr
    for rank in range(2):
        found = json.loads((tmp_path / f"rank_{rank}.json").read_text())
        np.testing.assert_allclose(found["losses"], whole["losses"], rtol=1e-5)
        np.testing.assert_allclose(found["output"], whole["output"], rtol=1e-4, atol=1e-5)
        assert found["sizes"]["weight"] == found["sizes"]["moment1.weight"] == [256]


@pytest.mark.parametrize("how", ["plain", "lazily", "uneven"])
def test_processes_have_the_weights_that_the_first_one_draws(tmp_path, how: str):
    """Each draws one Parameter after the other and keeps its piece; the numbers are those of a single process."""
    (tmp_path / "alone").mkdir()
    alone, found = [PROGRAMS / "late_draws.py", tmp_path / "alone", how], []
    subprocess.run([sys.executable, "-m", "sporax", "run", *map(str, alone)], check=True, timeout=300)
    whole = np.load(tmp_path / "alone" / "rank_0.npz")
    run = launched(PROGRAMS / "late_draws.py", tmp_path, how)
    assert run.returncode == 0, run.stdout + run.stderr
    found = [np.load(tmp_path / f"rank_{rank}.npz") for rank in range(2)]
    for name, axis in (("row", 1), ("copy", 1), ("column", 0)):
        pieces = [part[name] for part in found]
        assert pieces[0].shape[axis] == whole[name].shape[axis] // 2
        np.testing.assert_array_equal(np.concatenate(pieces, axis), whole[name])
    for name in ("last.weight", "last.bias", "own", "half"):
        for part in found:
            np.testing.assert_array_equal(part[name], whole[name])
    np.testing.assert_array_equal(whole["row"], whole["copy"])
    np.testing.assert_allclose([part["loss"] for part in found], whole["loss"], rtol=1e-5)
    assert found[0]["after"] == whole["after"]
    assert "'row': True, 'column': True" in str(found[0]["waits"])


@pytest.mark.parametrize("sample", ["--every=49", "--only=DenseThor(4, 3, has"])  # it multiplies a matrix with itself
def test_law_of_strategies_on_a_sample(sample: str):
    """All networks: `python tools/strategies.py`, whose last results are beside it."""
    tool = ROOT / "tools" / "strategies.py"
    run = subprocess.run([sys.executable, tool, sample, "--seeds=1"], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["networks"] >= (1 if "only" in sample else 7) and found["operators_cut"] > 7
