"""Compiled functions that all processes of a run call together, each on its own arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.base import config
from sporax._src.base.errors import user_line
from sporax._src.base.jax_compat import array_on, jit_with
from sporax._src.base.pieces import on_first_device
from sporax._src.processes.collective_check import agree, exchanges_in
from sporax._src.processes.dry_run import planned_devices, zeros
from sporax._src.processes.prime_mesh import mesh_of_ranks
from sporax._src.processes.spmd import OnMesh, values_of_first
from sporax._src.processes.watchdog import lost, note_launch, waiting_files
from sporax._src.processes.world import AXIS, mesh

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
        return array_on(self._sharding, on_first_device(operand)) if isinstance(operand, jax.Array) else operand


class OnRanksAndDevices(OnMesh):
    """`OnMesh` on the devices of this process, within which collective operations reach the other processes.

    Within a process XLA divides the arrays among the devices; among the processes they may differ (see `OnRanks`).
    """

    def __init__(
        self,
        options: dict[str, Any] | None,
        fn: Callable[..., Any],
        shardings: Sequence[Sequence[NamedSharding]],
        results: Sequence[NamedSharding],
        states: Sequence[bool],
        **settings: object,
    ) -> None:
        whole = PartitionSpec()
        everywhere = jax.shard_map(
            fn, mesh=mesh_of_ranks(), in_specs=whole, out_specs=whole, axis_names={AXIS}, check_vma=False
        )
        self._local = results
        options = {**(options or {}), **config.exchange_options()} or None
        super().__init__(options, everywhere, shardings, [_of_ranks(r) for r in results], states, **settings)

    def __call__(self, *operands: Sequence[Any]) -> Any:
        try:
            outs = self._run(*self._everywhere(operands))
        except ValueError as error:
            raise _explained(error) from None
        results = [array_on(sharding, out) for sharding, out in zip(self._local, outs, strict=True)]
        note_launch(results)
        return results

    def _everywhere(self, operands: Sequence[Sequence[Any]]) -> list[list[Any]]:
        placed = super()._everywhere(operands)
        return [
            [_on_ranks(x, sharding) for x, sharding in zip(values, shardings, strict=True)]
            for values, shardings in zip(placed, self._shardings, strict=True)
        ]


def _of_ranks(sharding: NamedSharding) -> NamedSharding:
    """Return the sharding over the devices of all processes of arrays that are sharded over those of this one."""
    return NamedSharding(mesh_of_ranks(), sharding.spec)


def _on_ranks(x: Any, sharding: NamedSharding) -> Any:
    if isinstance(x, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=_of_ranks(sharding))
    return array_on(_of_ranks(sharding), x) if isinstance(x, jax.Array) else x


def _explained(error: ValueError) -> Exception:
    """Return a clear error for an error of XLA's exchange."""
    why = str(error).splitlines()[0]
    if "Gloo" not in why:
        return error
    who = lost() or "one has ended, or failed itself"
    return RuntimeError(f"an exchange with the other processes of the run failed; {who} ({why}).")


def _compared(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that compares its collectives with those of the other processes while it is traced."""

    def compared(*operands: object) -> Any:
        line = user_line()
        agree(list(exchanges_in(jax.make_jaxpr(fn)(*operands).jaxpr, lambda _: line)))
        return fn(*operands)

    return compared


def _here(result: Any) -> Any:
    return on_first_device(result)


def jit_on(
    exchanges: bool, options: dict[str, Any] | None, fn: Callable[..., Any], compares: bool = True, **settings: object
) -> Any:
    """Return the function compiled for this process, or for all (see `OnRanks`) if it `exchanges` anything with the others."""
    return OnRanks(options, fn, compares, **settings) if exchanges else jit_with(options, fn, **settings)


def values_of_rank_0(arrays: Sequence[jax.Array]) -> list[Any]:
    """Return the arrays of the first process; all processes of the run pass arrays of the same shapes and dtypes."""
    return [values_of_first(x, NamedSharding(mesh(), PartitionSpec())) for x in arrays]
