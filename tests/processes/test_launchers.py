"""Processes of every starter find each other; where no meeting place is known, and in programs that never ask for the others,
they say that they would train apart."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from launching import PROGRAMS, free_port, launched

from sporax._src.base import jax_compat
from sporax._src.dist import group
from sporax._src.processes import launchers
from sporax._src.processes.launchers import job
from sporax._src.processes.world import World, world
from sporax.communication import get_group_size, get_rank, init
from sporax.mint import distributed as dist

LOCAL = {"MASTER_ADDR": "127.0.0.1"}
SLURM = {"SLURM_JOB_ID": "7", "SLURM_STEP_NODELIST": "node[3,5-6],other", "SLURM_LOCALID": "0"}
OPEN_MPI = {"OMPI_MCA_orte_hnp_uri": "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911", "OMPI_COMM_WORLD_LOCAL_RANK": "0"}
TABLE = {"server_list": [{"server_id": "127.0.0.1", "device": [{"device_id": "0", "rank_id": str(r)} for r in (1, 0)]}]}
# What each starter sets in both processes, in process 0 and in process 1; how the two processes meet on this machine.
STARTED: dict[str, tuple[dict[str, str], str, dict[str, str]]] = {
    "mpirun": ({"OMPI_COMM_WORLD_SIZE": "2"}, "OMPI_COMM_WORLD_RANK", OPEN_MPI | {"OMPI_COMM_WORLD_LOCAL_SIZE": "2"}),
    "mpiexec": ({"PMI_SIZE": "2"}, "PMI_RANK", {"MPI_LOCALNRANKS": "2"} | LOCAL),
    "PMI without local numbers": ({"PMI_SIZE": "2"}, "PMI_RANK", LOCAL),
    "MVAPICH": ({"MV2_COMM_WORLD_SIZE": "2"}, "MV2_COMM_WORLD_RANK", LOCAL),
    "srun": (
        {"SLURM_NTASKS": "2", "SLURM_STEP_NODELIST": "here"}, "SLURM_PROCID", SLURM | {"SLURM_STEP_TASKS_PER_NODE": "2"},
    ),
    "torchrun": ({"WORLD_SIZE": "2"}, "RANK", LOCAL),
    "MindSpore": ({"RANK_SIZE": "2"}, "RANK_ID", {"RANK_TABLE_FILE": "table"}),
    "PMIx": ({"WORLD_SIZE": "2"}, "PMIX_RANK", LOCAL),
    "Kubernetes": ({"WORLD_SIZE": "2"}, "JOB_COMPLETION_INDEX", LOCAL),
    "a pod of TPUs": ({"WORLD_SIZE": "2"}, "TPU_WORKER_ID", LOCAL),
    "MindSpore under Slurm": ({"RANK_SIZE": "2", "SLURM_NTASKS": "1"}, "RANK_ID", SLURM | {"SLURM_PROCID": "0"} | LOCAL),
}  # fmt: skip
ALONE = {
    "nothing": {},
    "mpirun of one": {"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"},
    "srun of one": {"SLURM_NTASKS": "1", "SLURM_PROCID": "0", "SLURM_STEP_NODELIST": "here"},
    "a script of sbatch that may start two": {"SLURM_NTASKS": "2", "SLURM_PROCID": "0"},
    "a size without a number": {"WORLD_SIZE": "2"},
    "no numbers": {"WORLD_SIZE": "all", "RANK": "zero"},
    "the first of Kubernetes": {"JOB_COMPLETION_INDEX": "0"},
}
OTHERS = (
    "JAX_COORDINATOR_ADDRESS JAX_COORDINATOR_PORT MASTER_ADDR MASTER_PORT TORCHELASTIC_USE_AGENT_STORE RANK_TABLE_FILE "
)
OTHERS += "LOCAL_WORLD_SIZE SPORAX_COORDINATOR"
NAMES = {name for shared, rank, meets in STARTED.values() for name in (*shared, rank, *meets)} | set(OTHERS.split())


@pytest.fixture
def starts(monkeypatch):
    """Return a function that sets the variables of a starter, and no other's."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(group.GlobalComm, "INITED", False)
    world.cache_clear()

    def set_variables(variables: dict[str, str]) -> None:
        world.cache_clear()
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    yield set_variables
    world.cache_clear()


