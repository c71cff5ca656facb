"""Sharding of convolutions in graphs of all devices."""

import jax
import numpy as np
import pytest
from jax.sharding import PartitionSpec

from sporax._src.processes.parallel_context import Cutting
from sporax._src.processes.prime_mesh import paper_mesh
from sporax._src.sharding import convolution

X = np.ones((4, 2, 3, 3), np.float32)
ANY = PartitionSpec.UNCONSTRAINED


def _constraints(fn) -> list[PartitionSpec]:
    eqns = jax.make_jaxpr(fn)(X).jaxpr.eqns
    return [eqn.params["sharding"].spec for eqn in eqns if eqn.primitive.name == "sharding_constraint"]


@pytest.fixture
def _of_all_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    how = Cutting(4, "full_batch", None)
    monkeypatch.setattr(convolution, "prime_mesh", paper_mesh)
    monkeypatch.setattr(convolution, "cutting_here", lambda: how)


def test_nothing_is_constrained_elsewhere() -> None:
    assert convolution.whole_images(X, 1) is X
    assert convolution.whole_kernel(X, 2) is X


@pytest.mark.usefixtures("_of_all_devices")
def test_spatial_axes_are_whole() -> None:
    assert _constraints(lambda x: convolution.whole_images(x, 1)) == [PartitionSpec(ANY, ANY)]


@pytest.mark.usefixtures("_of_all_devices")
def test_a_grouped_convolution_has_whole_channels_and_kernels() -> None:
    (spec,) = _constraints(lambda x: convolution.whole_images(x, 2))
    assert spec == PartitionSpec(("d0", "d1"), None)
    assert _constraints(lambda x: convolution.whole_kernel(x, 2)) == [PartitionSpec()]
    assert _constraints(lambda x: convolution.whole_kernel(x, 1)) == []
