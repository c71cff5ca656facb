"""Processes that another starter started, and programs that never ask for the others, say that they would train apart."""

import subprocess
import sys

import pytest
from launching import PROGRAMS, launched

from sporax._src.dist import group
from sporax._src.processes.launchers import sign_of_others
from sporax.communication import get_group_size, get_rank, init
from sporax.mint import distributed as dist

STARTED = {
    "mpirun": {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"},
    "mpiexec": {"PMI_SIZE": "2", "PMI_RANK": "1"},
    "MVAPICH": {"MV2_COMM_WORLD_SIZE": "2", "MV2_COMM_WORLD_RANK": "0"},
    "srun": {"SLURM_NTASKS": "2", "SLURM_PROCID": "0", "SLURM_STEP_NODELIST": "here"},
    "the second of srun": {"SLURM_NTASKS": "2", "SLURM_PROCID": "1"},
    "torchrun": {"WORLD_SIZE": "2", "RANK": "0"},
    "Kubernetes": {"JOB_COMPLETION_INDEX": "1"},
    "MindSpore": {"RANK_SIZE": "2", "RANK_ID": "0"},
}
ALONE = {
    "nothing": {},
    "mpirun of one": {"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"},
    "srun of one": {"SLURM_NTASKS": "1", "SLURM_PROCID": "0", "SLURM_STEP_NODELIST": "here"},
    "a script of sbatch that may start two": {"SLURM_NTASKS": "2", "SLURM_PROCID": "0"},
    "a size without a number": {"WORLD_SIZE": "2"},
    "no numbers": {"WORLD_SIZE": "all", "RANK": "0"},
    "the first of Kubernetes": {"JOB_COMPLETION_INDEX": "0"},
}


@pytest.fixture
def starts(monkeypatch):
    """Return a function that sets the variables of a starter, and no other's."""
    for name in {name for variables in (*STARTED.values(), *ALONE.values()) for name in variables}:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(group.GlobalComm, "INITED", False)

    def set_variables(variables: dict[str, str]) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return set_variables


@pytest.mark.parametrize("starter", STARTED)
def test_processes_that_would_train_apart_say_so(starts, starter: str):
    starts(STARTED[starter])
    name, value = next(iter(STARTED[starter].items()))
    for what, call in (
        ("communication.init", init), ("communication.init", dist.init_process_group), ("get_rank", get_rank),
        ("get_group_size", get_group_size), ("get_group_size", dist.get_world_size),
    ):  # fmt: skip
        told = rf"({what}|get_rank): {name}={value} says that this process is one of several, .* Start them with `sporax launch`"
        with pytest.raises(RuntimeError, match=rf"{told}, .*; unset {name} for a process that is to run alone\."):
            call()


@pytest.mark.parametrize("starter", ALONE)
def test_a_job_of_one_process_passes(starts, starter: str):
    starts(ALONE[starter])
    init()
    assert (sign_of_others(), get_rank(), get_group_size()) == ("", 0, 1)


def test_a_program_that_never_asks_for_the_others_is_told():
    program = PROGRAMS / "alone.py"
    run = launched(program)
    assert run.returncode == 0, run.stdout + run.stderr
    told = "never called init() of mindspore.communication: its 2 processes did the same, each alone."
    assert run.stderr.count(f"sporax launch: {program} {told}") == 1
    assert run.stdout.count("is joined: True") == run.stdout.count("is joined: False") == 2
    assert "never called init()" not in launched(program, processes=1).stderr


def test_a_plan_of_devices_that_exchange_nothing_says_so():
    program = PROGRAMS / "alone.py"
    for devices, count in (("1", 0), ("2", 1)):
        command = [sys.executable, "-m", "sporax", "plan", "--devices", devices, str(program)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=200)
        assert run.returncode == 0, run.stderr
        assert run.stderr.count("sporax plan: the devices exchange nothing, so that each trains alone: ") == count, (
            run.stderr
        )
