"""Options of the search for strategies, and of what strategies cost."""

import pytest

import sporax as ms
from sporax._src.base.settings.strategy_search import (
    get_cost_model_context,
    reset_cost_model_context,
    set_cost_model_context,
)
from sporax.parallel import _ps_context


def test_options_that_are_kept() -> None:
    set_cost_model_context(device_memory_capacity=3.0)
    assert get_cost_model_context("device_memory_capacity") == 3.0
    ms.set_algo_parameters(fully_use_devices=False)
    assert ms.get_algo_parameters("fully_use_devices") is False
    ms.reset_algo_parameters()
    assert ms.get_algo_parameters("fully_use_devices") is False
    assert not _ps_context._is_role_pserver() and not _ps_context._is_role_sched()


@pytest.fixture
def restored():
    yield
    ms.reset_auto_parallel_context(), ms.reset_algo_parameters(), reset_cost_model_context()


def test_the_mode_of_the_search_has_two_names(restored):
    ms.set_auto_parallel_context(auto_parallel_search_mode="dynamic_programming")
    assert ms.get_auto_parallel_context("search_mode") == "dynamic_programming"
    ms.set_auto_parallel_context(search_mode="sharding_propagation")
    assert ms.get_auto_parallel_context("auto_parallel_search_mode") == "sharding_propagation"
    with pytest.raises(ValueError, match=r"search_mode must be one of \['recursive_programming', .*, got 'x'"):
        ms.set_auto_parallel_context(search_mode="x")


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"fully_use_devices": 1}, TypeError, "set_algo_parameters: fully_use_devices must be a bool, got 1."),
        ({"x": 1}, ValueError, "set_algo_parameters: unknown option 'x'; known are algo_approxi_epsilon, elementwise"),
        ({"tensor_slice_align_size": 0}, ValueError, r"tensor_slice_align_size must be in \[1, 1024\], got 0"),
        ({"algo_approxi_epsilon": 2.0}, RuntimeError, r"algo_approxi_epsilon must be in \(0, 1\], got 2.0"),
    ],
)
def test_options_of_the_search_are_checked(restored, options, error, told):
    with pytest.raises(error, match=told):
        ms.set_algo_parameters(**options)


def test_options_of_costs_are_checked(restored):
    with pytest.raises(TypeError, match="set_cost_model_context: device_memory_capacity must be float, got 5"):
        set_cost_model_context(device_memory_capacity=5)
    with pytest.raises(ValueError, match="device_memory_capacity must be > 0"):
        set_cost_model_context(device_memory_capacity=-1.0)
    with pytest.raises(ValueError, match="get_algo_parameters: unknown option 'nope'"):
        ms.get_algo_parameters("nope")
