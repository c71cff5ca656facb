"""Batches of which each process of a run has read a part, as global Tensors of all processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding

from sporax._src.base.config import GRAPH_MODE, mode
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.processes.dry_run import planned_devices, zeros
from sporax._src.processes.parallel_context import Cutting, cutting
from sporax._src.processes.prime_mesh import prime_mesh
from sporax._src.processes.spmd import starts_here
from sporax._src.processes.world import devices_of_each, is_one_of_many
from sporax._src.sharding.layout import Layout
from sporax._src.sharding.strategies import alone, named_axes, pieces_of, spec_of
from sporax._src.transform.parallel.state_sharding import inputs_of


def joined_batch(row: Sequence[Any]) -> Sequence[Any]:
    """Return a row of a dataset as global Tensors; each process has read a part of the row.

    The result is the row itself if the graph is not one of all devices, or if each process reads the whole row
    (`full_batch`). Devices that are not present (`device_num`) are assumed to have read the same part as this process.

    Raises:
        RuntimeError: If the strategies of the dataset do not fit.
    """
    how = cutting()
    if how is None or how.dataset == "full_batch" or mode() != GRAPH_MODE:
        return row
    mesh = prime_mesh(how.devices)
    if mesh is not None and not is_one_of_many():
        return row
    tensors = [t for t in row if isinstance(t, Tensor)]
    whole = [whole_batch(i, t, how) for i, t in enumerate(tensors)]
    if planned_devices():
        joined = [wrap(zeros(aval.shape, aval.dtype)) for aval in whole]
    elif mesh is None:
        joined = [wrap(jnp.tile(t._data, _times(t.shape, aval.shape))) for t, aval in zip(tensors, whole, strict=True)]
    else:
        joined = [
            wrap(jax.make_array_from_process_local_data(place, t.asnumpy(), aval.shape))
            for t, aval, place in zip(tensors, whole, inputs_of(whole, mesh, how), strict=True)
        ]
    rest = iter(joined)
    return [next(rest) if isinstance(t, Tensor) else t for t in row]


def _pieces_of_processes(number: int, pieces: tuple[int, ...], how: Cutting) -> list[int]:
    """Return into how many parts the processes cut each axis, if the devices cut it into `pieces`."""
    mesh = prime_mesh(how.devices)
    if mesh is None:
        return list(pieces)
    spec = spec_of(alone("dataset_strategy", f"input {number}", how.dataset[number], pieces, how.devices))
    own = starts_here(NamedSharding(mesh, spec), pieces)
    return [n // len(starts) for n, starts in zip(pieces, own, strict=True)]


def _times(part: Sequence[int], whole: Sequence[int]) -> tuple[int, ...]:
    return tuple([w // p if p else 1 for p, w in zip(part, whole, strict=True)])


def whole_batch(number: int, part: Tensor, how: Cutting) -> jax.ShapeDtypeStruct:
    """Return the shape and dtype of the parts of all devices together.

    Args:
        number: The index of the Tensor in a row.
        part: The part that one of the processes has read.
        how: The sharding of the graph of all devices.
    """
    shape = part.shape
    if how.dataset == "data_parallel":
        pieces = (how.devices // devices_of_each(), *[1] * (len(shape) - 1)) if shape else ()
    else:
        pieces = how.dataset[number] if number < len(how.dataset) else ()
    if isinstance(pieces, Layout):
        axes = named_axes("dataset_strategy", f"input {number}", pieces, how.devices)
        pieces = [pieces_of(a, how.devices) for a in axes]
    if devices_of_each() > 1 and how.dataset != "data_parallel" and number < len(how.dataset):
        pieces = _pieces_of_processes(number, tuple(pieces), how)
    whole = [n * p for n, p in zip(shape, pieces, strict=False)]
    return jax.ShapeDtypeStruct(tuple(whole + list(shape[len(whole) :])), np.dtype(part._data.dtype))
