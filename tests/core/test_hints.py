"""Hints of a program about where its Parameters belong: kept, and answered."""

import pytest

import sporax as ms
from sporax import Parameter, Tensor


def test_hints_are_kept_in_the_information() -> None:
    param = Parameter(Tensor([1.0]), layerwise_parallel=True)
    param.parallel_optimizer, param.comm_fusion = False, 3
    assert (
        param.layerwise_parallel and param.param_info.parallel_optimizer is False and param.param_info.comm_fusion == 3
    )


def test_stages_of_a_parameter_are_its_own() -> None:
    first, second = Parameter(Tensor([1.0])), Parameter(Tensor([1.0]))
    first.add_pipeline_stage(0)
    first.add_pipeline_stage(2)
    assert (first._pipeline_stages, second._pipeline_stages) == ([0, 2], [])


@pytest.mark.parametrize("value", [-1, True, 1.0])
def test_numbers_that_are_none(value) -> None:
    param = Parameter(Tensor([1.0]))
    with pytest.raises(
        ValueError if value == -1 else TypeError, match=f"Parameter.comm_fusion must be an int >= 0, got {value}"
    ):
        param.comm_fusion = value
    with pytest.raises(TypeError, match=f"add_pipeline_stage: stage must be an int >= 0, got {value}"):
        param.add_pipeline_stage(value)


@pytest.mark.parametrize("name", ["parallel_optimizer", "layerwise_parallel"])
def test_flags(name) -> None:
    param = Parameter(Tensor([1.0]))
    with pytest.raises(TypeError, match=f"Parameter.{name} must be a bool, got 3"):
        setattr(param, name, 3)


def test_a_server_has_to_be_asked_for() -> None:
    param = Parameter(Tensor([1.0]))
    with pytest.raises(RuntimeError, match=r"call set_ps_context\(enable_ps=True\) first"):
        param.set_param_ps()
    ms.set_ps_context(enable_ps=True)
    try:
        param.set_param_ps(init_in_server=True)
    finally:
        ms.reset_ps_context()
    assert param.is_param_ps and param.init_in_server
