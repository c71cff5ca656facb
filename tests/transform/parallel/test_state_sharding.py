"""Optimizer sharding: each device has its part of what training keeps, and the numbers are those of one device."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS, launched

PROGRAM = PROGRAMS / "sharing.py"


LEVEL = {"parallel_mode": "semi_auto_parallel", "enable_parallel_optimizer": True}


CONFIG = {"parallel_optimizer_threshold": 0}


def _alone(folder, devices: int, settings: dict) -> dict:
    environment = os.environ | {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    command = [sys.executable, "-m", "sporax", "run", PROGRAM, folder, devices, json.dumps(settings)]
    subprocess.run(list(map(str, command)), env=environment, check=True, timeout=300)
    return json.loads((folder / "rank_0.json").read_text())


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict:
    return _alone(tmp_path_factory.mktemp("whole"), 1, {})


def _check(found: dict, whole: dict, parts: dict[str, int]) -> None:
    """Check numbers, and that a device has one of so many parts of each kind of state."""
    np.testing.assert_allclose(found["losses"], whole["losses"], rtol=1e-5)
    for kind, count in parts.items():
        assert found["bytes"][kind] == pytest.approx(whole["bytes"][kind] / count, rel=0.05), kind
    assert found["left"] == whole["left"]


@pytest.mark.parametrize(
    ("settings", "sums", "rest"),
    [
        (LEVEL | {"parallel_optimizer_config": CONFIG}, 1, 8),
        (LEVEL | {"parallel_optimizer_config": CONFIG | {"gradient_accumulation_shard": True}}, 8, 8),
        ({"hsdp": {"threshold": 0, "optimizer_level": "level3", "shard_size": 4}}, 4, 4),
        ({"hsdp": {"threshold": 64, "optimizer_level": "level2"}}, 1, 1),
    ],
    ids=["level1", "level2", "level3-size4", "threshold"],
)
def test_devices_of_one_process(tmp_path, whole, settings: dict, sums: int, rest: int):
    """With a threshold of 64 KB no Parameter of the network, the largest of 32 KB, is cut."""
    found = _alone(tmp_path, 8, settings)
    _check(found, whole, {"weights": rest, "moments": rest, "sums": sums})
    np.testing.assert_allclose(found["weights"], whole["weights"], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("processes", [2, 4])
def test_processes(tmp_path, whole, processes: int):
    settings = LEVEL | {"parallel_optimizer_config": CONFIG | {"optimizer_level": "level2"}}
    run = launched(PROGRAM, tmp_path, str(processes), json.dumps(settings), processes=processes)
    assert run.returncode == 0, run.stdout + run.stderr
    for rank in range(processes):
        found = json.loads((tmp_path / f"rank_{rank}.json").read_text())
        _check(found, whole, dict.fromkeys(("weights", "moments", "sums"), processes))
