"""Starters of several processes, recognised by their environment variables: a row for each.

A starter tells a process its rank and the number of processes. Where they meet, some tell and others don't:
JAX's detection of clusters, the variables MASTER_ADDR and JAX_COORDINATOR_ADDRESS, and a rank table say it.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import NamedTuple

from sporax._src.base import jax_compat
from sporax._src.base.config import environ

_PORT = "8118"  # MindSpore's
_HERE = "127.0.0.1"


class _Starter(NamedTuple):
    """The environment variables of a starter.

    Attributes:
        rank: The variable of the rank of a process.
        size: The variable of the number of processes.
        local: The variable of the number of processes on this machine. If it equals `size`, they meet on this machine.
        step: A variable that is set only in started processes, not in the batch script that starts them.
        cluster: JAX's class of the cluster, which finds the meeting place.
    """

    rank: str
    size: str
    local: str = ""
    step: str = ""
    cluster: str = ""


_STARTERS = (
    _Starter("RANK_ID", "RANK_SIZE"),  # MindSpore's
    _Starter("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"),  # torchrun, and Kubernetes' jobs for PyTorch
    _Starter(
        "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", cluster="OmpiCluster"
    ),
    _Starter("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE"),
    _Starter("PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", step="MPI_LOCALNRANKS"),  # MPICH and Intel MPI, also inside a job of Slurm
    _Starter("SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_TASKS_PER_NODE", step="SLURM_STEP_NODELIST", cluster="SlurmCluster"),
    _Starter("PMI_RANK", "PMI_SIZE"),
    _Starter("PMIX_RANK", "WORLD_SIZE"),
    _Starter("JOB_COMPLETION_INDEX", "WORLD_SIZE", cluster="K8sCluster"),  # Kubernetes, which tells no number of processes
    _Starter("TPU_WORKER_ID", "WORLD_SIZE", cluster="GkeTpuCluster"),
)  # fmt: skip


class Job(NamedTuple):
    """What a starter has told this process.

    Attributes:
        sign: The variable that shows that this process is one of several, as `NAME=value`.
        rank: The rank of this process.
        size: The number of processes; 0 if nobody has told it.
        address: Where they meet; empty if nobody has told it.
    """

    sign: str
    rank: int
    size: int
    address: str


def job() -> Job | None:
    """Return what a starter has told this process of the others; None if it is alone."""
    for starter in _STARTERS:
        rank = environ(starter.rank)
        if not rank.isdecimal() or not environ(starter.step or starter.rank):
            continue
        known = _number(starter.size)
        size = known or (jax_compat.cluster_size(starter.cluster) if starter.cluster else 0)
        if size > 1 or (int(rank) and not known):
            sign = f"{starter.size}={size}" if known else f"{starter.rank}={rank}"
            return Job(sign, int(rank), size, _address(starter, size) if size else "")
    return None


def _number(name: str) -> int:
    return int(environ(name)) if environ(name).isdecimal() else 0


def _address(starter: _Starter, size: int) -> str:
    """Return the address at which the processes meet; JAX_COORDINATOR_PORT overrides the port that others name."""
    if told := environ("JAX_COORDINATOR_ADDRESS"):
        return told
    host, port = _told_place() or _detected_place(starter) or ("", _PORT)
    if starter.local and _number(starter.local) == size:
        host = _HERE
    return f"{host}:{environ('JAX_COORDINATOR_PORT') or port}" if host else ""


def _told_place() -> tuple[str, str] | None:
    """Return the host and port that variables name."""
    if host := environ("MASTER_ADDR"):
        # torchrun listens at MASTER_PORT itself, if it says that processes use its store
        port = _number("MASTER_PORT") or int(_PORT)
        return host, str(port + (environ("TORCHELASTIC_USE_AGENT_STORE") == "True"))
    table = environ("RANK_TABLE_FILE")
    if table and environ("RANK_ID"):
        return _first_server(table), environ("MS_SCHED_PORT") or _PORT
    return None


def _first_server(table: str) -> str:
    """Return the address of the machine of rank 0 in a rank table of Ascend's form."""
    try:
        servers = json.loads(Path(table).read_text())["server_list"]
        return next(
            server["server_id"] for server in servers for device in server["device"] if int(device["rank_id"]) == 0
        )
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as error:
        raise ValueError(
            f"RANK_TABLE_FILE: {table} names no machine of rank 0 ({type(error).__name__}: {error})."
        ) from None


def _detected_place(starter: _Starter) -> tuple[str, str] | None:
    """Return the host and port that JAX detects, or that the name of a pod implies."""
    if starter.cluster and (address := jax_compat.cluster_address(starter.cluster)):
        host, _, port = address.rpartition(":")
        return host, port
    if starter.cluster == "K8sCluster":
        pod, _, domain = socket.getfqdn().partition(".")
        job, _, index = pod.rpartition("-")
        if job and domain and index == environ(starter.rank):
            return f"{job}-0.{domain}", _PORT
    return None
