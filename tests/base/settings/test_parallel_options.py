"""Options of parallel training: MindSpore takes what is taken, and refuses what is refused with errors of the same types."""

import ast
import json

import pytest
from house import ROOT

import sporax as ms
from sporax.parallel._auto_parallel_context import auto_parallel_context

RECORDED = json.loads((ROOT / "tests" / "goldens" / "parallel_options.json").read_text())["options"]


@pytest.fixture(autouse=True)
def _reset():
    yield
    ms.reset_auto_parallel_context()
    ms.reset_algo_parameters()


@pytest.mark.parametrize(("function", "name", "value", "expected"), RECORDED, ids=lambda v: str(v)[:40])
def test_values_are_taken_and_refused_as_recorded(function: str, name: str, value: str, expected: str):
    call = getattr(ms, function)
    if not expected:
        call(**{name: ast.literal_eval(value)})
        return
    with pytest.raises((TypeError, ValueError, KeyError)) as caught:
        call(**{name: ast.literal_eval(value)})
    assert caught.type.__name__ == expected and f"{function}: " in str(caught.value) and name in str(caught.value)


def test_what_is_refused_changes_nothing():
    with pytest.raises(ValueError, match=r"set_auto_parallel_context: device_num must be at least 1, got 0\."):
        ms.set_auto_parallel_context(gradients_mean=True, device_num=0)
    assert ms.get_auto_parallel_context("gradients_mean") is False


def test_fusion_settings_are_whole():
    ms.set_auto_parallel_context(comm_fusion={"openstate": False, "allgather": {"mode": "size", "config": 8}})
    found = ms.get_auto_parallel_context("comm_fusion")
    assert not found["openstate"] and found["allreduce"] == {"mode": "auto", "config": None}
    assert auto_parallel_context().allgather_fusion_threshold_mb() == 8
    assert auto_parallel_context().reducescatter_fusion_threshold_mb() == 64
    assert not auto_parallel_context().get_enable_all_reduce_fusion()
    assert not auto_parallel_context().get_enable_reduce_scatter_fusion()


def test_getters_of_the_context():
    context = auto_parallel_context()
    assert not context.get_device_num_is_set() and not context.get_parameter_broadcast_is_set()
    ms.set_auto_parallel_context(
        device_num=1,
        parameter_broadcast=False,
        pipeline_config={"pipeline_interleave": True, "pipeline_scheduler": "gpipe"},
        all_reduce_fusion_config=[1, 3],
    )
    assert context.get_device_num_is_set() and context.get_parameter_broadcast_is_set()
    assert context.get_pipeline_interleave() and context.get_pipeline_scheduler() == "gpipe"
    assert context.get_all_reduce_fusion_split_indices() == [1, 3]
    with pytest.raises(TypeError, match="set_enable_all_reduce_fusion: must be a bool, got 'on'"):
        context.set_enable_all_reduce_fusion("on")
