"""Meshes with an axis for each prime factor of the number of devices."""

import jax
import pytest

from sporax._src.processes import prime_mesh


@pytest.mark.parametrize(("number", "factors"), [(1, ()), (2, (2,)), (12, (2, 2, 3)), (35, (5, 7)), (97, (97,))])
def test_prime_factors(number: int, factors: tuple[int, ...]) -> None:
    assert prime_mesh.prime_factors(number) == factors
    assert prime_mesh.axis_names(number) == tuple(f"d{i}" for i in range(len(factors)))


def test_meshes_of_devices_that_are_there_and_of_others() -> None:
    count = len(jax.devices())
    there = prime_mesh.prime_mesh(count)
    assert there is not None and there.size == count
    assert prime_mesh.prime_mesh(4096 * count) is None
    assert dict(prime_mesh.paper_mesh(12).shape) == {"d0": 2, "d1": 2, "d2": 3}


def test_axes_that_make_so_many_pieces() -> None:
    assert prime_mesh.take_axes(6, ("d0", "d1", "d2"), 12) == ("d0", "d2")
    assert prime_mesh.take_axes(1, ("d0",), 12) == ()
    with pytest.raises(ValueError, match="3 pieces do not fit the remaining devices of 12"):
        prime_mesh.take_axes(3, ("d0", "d1"), 12)
