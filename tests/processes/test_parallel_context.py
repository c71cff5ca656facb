"""Settings of parallel training, and what reads them."""

import pytest

import sporax as ms
from sporax.parallel import _utils
from sporax.parallel._auto_parallel_context import auto_parallel_context


def test_parallel_settings() -> None:
    assert (_utils._get_parallel_mode(), _utils._get_device_num(), _utils._get_global_rank()) == ("stand_alone", 1, 0)
    assert (_utils._get_gradients_mean(), _utils._get_parameter_broadcast()) == (False,) * 2
    assert (_utils._get_pipeline_stages(), _utils._get_enable_parallel_optimizer()) == (1, False)
    assert not _utils._is_sharding_propagation() and not _utils._is_in_auto_parallel_mode()
    context = auto_parallel_context()
    context.set_gradients_mean(True)
    assert context.get_gradients_mean() and _utils._get_gradients_mean()
    ms.reset_auto_parallel_context()
    with pytest.raises(AttributeError, match="has no attribute 'get_nonsense'"):
        context.get_nonsense()
    with pytest.raises(AttributeError, match="has no attribute 'drop_device_num'"):
        context.drop_device_num()
    _utils._device_number_check("data_parallel", 2)
    with pytest.raises(ValueError, match="device_number must be 1, got 2"):
        _utils._device_number_check("stand_alone", 2)


@pytest.fixture(autouse=True)
def _reset():
    yield
    ms.reset_auto_parallel_context()
    ms.reset_algo_parameters()


def test_gradients_of_graphs_of_all_devices_are_not_reduced_again():
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8)
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        with pytest.raises(
            RuntimeError, match="in semi_auto_parallel the gradients of a graph are already those of all"
        ):
            ms.nn.DistributedGradReducer([])
    finally:
        ms.set_context(mode=mode)
