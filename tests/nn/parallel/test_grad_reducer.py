"""The reducer of gradients in one process: the rows of the tables, settings, errors."""

import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.nn.parallel.grad_reducer import reducer_of, take_over_first_values

TestLayers = layers_of("sporax._src.nn.parallel.grad_reducer")


def test_one_process_keeps_its_gradients() -> None:
    params = [Parameter(Tensor([1.0]), name="a"), Parameter(Tensor([2.0]), name="b", layerwise_parallel=True)]
    reduce, gradients = nn.DistributedGradReducer(params), (Tensor([3.0]), Tensor([4.0]))
    assert reduce(gradients) is gradients
    assert reduce.allreduce_filter == (True, False) and reduce.degree == 1
    assert nn.DistributedGradReducer(params, mean=True, degree=8).degree == 8
    take_over_first_values(params)
    assert [p.item() for p in params] == [1, 2]


def test_the_parallel_mode_decides_whether_gradients_are_put_together() -> None:
    assert reducer_of([]) is None
    ms.set_auto_parallel_context(parallel_mode="data_parallel")
    try:
        assert isinstance(reducer_of([]), nn.DistributedGradReducer)
    finally:
        ms.reset_auto_parallel_context()


@pytest.mark.parametrize("degree", [0, True, 1.5])
def test_degrees_that_cannot_be(degree: object) -> None:
    with pytest.raises(ValueError, match=f"DistributedGradReducer: degree must be an int > 0, got {degree}"):
        nn.DistributedGradReducer([], degree=degree)
