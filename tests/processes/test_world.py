"""The run that the environment names, and its devices."""

import types

import jax
import pytest
from device_grid import differences, trained

from sporax._src.processes import world as module
from sporax._src.processes.world import World, number, patience, world

NAMES = "RANK_SIZE RANK_ID MS_NODE_ID MS_ROLE MS_SCHED_HOST MS_SCHED_PORT MS_WORKER_NUM MS_TOPO_TIMEOUT".split()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch):
    """Return a function that sets variables of the environment, and no others that name a run."""
    for name in (*NAMES, module.COORDINATOR):
        monkeypatch.delenv(name, raising=False)
    world.cache_clear()

    def tell(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    yield tell
    world.cache_clear()


def test_a_process_that_nobody_tells_of_others_is_alone(told) -> None:
    assert world() == World("", 0, 1)
    assert not module.is_joined() and not module.is_one_of_many() and module.axes() == []


@pytest.mark.parametrize(
    ("variables", "want"),
    [
        ({"SPORAX_COORDINATOR": "here:1", "RANK_SIZE": "4", "RANK_ID": "2"}, World("here:1", 2, 4, is_launched=True)),
        ({"SPORAX_COORDINATOR": "apart", "RANK_SIZE": "4", "RANK_ID": "2"}, World("", 2, 1)),
        (
            {
                "MS_ROLE": "MS_WORKER",
                "MS_SCHED_HOST": "there",
                "MS_SCHED_PORT": "7",
                "MS_WORKER_NUM": "2",
                "MS_NODE_ID": "1",
            },
            World("there:7", 1, 2),
        ),
    ],
)
def test_runs(told, variables: dict[str, str], want: World) -> None:
    told(**variables)
    assert world() == want


def test_numbers_that_are_none(told) -> None:
    told(SPORAX_COORDINATOR="here:1", RANK_SIZE="2", RANK_ID="2", MS_TOPO_TIMEOUT="soon")
    with pytest.raises(ValueError, match="the number of this process must be 0 to 1, got 2 \\(RANK_ID\\)"):
        world()
    with pytest.raises(ValueError, match="MS_TOPO_TIMEOUT must be a number of seconds, got 'soon'"):
        patience()
    told(RANK_SIZE="two")
    with pytest.raises(ValueError, match="the environment variable RANK_SIZE must be a number, got 'two'"):
        number("RANK_SIZE", 1)


def test_patience(told) -> None:
    assert patience() == 300
    told(MS_TOPO_TIMEOUT="5")
    assert patience() == 5
    told(MS_TOPO_TIMEOUT="-1")
    assert patience() > 10**5


def test_processes_with_several_devices_train_as_one_device_does(tmp_path) -> None:
    """The whole grid: `python tools/devices.py`."""
    alone = trained(tmp_path, 1, 1)[0]
    assert max(differences(trained(tmp_path, 1, 2), alone).values()) < 1e-6
    both = trained(tmp_path, 2, 2)
    assert max(differences(both, alone).values()) < 1e-6
    held = {kind: found["devices"] for kind, found in both[0].items() if kind != "errors"}
    assert held == {
        "data parallel": 2, "data parallel, Model": 2, "data parallel, by hand": 2, "semi auto": 4, "auto": 4,
        "parts of a batch": 4, "strategies of a batch": 4, "optimizer sharding": 4, "pipeline of 2": 2, "pipeline of 4": 2,
    }  # fmt: skip
    assert both[0]["errors"] == both[1]["errors"] == [
        "device_num must be 2, the processes, or 4, their devices, got 3.",
        "PipelineCell: 2 stages of 4 devices need 8 devices, the run has 2 processes of 2 devices.",
    ]  # fmt: skip


def test_processes_with_different_numbers_of_devices(told, monkeypatch: pytest.MonkeyPatch) -> None:
    told(SPORAX_COORDINATOR="here:1", RANK_SIZE="2", RANK_ID="0")
    devices = [types.SimpleNamespace(process_index=process, id=i) for i, process in enumerate((0, 1, 1))]
    monkeypatch.setattr(jax, "devices", lambda: devices)
    with pytest.raises(RuntimeError, match=r"must have the same number of devices, but they have \[1, 2\]"):
        module.devices_of_run.__wrapped__()
