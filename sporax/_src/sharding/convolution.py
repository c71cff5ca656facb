"""How convolutions are cut in graphs of all devices: only in ways that XLA computes rightly."""

from __future__ import annotations

import jax
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.base.typing import Array
from sporax._src.processes.prime_mesh import prime_mesh
from sporax._src.sharding.strategies import cutting_here


def whole_images(x: Array, groups: int) -> Array:
    """Return what a convolution takes or gives, in a graph of all devices with its spatial axes whole on each.

    XLA (of JAX 0.10 and 0.12) sums the gradient of a kernel over all devices, those with equal pieces too, where images are cut
    along a spatial axis, or those of a convolution in groups along the batch. So a batch in groups is cut over all or none,
    and its channels are whole.

    Args:
        x: Of shape (N, C, ...).
        groups: Those of the convolution.
    """
    how = cutting_here()
    if how is None:
        return x
    free = PartitionSpec.UNCONSTRAINED
    mesh = prime_mesh(how.devices)
    over_all = mesh.axis_names if mesh is not None and x.shape[0] % mesh.size == 0 else None
    return _placed(x, (free, free) if groups == 1 else (over_all, None))


def whole_kernel(w: Array, groups: int) -> Array:
    """Return the kernel of a convolution, in a graph of all devices whole on each if it is one in groups.

    XLA ends the process over some ways to cut it.
    """
    return w if groups == 1 or cutting_here() is None else _placed(w, ())


def _placed(x: Array, first: tuple[object, ...]) -> Array:
    how = cutting_here()
    mesh = None if how is None else prime_mesh(how.devices)
    return x if mesh is None else jax.lax.with_sharding_constraint(x, NamedSharding(mesh, PartitionSpec(*first)))
