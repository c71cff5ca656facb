"""Plans: what a process does that only plans."""

import numpy as np
import pytest

from sporax._src.processes import dry_run


@pytest.fixture
def planning(monkeypatch: pytest.MonkeyPatch):
    """Let this process plan for four devices."""
    monkeypatch.setenv(dry_run.DEVICES, "4")
    monkeypatch.setenv(dry_run.FILE, "plan.json")
    dry_run.planned_devices.cache_clear()
    yield
    dry_run.planned_devices.cache_clear()


def test_a_process_that_computes() -> None:
    assert dry_run.planned_devices() == 0 and dry_run.plan_file() == ""
    assert not dry_run.leaves_out((2**20,), np.float32)


def test_a_plan_leaves_large_values_out(planning: None) -> None:
    assert dry_run.planned_devices() == 4 and dry_run.plan_file() == "plan.json"
    assert dry_run.leaves_out((2**18,), np.float32) and not dry_run.leaves_out((2**18 - 1,), np.float32)
    large, small = dry_run.zeros((512, 512), np.float32), dry_run.zeros((2,), np.int32)
    assert large.shape == (512, 512) and float(large[3, 4]) == 0 and small.tolist() == [0, 0]
