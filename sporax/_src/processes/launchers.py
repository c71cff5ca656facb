"""Programs that start several processes, by the environment variables in which they say so."""

from __future__ import annotations

from typing import NamedTuple

from sporax._src.base.config import environ


class _Starter(NamedTuple):
    """What a starter says.

    Attributes:
        size: The variable of how many processes there are.
        rank: That of the number of this one.
        step: One that is there where processes were started, besides where a batch script only may start some.
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
_INDEX = "JOB_COMPLETION_INDEX"  # of Kubernetes, which says how many there are in no variable


def sign_of_others() -> str:
    """Return the variable that says that this process is one of several, as `NAME=value`; empty if none does."""
    for starter in _STARTERS:
        is_started = environ(starter.rank).isdecimal() and bool(environ(starter.step) or int(environ(starter.rank)))
        if is_started and environ(starter.size).isdecimal() and int(environ(starter.size)) > 1:
            return f"{starter.size}={environ(starter.size)}"
    return f"{_INDEX}={environ(_INDEX)}" if environ(_INDEX).isdecimal() and int(environ(_INDEX)) else ""
