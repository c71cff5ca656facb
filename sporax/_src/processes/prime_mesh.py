"""A mesh of all devices with an axis for each prime factor of their number, so that every sharding can be expressed by its axes."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import jax
from jax.sharding import AbstractMesh, AxisType, Mesh

from sporax._src.processes.world import AXIS, devices_of_run


@functools.cache
def prime_factors(number: int) -> tuple[int, ...]:
    """Return the prime factors of a number, smallest first."""
    factors, rest, factor = [], number, 2
    while rest > 1:
        while rest % factor == 0:
            factors.append(factor)
            rest //= factor
        factor += 1
    return tuple(factors)


def axis_names(count: int) -> tuple[str, ...]:
    """Return the names of the axes of the mesh of `count` devices, outermost first."""
    return tuple(f"d{i}" for i in range(len(prime_factors(count))))


@functools.cache
def prime_mesh(count: int) -> Mesh | None:
    """Return the mesh of `count` devices, those of process 0 first; None if there are fewer.

    With several pipeline stages of `count` devices each, it is the mesh of this process's stage.
    """
    devices = devices_of_run().reshape(-1)
    if len(devices) < count:
        return None
    own = jax.process_index() * jax.local_device_count() // count * count
    first = own if own + count <= len(devices) else 0
    return Mesh(devices[first : first + count].reshape(prime_factors(count)), axis_names(count))


@functools.cache
def mesh_of_ranks() -> Mesh:
    """Return the mesh of all devices: along `AXIS` the processes, along the others the devices of each."""
    devices = devices_of_run()
    count = devices.shape[1]
    return Mesh(devices.reshape(-1, *prime_factors(count)), (AXIS, *axis_names(count)))


@functools.cache
def paper_mesh(count: int) -> AbstractMesh:
    """Return an abstract mesh of `count` devices, which need not exist."""
    names = axis_names(count)
    return AbstractMesh(prime_factors(count), names, axis_types=(AxisType.Auto,) * len(names))


def take_axes(pieces: int, free: Sequence[str], count: int) -> tuple[str, ...]:
    """Return the first free axes of the mesh of `count` devices whose sizes multiply to `pieces`.

    Raises:
        ValueError: If there are no such axes.
    """
    sizes = dict(zip(axis_names(count), prime_factors(count), strict=True))
    selected, rest = [], pieces
    for name in free:
        if rest % sizes[name] == 0:
            selected.append(name)
            rest //= sizes[name]
    if rest != 1:
        raise ValueError(f"{pieces} pieces do not fit the remaining devices of {count}")
    return tuple(selected)
