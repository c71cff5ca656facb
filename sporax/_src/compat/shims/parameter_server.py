"""What optimizers and embeddings written after MindSpore's ask of its parameter servers, of which there is none here."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NoReturn

from sporax.ops import Primitive


class _ServerOperator(Primitive):
    def __call__(self, *args: Any) -> Any:
        raise RuntimeError(
            f"ops.{self.name}: there is no parameter server to talk to; Parameters are updated where they are."
        )


class Push(_ServerOperator):
    """Sends the inputs of an optimizer to a parameter server; a run without one only makes it.

    Args:
        optim_type: The name of the optimizer's operator.
        only_shape_indices: Which inputs send their shapes only.
    """

    def __init__(self, optim_type: str = "ApplyMomentum", only_shape_indices: Any = None) -> None:
        super().__init__("Push")
        self.optim_type, self.only_shape_indices = optim_type, only_shape_indices


class Pull(_ServerOperator):
    """Fetches a Parameter from a parameter server; a run without one only makes it."""

    def __init__(self) -> None:
        super().__init__("Pull")


# --- where this process stands: what programs ask before they use a server -----------------------------------------------


def _is_role_pserver() -> bool:
    """Return False: there is no parameter server."""
    return False


_is_role_sched = _is_role_pserver


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{name}: there is no parameter server that keeps the rows of an embedding.")

    return refuse


_get_unique_parameter_key = itertools.count().__next__
_insert_hash_table_size = _refused("_insert_hash_table_size")
_set_cache_enable = _refused("_set_cache_enable")
_set_cache_size = _refused("_set_cache_size")
_set_sparse_format = _refused("_set_sparse_format")
