"""Two real processes that train together: as MindSpore's two do, and as one does on the joined batch."""

import json
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS, launched

PROGRAM = PROGRAMS / "data_parallel.py"
GOLDENS = json.loads((PROGRAMS.parents[1] / "goldens" / "parallel.json").read_text())["processes"]
TRAINED = [(mode, how) for mode in ("graph", "pynative") for how in ("mlp", "lenet", "by hand")]


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> list[dict]:
    """Return what each of two processes found, and at last what one found."""
    folder = tmp_path_factory.mktemp("two")
    run = launched(PROGRAM, folder, "before")
    assert run.returncode == 0, run.stdout + run.stderr
    alone = tmp_path_factory.mktemp("one")
    subprocess.run([sys.executable, "-m", "sporax", "run", PROGRAM, alone], check=True, timeout=300)
    return [
        json.loads(file.read_text()) for file in (folder / "rank_0.json", folder / "rank_1.json", alone / "rank_0.json")
    ]


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize(("mode", "how"), TRAINED)
def test_two_processes_train_as_mindspores_do(found, rank: int, mode: str, how: str):
    ours, theirs = found[rank][mode][how], GOLDENS[rank][mode][how]
    for key in ("losses", "weights"):
        np.testing.assert_allclose(ours[key], theirs[key], rtol=1e-4)


@pytest.mark.parametrize("rank", [0, 1])
def test_collective_operators_give_what_mindspores_do(found, rank: int):
    assert found[rank]["pynative"]["collectives"] == GOLDENS[rank]["pynative"]["collectives"]
    assert [found[rank][key] for key in ("rank", "size", "before")] == [
        GOLDENS[rank][key] for key in ("rank", "size", "before")
    ]


@pytest.mark.parametrize(("mode", "how"), TRAINED)
def test_two_processes_are_one_on_the_joined_batch(found, mode: str, how: str):
    first, second, alone = (each[mode][how] for each in found)
    assert first["weights"] == second["weights"]
    np.testing.assert_allclose(first["weights"], alone["weights"], rtol=1e-5)
    np.testing.assert_allclose(np.mean([first["losses"], second["losses"]], axis=0), alone["losses"], rtol=1e-5)
