"""Compiled functions of all devices: one global program, whose arrays are sharded over a mesh."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.base.jax_compat import array_on, jit_with, piece_here


class OnMesh:
    """`jit(fn)` on arrays that are sharded over a mesh of devices, of this process or of several.

    Each process passes a whole array, from which its devices take their shards, or a global array. If all devices
    belong to this process, results are arrays of all devices. With several processes each gets its shard, and
    replicated results as local arrays.

    Args:
        options: XLA's compiler options (None: none).
        fn: A function `(donated, kept, arguments) -> results`, of lists of arrays.
        shardings: The shardings of donated, kept and arguments.
        results: The shardings of results.
        states: Which results are states; sharded states stay global arrays.
        settings: Those of `jax.jit`.
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
        self._shardings = shardings
        self._stays = [is_state and not r.is_fully_replicated for r, is_state in zip(results, states, strict=True)]
        self._run = jit_with(options, fn, out_shardings=list(results), **settings)

    def __call__(self, *operands: Sequence[Any]) -> Any:
        outs = self._run(*self._everywhere(operands))
        return [out if stays else piece_here(out) for out, stays in zip(outs, self._stays, strict=True)]

    def lower(self, *operands: Sequence[Any]) -> Any:
        """Return JAX's `Lowered` for operands like these."""
        return self._run.lower(*self._everywhere(operands))

    def clear_cache(self) -> None:
        """Drop the executables."""
        self._run.clear_cache()

    def _everywhere(self, operands: Sequence[Sequence[Any]]) -> list[list[Any]]:
        return [
            [on_mesh(x, sharding) for x, sharding in zip(values, shardings, strict=True)]
            for values, shardings in zip(operands, self._shardings, strict=True)
        ]


def on_mesh(x: object, sharding: NamedSharding) -> Any:
    """Return an array as a global array with a sharding.

    Args:
        x: A local array that is equal in all processes, or a global array.
        sharding: The sharding of the result.
    """
    if isinstance(x, jax.ShapeDtypeStruct):
        return jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=sharding)
    if not isinstance(x, jax.Array) or x.sharding == sharding:
        return x
    if sharding.is_fully_addressable or not x.is_fully_addressable:
        return jax.device_put(x, sharding)
    if sharding.is_fully_replicated:
        return array_on(sharding, x)
    pieces = sharding.addressable_devices_indices_map(x.shape)
    return jax.make_array_from_single_device_arrays(
        x.shape, sharding, [jax.device_put(x[piece], device) for device, piece in pieces.items()]
    )


@functools.cache
def _gathered(sharding: NamedSharding) -> Any:
    return jax.jit(lambda x: x, out_shardings=sharding)


def whole_here(x: object) -> Any:
    """Gather a global array in each process; all processes that have a shard of it must call this together."""
    if not isinstance(x, jax.Array) or x.is_fully_addressable:
        return x
    assert isinstance(x.sharding, NamedSharding)  # as of all arrays that several processes have
    return piece_here(_gathered(NamedSharding(x.sharding.mesh, PartitionSpec()))(x))


def of_piece(sharding: NamedSharding, shape: tuple[int, ...], piece: object) -> Any:
    """Return the global array of which this process has one shard."""
    (device,) = sharding.addressable_devices
    return jax.make_array_from_single_device_arrays(shape, sharding, [jax.device_put(piece, device)])


def values_of_first(local: Sequence[Any], shardings: Sequence[NamedSharding]) -> list[Any]:
    """Return global arrays, sharded or replicated, with the values of the first process's local arrays.

    In this way processes that initialise weights without a common seed get equal weights.
    """
    stacked = []
    for x, sharding in zip(local, shardings, strict=True):
        each = NamedSharding(sharding.mesh, PartitionSpec(sharding.mesh.axis_names))
        stacked.append(
            jax.make_array_from_process_local_data(each, np.asarray(x)[None], (sharding.mesh.size, *x.shape))
        )
    firsts = jax.jit(lambda arrays: [a[0] for a in arrays], out_shardings=list(shardings))(stacked)
    return [piece_here(a) if p.is_fully_replicated else a for a, p in zip(firsts, shardings, strict=True)]
