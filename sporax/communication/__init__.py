"""Processes that train together."""

from sporax._src.dist.group import GlobalComm, get_group_size, get_local_rank, get_rank, init, release
from sporax.communication import management

__all__ = [
    "GlobalComm",
    "get_group_size",
    "get_local_rank",
    "get_rank",
    "init",
    "management",
    "release",
]
