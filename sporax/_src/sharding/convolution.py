"""Sharding of convolutions in graphs of all devices, limited to what XLA computes correctly."""

from __future__ import annotations

import jax
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.base.typing import Array
from sporax._src.processes.prime_mesh import prime_mesh
from sporax._src.sharding.strategies import cutting_here


def whole_images(x: Array, groups: int) -> Array:
    """Return an operand or a result of a convolution, whose spatial axes are replicated in a graph of all devices.

    XLA (of JAX 0.10 and 0.12) sums the gradient of a kernel over all devices, replicas included, if images are sharded along a
    spatial axis, or along the batch in a grouped convolution. The batch of a grouped convolution is therefore sharded
    over all devices or none, and its channels are whole.

    Args:
        x: A Tensor of shape (N, C, ...).
        groups: The groups of the convolution.
    """
    how = cutting_here()
    if how is None:
        return x
    free = PartitionSpec.UNCONSTRAINED
    mesh = prime_mesh(how.devices)
    over_all = mesh.axis_names if mesh is not None and x.shape[0] % mesh.size == 0 else None
    return _placed(x, (free, free) if groups == 1 else (over_all, None))


def whole_kernel(w: Array, groups: int) -> Array:
    """Return the kernel of a convolution, replicated in a graph of all devices if the convolution is grouped.

    For some shardings of the kernel, XLA aborts the process.
    """
    return w if groups == 1 or cutting_here() is None else _placed(w, ())


def _placed(x: Array, first: tuple[object, ...]) -> Array:
    how = cutting_here()
    mesh = None if how is None else prime_mesh(how.devices)
    return x if mesh is None else jax.lax.with_sharding_constraint(x, NamedSharding(mesh, PartitionSpec(*first)))