@pytest.mark.parametrize("starter", STARTED)
def test_two_processes_meet(tmp_path: Path, starter: str) -> None:
    shared, rank, meets = STARTED[starter]
    (tmp_path / "table").write_text(json.dumps(TABLE))
    others = {name: value for name, value in os.environ.items() if name not in NAMES}
    given = {**others, **meets, **shared, "JAX_COORDINATOR_PORT": str(free_port())}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "sporax", "run", str(PROGRAMS / "by_hand.py")],
            env={**given, rank: str(number)}, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(2)
    ]  # fmt: skip
    told = [process.communicate(timeout=200) for process in started]
    assert [process.returncode for process in started] == [0, 0], told
    found = [[line for line in out.splitlines() if line.startswith("process")] for out, _ in told]
    assert found == [["process 0 of 2 [3.0]"], ["process 1 of 2 [3.0]"]]


def _fully_qualified(name: str) -> Callable[[], str]:
    return lambda: name


@pytest.mark.parametrize(
    ("variables", "sign", "address"),
    [
        (
            {"RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "node0", "MASTER_PORT": "29500"},
            "WORLD_SIZE=4", "node0:29500",
        ),
        ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "node0"}, "WORLD_SIZE=2", "127.0.0.1:8118"),
        (
            {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "h", "MASTER_PORT": "7", "TORCHELASTIC_USE_AGENT_STORE": "True"},
            "WORLD_SIZE=2", "h:8",
        ),
        (OPEN_MPI | {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, "OMPI_COMM_WORLD_SIZE=2", "10.96.0.1:62624"),
        (SLURM | {"SLURM_PROCID": "1", "SLURM_NTASKS": "3"}, "SLURM_NTASKS=3", "node3:61447"),
        (  # srun --mpi=pmi2
            SLURM | {"SLURM_PROCID": "1", "SLURM_NTASKS": "3", "PMI_RANK": "1", "PMI_SIZE": "3"},
            "SLURM_NTASKS=3", "node3:61447",
        ),
        (SLURM | {"SLURM_PROCID": "1", "SLURM_NTASKS": "3", "JAX_COORDINATOR_PORT": "9"}, "SLURM_NTASKS=3", "node3:9"),
        (
            SLURM | {"SLURM_PROCID": "0", "SLURM_NTASKS": "3", "JAX_COORDINATOR_ADDRESS": "head:1"},
            "SLURM_NTASKS=3", "head:1",
        ),
        ({"PMI_RANK": "1", "PMI_SIZE": "2", "MPI_LOCALNRANKS": "2"} | LOCAL, "PMI_SIZE=2", "127.0.0.1:8118"),
        ({"JOB_COMPLETION_INDEX": "3", "WORLD_SIZE": "4"}, "WORLD_SIZE=4", "job-0.pods.space.svc:8118"),
    ],
)  # fmt: skip
def test_where_they_meet(starts, monkeypatch, variables: dict[str, str], sign: str, address: str) -> None:
    starts(variables)
    monkeypatch.setattr(launchers.socket, "getfqdn", _fully_qualified("job-3.pods.space.svc"))
    found = job()
    assert found is not None and (found.sign, found.address) == (sign, address)
    assert world() == World(address, found.rank, found.size, hosts=found.rank == 0)


def test_jax_asks_kubernetes_where_its_package_is(starts, monkeypatch) -> None:
    starts({"JOB_COMPLETION_INDEX": "0"})
    (cluster,) = [c for c in jax_compat._clusters.ClusterEnv._cluster_types if c.__name__ == "K8sCluster"]
    monkeypatch.setattr(jax_compat.importlib.util, "find_spec", lambda name: name)
    for name, answer in {
        "is_env_present": True,
        "get_process_count": 3,
        "get_coordinator_address": "job-0.pods:55527",
    }.items():
        monkeypatch.setattr(cluster, name, lambda *_, answer=answer: answer)
    assert job() == ("JOB_COMPLETION_INDEX=0", 0, 3, "job-0.pods:55527")


