"""What optimizers and embeddings written after MindSpore's ask of its parameter servers, of which there is none here."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Sequence
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


def _get_ps_mode_rank() -> int:
    """Return 0, the number of a process among those of no parameter server."""
    return 0


_is_role_sched = _is_role_worker = _is_ps_mode = _enable_distributed_mindrt = _cache_enable = _is_role_pserver


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{name}: there is no parameter server that keeps the rows of an embedding.")

    return refuse


_get_unique_parameter_key = itertools.count().__next__
_insert_hash_table_size = _refused("_insert_hash_table_size")
_set_cache_enable = _refused("_set_cache_enable")
_set_cache_size = _refused("_set_cache_size")
_set_rank_id = _refused("_set_rank_id")
_set_sparse_format = _refused("_set_sparse_format")

# --- optimizers of servers ----------------------------------------------------------------------------------------------

_create_func_map: dict[Any, Callable[..., Any]] = {}


def _register_dist_optimizer(optimizer_type: Any, creating_func: Callable[..., Any]) -> None:
    """Keep what makes the operator of an optimizer for a server.

    Raises:
        TypeError: If it is no function.
    """
    if not inspect.isfunction(creating_func):
        raise TypeError(f"_register_dist_optimizer: expected a function, got {creating_func!r}.")
    _create_func_map.setdefault(optimizer_type, creating_func)


def empty_creating_func(*args: Any, **kwargs: Any) -> None:
    """Do nothing, in the place of the operator of an optimizer for a server."""


def no_distributed_optimizer(
    optimizer_type: Any, parameters: Sequence[Any], *args: Any, **kwargs: Any
) -> tuple[list[Callable[..., Any]], list[bool]]:
    """Return for each Parameter the function that does nothing, and that its optimizer is on no server."""
    return [empty_creating_func for _ in parameters], [False for _ in parameters]


def generate_dist_optimizer_list(
    optimizer_type: Any, parameters: Sequence[Any], *args: Any, **kwargs: Any
) -> tuple[list[Callable[..., Any]], tuple[bool, ...]]:
    """Return for each Parameter the function that does nothing, and that its optimizer is on no server, as a tuple."""
    functions, flags = no_distributed_optimizer(optimizer_type, parameters)
    return functions, tuple(flags)
