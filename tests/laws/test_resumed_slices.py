"""Checkpoints of runs whose Parameters are cut: saved by two processes, resumed by one, two and four, with the losses of a run
that was not interrupted."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from launching import PROGRAMS, launched

PROGRAM = PROGRAMS / "slices.py"


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("saved")
    run = launched(PROGRAM, folder, "save")
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


def found(folder: Path, what: str, processes: int) -> list[dict]:
    return [json.loads((folder / f"{what}_{processes}_{rank}.json").read_text()) for rank in range(processes)]


def goes_on(folder: Path, what: str, processes: int) -> None:
    expected = found(folder, "save", 2)[0]["losses"][3:]
    for told in found(folder, what, processes):
        np.testing.assert_allclose(told["losses"], expected, rtol=1e-5)


def test_files_hold_pieces_or_wholes(saved):
    for rank, told in enumerate(found(saved, "save", 2)):
        assert told["slices"]["weight"] == told["slices"]["moment1.weight"] == [8, 8]
        assert told["whole"]["weight"] == told["whole"]["moment1.weight"] == [16, 8]
        assert told["layouts"]["weight"] == told["layouts"]["moment2.weight"] == [[2], [0, -1], [8, 8]]
        assert told["layouts"]["global_step"] == [[2], [-1], [1]]
        assert (saved / "strategies" / f"of_2_{rank}.ckpt").is_file()


def test_by_as_many_processes(saved):
    run = launched(PROGRAM, saved, "back", "orbax", "shares")
    assert run.returncode == 0, run.stdout + run.stderr
    goes_on(saved, "back", 2)
    goes_on(saved, "orbax", 2)
    for told in found(saved, "back", 2):
        assert told["not loaded"] == [[], []]
        assert "weight: shape [16, 8] (pieces [8, 8]), the checkpoint has [3, 8]" in told["refused"]
    shares = found(saved, "shares", 2)
    for rank, told in enumerate(shares):
        wrong = (
            f"cur_rank must be this process, {rank}, got 5",
            "initial_rank must be that of a process, got 7",
            "no Parameter x",
        )
        assert all(text in error for text, error in zip(wrong, told["refused"], strict=True)), told["refused"]
    assert all(told["equal"] for told in shares)
    both = [set(told["held"]) for told in shares]
    assert {"weight", "other", "moment1.weight"} <= both[0] & both[1]  # each has its piece
    assert len({"global_step", "learning_rate"} & both[0]) == len({"global_step", "learning_rate"} & both[1]) == 1


@pytest.mark.parametrize("ways", [("other", "distributed", "orbax")])
def test_by_more_processes(saved, ways):
    run = launched(PROGRAM, saved, *ways, processes=4)
    assert run.returncode == 0, run.stdout + run.stderr
    for way in ways:
        goes_on(saved, way, 4)


def test_by_one_process(saved):
    ways = "other", "distributed", "orbax", "state"
    command = [sys.executable, "-m", "sporax", "run", PROGRAM, saved, *ways]
    subprocess.run(list(map(str, command)), env=os.environ, check=True, timeout=300)
    for way in ways:
        goes_on(saved, way, 1)


def test_files_of_strategies_of_a_graph(tmp_path):
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    command = [sys.executable, "-m", "sporax", "run", PROGRAMS / "kept_strategies.py", tmp_path]
    subprocess.run(list(map(str, command)), env=environment, check=True, timeout=300)
    told = json.loads((tmp_path / "found.json").read_text())
    cut = [[2, 4], [0, -1], [16, 32]]  # as MindSpore cuts it
    for way in ("layouts", "by file", "by operators"):
        assert told[way]["weight"] == told[way]["moments.weight"] == cut, way
    assert told["saved"]["weight"] == told["saved"]["moments.weight"] == cut[:2]
    assert told["saved"]["learning_rate"] == [[8], []]
    assert told["operators"] == {"MatMul_weight": [[2, 1], [4, 1]]}
    assert told["group"] == [0, 4] and told["whole"] == "nothing"
    assert 'operators.json must be JSON like {"MatMul_weight": [[2, 1], [1, 4]]}' in told["bad operators"]
    assert "there is no file of strategies" in told["no operators"]
    assert "does not fit 'weight': dev_matrix [4] is of 4 devices, and there are 8" in told["other devices"]
    assert "does not fit 'weight': the shape [64, 32] cannot be cut into [8] equal pieces" in told["other axes"]