@pytest.mark.parametrize(
    ("variables", "missing"),
    [
        ({"RANK_SIZE": "2", "RANK_ID": "0"}, "where they meet (MASTER_ADDR, MASTER_PORT)"),
        ({"PMI_SIZE": "2", "PMI_RANK": "1"}, "where they meet (MASTER_ADDR, MASTER_PORT)"),
        ({"MV2_COMM_WORLD_SIZE": "2", "MV2_COMM_WORLD_RANK": "0"}, "where they meet (MASTER_ADDR, MASTER_PORT)"),
        ({"WORLD_SIZE": "2", "RANK": "0"}, "where they meet (MASTER_ADDR, MASTER_PORT)"),
        ({"JOB_COMPLETION_INDEX": "1"}, "their number (WORLD_SIZE)"),
        ({"PMIX_RANK": "1"}, "their number (WORLD_SIZE)"),
    ],
)  # fmt: skip
def test_processes_that_would_train_apart_say_so(starts, variables: dict[str, str], missing: str) -> None:
    starts(variables)
    sign = next(f"{name}={value}" for name, value in variables.items())
    for what, call in (
        ("communication.init", init), ("communication.init", dist.init_process_group), ("get_rank", get_rank),
        ("get_group_size", get_group_size), ("get_group_size", dist.get_world_size),
    ):  # fmt: skip
        with pytest.raises(RuntimeError) as error:
            call()
        told = str(error.value)
        assert told.startswith((what, "get_rank"))
        assert (
            f": {sign} says that this process is one of several, but no variable says {missing}, so each would" in told
        )
        assert told.endswith(
            "or start one `sporax launch` on each machine; SPORAX_COORDINATOR=apart lets a process run alone."
        )
    starts({"SPORAX_COORDINATOR": "apart"})
    init()


@pytest.mark.parametrize("starter", ALONE)
def test_a_job_of_one_process_passes(starts, starter: str):
    starts(ALONE[starter])
    init()
    assert (job(), get_rank(), get_group_size()) == (None, 0, 1)


@pytest.mark.parametrize("text", ["", "{}", '{"server_list": [{"server_id": "a", "device": [{"rank_id": "1"}]}]}'])
def test_rank_tables_without_a_first_rank(starts, tmp_path: Path, text: str) -> None:
    file = tmp_path / "table.json"
    file.write_text(text)
    starts({"RANK_ID": "0", "RANK_SIZE": "2", "RANK_TABLE_FILE": str(file)})
    with pytest.raises(ValueError, match=rf"RANK_TABLE_FILE: {file} names no machine of rank 0 \("):
        job()


def test_commands_stay_apart(starts) -> None:
    given = dict(os.environ) | {
        "RANK": "1",
        "WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
    }
    command = [sys.executable, "-m", "sporax", "--version"]
    assert subprocess.run(command, env=given, capture_output=True, timeout=100).returncode == 0


def test_who_cannot_listen_says_so(starts) -> None:
    given = dict(os.environ) | {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "192.0.2.1", "MASTER_PORT": "8118"}
    for secret, told in (
        (
            "",
            "ValueError: this run meets at 192.0.2.1:8118, which other machines can reach: set the environment variable",
        ),
        (
            "a secret of 16 characters",
            "RuntimeError: cannot listen at 192.0.2.1:8118 (Cannot assign requested address); JAX_COORDINATOR_PORT chooses",
        ),
    ):
        command = [sys.executable, "-c", "import sporax"]
        run = subprocess.run(
            command, env=given | {"SPORAX_SECRET": secret}, capture_output=True, text=True, timeout=100
        )
        assert run.returncode == 1 and told in run.stderr


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
