"""Where slices lie: cuts over a mesh."""

from types import SimpleNamespace

import numpy as np
import pytest
from jax.sharding import Mesh

from sporax._src.sharding.mesh_layout import cut_on_mesh, spec_on_mesh
from sporax._src.sharding.parameter_layout import cut_of


def test_cuts_are_those_of_a_mesh() -> None:
    """JAX cuts an array as the numbers say, and what it cuts further is told as the optimizer's share."""
    mesh = Mesh(np.empty((2, 2, 2), object), ("a", "b", "c"))
    for spec, cut in (
        ((None, ("a", "b")), cut_of([4, 2], [-1, 1])),
        (("c", "a"), cut_of([2, 2, 2], [0, 2])),
        ((("b", "a"), None), cut_of([2, 2, 2], [[1, 2], -1])),  # shares are those of the innermost axes
        ((("b", "c"), None), cut_of([2, 4], [0, -1])),
        ((("a", "c"), None), cut_of([2, 2, 2], [2, -1], 1, 2)),
        ((("c", "a", "b"), None), cut_of([4, 2], [0, -1], 2, 4)),
        ((("b", "a"), "c"), cut_of([2, 2, 2], [1, 0], 4, 2)),
        ((("c", "b"), "a"), cut_of([2, 2, 2], [0, 2], 2, 2)),
        ((None, ("b", "a")), cut_of([2, 2, 2], [-1, [1, 2]])),
    ):
        found = cut_on_mesh(SimpleNamespace(mesh=mesh, spec=spec), 2)  # type: ignore[arg-type]
        assert found == cut
        assert cut_on_mesh(SimpleNamespace(mesh=mesh, spec=spec_on_mesh(cut, mesh)), 2) == cut  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"dev_matrix \[3\] does not fit 8 devices"):
        spec_on_mesh(cut_of([3], [0]), mesh)
    with pytest.raises(ValueError, match=r"dev_matrix \[4\] is of 4 devices, and there are 8"):
        spec_on_mesh(cut_of([4], [0]), mesh)
