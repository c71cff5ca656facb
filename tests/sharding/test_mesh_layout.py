"""Between JAX's ways to cut and MindSpore's numbers for them: there and back again."""

import pytest
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.processes.prime_mesh import paper_mesh
from sporax._src.sharding.mesh_layout import cut_on_mesh, names_of, spec_on_mesh
from sporax._src.sharding.parameter_layout import Cut

MESH = paper_mesh(8)


@pytest.mark.parametrize(
    ("spec", "matrix", "tensor_map"),
    [
        (PartitionSpec(("d0", "d1", "d2")), (8,), ((0,), ())),
        (PartitionSpec("d0", ("d1", "d2")), (2, 4), ((1,), (0,))),
        (PartitionSpec(None, "d2"), (4, 2), ((), (0,))),
        (PartitionSpec(), (8,), ((), ())),
    ],
)
def test_there_and_back(spec: PartitionSpec, matrix: tuple, tensor_map: tuple) -> None:
    cut = cut_on_mesh(NamedSharding(MESH, spec), 2)
    assert (cut.matrix, cut.tensor_map) == (matrix, tensor_map)
    again = spec_on_mesh(cut, MESH)
    assert [names_of(part) for part in again] == [names_of(part) for part in (*spec, *[None] * (2 - len(spec)))]


@pytest.mark.parametrize(
    ("matrix", "said"), [((3,), "does not fit 8 devices"), ((4,), "is of 4 devices, and there are 8")]
)
def test_arrangements_of_other_devices(matrix: tuple, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        spec_on_mesh(Cut(matrix, ((0,),)), MESH)
