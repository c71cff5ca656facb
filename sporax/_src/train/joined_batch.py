"""Batches of which each process of a run has read its part, as the Tensors of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.config import GRAPH_MODE, mode
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.processes.dry_run import planned_devices, zeros
from sporax._src.processes.parallel_context import Cutting, cutting
from sporax._src.processes.prime_mesh import prime_mesh
from sporax._src.processes.world import is_one_of_many
from sporax._src.sharding.layout import Layout
from sporax._src.sharding.strategies import named_axes, pieces_of
from sporax._src.transform.parallel.state_sharding import inputs_of


def joined_batch(row: Sequence[Any]) -> Sequence[Any]:
    """Return a row of a dataset, of which each process has read its part, with the Tensors of all processes.

    Where a graph is not one of all devices, or each process reads the whole (`full_batch`), that is the row itself. Devices that
    are not there (`device_num`) are taken to have read what this process has.

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


def _times(part: Sequence[int], whole: Sequence[int]) -> tuple[int, ...]:
    return tuple([w // p if p else 1 for p, w in zip(part, whole, strict=True)])


def whole_batch(number: int, part: Tensor, how: Cutting) -> jax.ShapeDtypeStruct:
    """Return the shape and dtype of what all devices have read.

    Args:
        number: The place of the Tensor among those of a row.
        part: What one of the devices has read.
        how: How the graph of all devices is cut.
    """
    shape = part.shape
    if how.dataset == "data_parallel":
        pieces = (how.devices, *[1] * (len(shape) - 1)) if shape else ()
    else:
        pieces = how.dataset[number] if number < len(how.dataset) else ()
    if isinstance(pieces, Layout):
        axes = named_axes("dataset_strategy", f"input {number}", pieces, how.devices)
        pieces = [pieces_of(a, how.devices) for a in axes]
    whole = [n * p for n, p in zip(shape, pieces, strict=False)]
    return jax.ShapeDtypeStruct(tuple(whole + list(shape[len(whole) :])), np.dtype(part._data.dtype))
