"""Compiled functions of all devices: one global program, whose arrays are sharded over a mesh."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from sporax._src.base.jax_compat import array_on, jit_with
from sporax._src.base.pieces import on_first_device, piece_here


class OnMesh:
    """`jit(fn)` on arrays that are sharded over a mesh of devices, of this process or of several.

    Each process passes a whole array, from which its devices take their shards, or a global array. If all devices
    belong to this process, results are arrays of all devices. With several processes each gets its part, and
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
        return [out if stays else local_array(out) for out, stays in zip(outs, self._stays, strict=True)]

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
    pieces = sharding.addressable_devices_indices_map(x.shape)
    if sharding.is_fully_replicated and x.sharding.device_set == set(pieces):
        return array_on(sharding, x)
    x = on_first_device(x)
    return jax.make_array_from_single_device_arrays(
        x.shape, sharding, [_placed(x, piece, device) for device, piece in pieces.items()]
    )


def _placed(x: jax.Array, piece: Any, device: Any) -> jax.Array:
    return jax.device_put(x if all(part == slice(None) for part in piece) else x[piece], device)


def pieces_of(values: np.ndarray, sharding: NamedSharding) -> jax.Array:
    """Return the global array of values that are equal in all processes, with a copy of the pieces of this process's devices."""
    return jax.make_array_from_callback(values.shape, sharding, lambda index: np.array(values[index]))


def local_array(x: jax.Array) -> jax.Array:
    """Return the part of a global array that this process has; a replicated one stays on all devices of this process."""
    if x.is_fully_addressable or not x.is_fully_replicated or len(x.addressable_shards) == 1:
        return piece_here(x)
    devices = np.array([shard.device for shard in x.addressable_shards])
    return array_on(NamedSharding(Mesh(devices, ("devices",)), PartitionSpec()), x)


@functools.cache
def _gathered(sharding: NamedSharding) -> Any:
    return jax.jit(lambda x: x, out_shardings=sharding)


def whole_here(x: object) -> Any:
    """Gather a global array in each process; all processes that have a shard of it must call this together."""
    if not isinstance(x, jax.Array) or x.is_fully_addressable:
        return x
    assert isinstance(x.sharding, NamedSharding)  # as of all arrays that several processes have
    return piece_here(_gathered(NamedSharding(x.sharding.mesh, PartitionSpec()))(x))


def starts_here(sharding: NamedSharding, shape: tuple[int, ...]) -> list[list[int]]:
    """Return for each axis at which indices the pieces begin that the devices of this process have of an array."""
    indices: Any = sharding.addressable_devices_indices_map(shape).values()
    return [sorted({index[axis].start or 0 for index in indices}) for axis in range(len(shape))]


def piece_shape(sharding: NamedSharding, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the part of an array that the devices of this process have (see `piece_here`)."""
    sizes = sharding.shard_shape(shape)
    return tuple([len(starts) * size for starts, size in zip(starts_here(sharding, shape), sizes, strict=True)])


def of_piece(sharding: NamedSharding, shape: tuple[int, ...], piece: Any) -> Any:
    """Return the global array of which this process has one part."""
    axes = list(zip(starts_here(sharding, shape), sharding.shard_shape(shape), strict=True))
    indices: Any = sharding.addressable_devices_indices_map(shape)

    def place(index: tuple[slice, ...]) -> tuple[slice, ...]:
        firsts = [starts.index(i.start or 0) * size for i, (starts, size) in zip(index, axes, strict=True)]
        return tuple([slice(first, first + size) for first, (_, size) in zip(firsts, axes, strict=True)])

    shards = [jax.device_put(piece[place(index)], device) for device, index in indices.items()]
    return jax.make_array_from_single_device_arrays(shape, sharding, shards)


def values_of_first(x: jax.Array, sharding: NamedSharding) -> jax.Array:
    """Return an array, sharded or replicated, with the values that the first process of the mesh has.

    In this way processes that initialise weights without a common seed get equal weights. A replicated array is local.
    """
    firsts = _first_devices(sharding.mesh)
    if firsts.size > 1:
        x = piece_here(_first_row(NamedSharding(firsts, PartitionSpec()))(_stacked(x, firsts)))
    return local_array(on_mesh(x, sharding)) if sharding.is_fully_replicated else on_mesh(x, sharding)


def values_of_all(x: np.ndarray, mesh: Mesh) -> np.ndarray:
    """Return the arrays that the processes of a mesh have, stacked."""
    firsts = _first_devices(mesh)
    return np.asarray(_gathered(NamedSharding(firsts, PartitionSpec()))(_stacked(jax.device_put(x), firsts)))


def _stacked(x: jax.Array, firsts: Mesh) -> jax.Array:
    """Return the global array whose rows are the arrays of the processes."""
    each = NamedSharding(firsts, PartitionSpec(firsts.axis_names))
    own = jax.device_put(on_first_device(x)[None], *each.addressable_devices)
    return jax.make_array_from_single_device_arrays((firsts.size, *x.shape), each, [own])


@functools.cache
def _first_devices(mesh: Any) -> Mesh:
    """Return the first device of each process of a mesh."""
    devices = {device.process_index: device for device in mesh.devices.flat[::-1]}
    return Mesh(np.array([devices[rank] for rank in sorted(devices)]), ("ranks",))


@functools.cache
def _first_row(sharding: NamedSharding) -> Any:
    return jax.jit(lambda x: x[0], out_shardings=sharding)
