"""What `mindspore.parallel._ps_context` says of parameter servers, of which there is none here.

mindrl and mindscience ask for the role of a process; a repository of the census keeps rows of embeddings on servers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn


def _is_role_pserver() -> bool:
    """Return False: there is no parameter server."""
    return False


_is_role_sched = _is_role_pserver


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: object, **kwargs: object) -> NoReturn:
        raise RuntimeError(f"{name}: there is no parameter server that keeps the rows of an embedding.")

    return refuse


_insert_hash_table_size = _refused("_insert_hash_table_size")
_set_cache_enable = _refused("_set_cache_enable")
_set_cache_size = _refused("_set_cache_size")
_set_sparse_format = _refused("_set_sparse_format")
