"""Compiled functions that all processes of a run call together, each on its own arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.base import config
from sporax._src.base.errors import user_line
from sporax._src.base.jax_compat import array_on, jit_with
from sporax._src.processes.collective_check import agree, exchanges_in
from sporax._src.processes.dry_run import planned_devices, zeros
from sporax._src.processes.spmd import values_of_first
from sporax._src.processes.watchdog import note_launch, waiting_files
from sporax._src.processes.world import mesh

waiting_files.add(__file__)


class OnRanks:
    """`jit(fn)`, within which collective operations reach the other processes.

    XLA treats an operand as a global array that is replicated over all processes. `shard_map` passes the local values
    to the function and takes its local results, so values may differ between processes. Nothing is copied, and shapes
    are those of the local arrays.

    Args:
        options: XLA's compiler options (None: none).
        fn: A function of arrays, or of nested containers of them.
        compares: Whether each new signature is compared with those of the other processes before it runs.
        settings: Those of `jax.jit`.
    """

    def __init__(
        self, options: dict[str, Any] | None, fn: Callable[..., Any], compares: bool = True, **settings: object
    ) -> None:
        whole = PartitionSpec()
        self._sharding = NamedSharding(mesh(), whole)
        everywhere = jax.shard_map(
            _compared(fn) if compares else fn, mesh=mesh(), in_specs=whole, out_specs=whole, check_vma=False
        )
        compiler_options = {**(options or {}), **config.exchange_options()}
        self._run = jit_with(compiler_options or None, everywhere, **settings)

    def __call__(self, *operands: object) -> Any:
        if planned_devices():
            return jax.tree.map(lambda r: zeros(r.shape, r.dtype), jax.eval_shape(self._run, *operands))
        try:
            results = jax.tree.map(_here, self._run(*jax.tree.map(self._everywhere, operands)))
        except ValueError as error:  # JAX raises this class if it does not wait for the backend's threads
            raise _explained(error) from None
        note_launch(results)
        return results

    def lower(self, *operands: object) -> Any:
        """Return JAX's `Lowered` for operands like these."""
        return self._run.lower(*jax.tree.map(self._everywhere, operands))

    def clear_cache(self) -> None:
        """Drop the executables."""
        self._run.clear_cache()

    def _everywhere(self, operand: object) -> Any:
        if isinstance(operand, jax.ShapeDtypeStruct):
            return jax.ShapeDtypeStruct(operand.shape, operand.dtype, sharding=self._sharding)
        return array_on(self._sharding, operand) if isinstance(operand, jax.Array) else operand


def _explained(error: ValueError) -> Exception:
    """Return a clear error for an error of XLA's exchange."""
    why = str(error).splitlines()[0]
    if "Gloo" not in why:
        return error
    return RuntimeError(
        f"an exchange with the other processes of the run failed; one has ended, or failed itself ({why})."
    )


def _compared(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that compares its collectives with those of the other processes while it is traced."""

    def compared(*operands: object) -> Any:
        line = user_line()
        agree(list(exchanges_in(jax.make_jaxpr(fn)(*operands).jaxpr, lambda _: line)))
        return fn(*operands)

    return compared


def _here(result: Any) -> Any:
    return result.addressable_data(0)


def jit_on(
    exchanges: bool, options: dict[str, Any] | None, fn: Callable[..., Any], compares: bool = True, **settings: object
) -> Any:
    """Return the function compiled for this process, or for all (see `OnRanks`) if it `exchanges` anything with the others."""
    return OnRanks(options, fn, compares, **settings) if exchanges else jit_with(options, fn, **settings)


def values_of_rank_0(arrays: Sequence[jax.Array]) -> list[Any]:
    """Return the arrays of the first process; all processes of the run pass arrays of the same shapes and dtypes."""
    return values_of_first(arrays, [NamedSharding(mesh(), PartitionSpec())] * len(arrays))
