"""Launchers of several processes, recognised by their environment variables."""

from __future__ import annotations

from typing import NamedTuple

from sporax._src.base.config import environ


class _Starter(NamedTuple):
    """The environment variables of a launcher.

    Attributes:
        size: The variable of the number of processes.
        rank: The variable of the rank of this process.
        step: A variable that is set only in started processes, not in the batch script that starts them.
    """

    size: str
    rank: str
    step: str


_STARTERS = (
    _Starter("RANK_SIZE", "RANK_ID", "RANK_ID"),  # MindSpore's
    _Starter("SLURM_NTASKS", "SLURM_PROCID", "SLURM_STEP_NODELIST"),
    _Starter("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK"),
    _Starter("MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK"),
    _Starter("PMI_SIZE", "PMI_RANK", "PMI_RANK"),  # MPICH, Intel MPI
    _Starter("WORLD_SIZE", "RANK", "RANK"),  # torchrun, and Kubernetes' jobs for PyTorch
)
_INDEX = "JOB_COMPLETION_INDEX"  # of Kubernetes, which has no variable for the number of processes


def sign_of_others() -> str:
    """Return the variable that shows that this process is one of several, as `NAME=value`; empty if there is none."""
    for starter in _STARTERS:
        is_started = environ(starter.rank).isdecimal() and bool(environ(starter.step) or int(environ(starter.rank)))
        if is_started and environ(starter.size).isdecimal() and int(environ(starter.size)) > 1:
            return f"{starter.size}={environ(starter.size)}"
    return f"{_INDEX}={environ(_INDEX)}" if environ(_INDEX).isdecimal() and int(environ(_INDEX)) else ""
