"""The hints that a Cell and a Parameter keep: strategies, stages, settings, scopes."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn

X = Tensor([0.0, 10.0])


def test_hints_of_a_cell() -> None:
    net = nn.SequentialCell(nn.Dense(2, 2))
    assert net.get_inputs() is None and net.pipeline_stage is None and net.parameter_layout_dict == {}
    net.set_inputs(X)
    assert net.get_inputs() == (X,)
    net.set_inputs(input_data=X)
    assert net.get_inputs() == (X,)
    net.pipeline_stage = 2
    assert net.pipeline_stage == 2 and net[0].weight._pipeline_stages == [2]
    assert net.jit_config_dict == {}
    net.set_jit_config(ms.JitConfig("O1"))
    assert net.jit_config_dict["jit_level"] == "O1"
    net.update_cell_prefix()
    assert [cell.param_prefix for _, cell in net.cells_and_names()] == ["", "0"]
    assert net.shard(((1, 1),)) is None and net.offload() is None
    ms.set_context(mode=ms.GRAPH_MODE)
    net(Tensor(np.ones((1, 2), np.float32)))
    assert net.compile_cache == {"SequentialCell.0"} == set(net.phase_cache)


def test_hints_of_a_parameter() -> None:
    p = Parameter(X, name="p")
    hints = (p.parallel_optimizer, p.layerwise_parallel, p.sliced, p.cache_enable, p.cache_shape, p.is_param_ps)
    assert hints == (True, False, False, False, [], False)
    p.add_pipeline_stage(1)
    with pytest.raises(RuntimeError, match=r"call set_ps_context\(enable_ps=True\) first"):
        p.set_param_ps()
    ms.set_ps_context(enable_ps=True)
    net = nn.Dense(1, 1)
    net.set_param_ps()
    assert net.weight.is_param_ps
    ms.reset_ps_context()


@pytest.mark.parametrize(
    ("act", "kind", "match"),
    [
        (
            lambda c: c.shard([(1,)]),
            TypeError,
            r"^Dense\.shard: in_strategy must be a tuple of tuples, .* got \[\(1,\)\]",
        ),
        (lambda c: c.shard(((1,),), parameter_plan=3), TypeError, "parameter_plan must be a dict of .* by name, got 3"),
        (lambda c: setattr(c, "pipeline_stage", "a"), TypeError, "pipeline_stage must be an int, got 'a'"),
        (lambda c: setattr(c, "pipeline_stage", -1), ValueError, "pipeline_stage must be >= 0, got -1"),
        (lambda c: c.offload("x"), ValueError, "backward_prefetch must be 'Auto' or >= 0, got 'x'"),
        (lambda c: c.set_inputs(X, x=X), ValueError, "by position or by name, not both"),
        (lambda c: c.set_inputs(y=X), ValueError, "Cell.set_inputs: construct takes x, got 'y'"),
        (lambda c: c.recompute(mp_comm_recompute=1), TypeError, "mp_comm_recompute must be a bool, got 1"),
        (lambda c: c.set_jit_config(3), TypeError, "expected a JitConfig, got 3"),
        (lambda c: c.weight.add_pipeline_stage(-1), TypeError, "stage must be an int >= 0, got -1"),
        (lambda c: Parameter(X, parallel_optimizer=3), TypeError, "parallel_optimizer must be a bool"),
    ],
)
def test_hints_that_cannot_be(act, kind: type, match: str) -> None:
    with pytest.raises(kind, match=match):
        act(nn.Dense(1, 1))


def test_settings_of_servers_and_offloading() -> None:
    ms.set_ps_context(enable_ps=True, config_file_path="a.json")
    assert ms.get_ps_context("enable_ps") is True and ms.get_ps_context("config_file_path") == "a.json"
    ms.reset_ps_context()
    assert ms.get_ps_context("enable_ps") is False
    ms.set_offload_context({"offload_param": "cpu", "cpu_ratio": 1})
    assert ms.get_offload_context()["offload_param"] == "cpu" and ms.get_offload_context()["offload_disk_size"] > 0
    ms.set_offload_context({"offload_param": "Disk", "aio_block_size": "0.5GB"})
    assert (ms.get_offload_context()["offload_param"], ms.get_offload_context()["aio_block_size"]) == ("disk", 1 << 29)
    for call, kind, match in (
        (lambda: ms.set_ps_context(x=1), ValueError, "set_ps_context: unknown option 'x'; known are enable_ps"),
        (lambda: ms.set_ps_context(enable_ps=3), TypeError, "enable_ps must be of type bool, got 3"),
        (lambda: ms.get_ps_context("x"), ValueError, "get_ps_context: unknown option 'x'"),
        (lambda: ms.set_offload_context(3), TypeError, "offload_config must be a dict, got 3"),
        (lambda: ms.set_offload_context({"offload_param": "moon"}), ValueError, "must be one of cpu, disk, got 'moon'"),
        (
            lambda: ms.set_offload_context({"offload_disk_size": "1"}),
            ValueError,
            "an int or a size like '1.5GB', got '1'",
        ),
    ):
        with pytest.raises(kind, match=match):
            call()


def test_settings_that_are_kept() -> None:
    net = nn.Cell()
    net.phase = "mine"
    assert net.phase == "mine" and net.set_train().phase == "train"
    net.flatten_weights(1024)
    with pytest.raises(ValueError, match="fusion_size must be >= 0, got -1"):
        net.flatten_weights(-1)
    with pytest.raises(KeyError, match="a key must not be an attribute of Cell, got '_scope'"):
        nn.CellDict()["_scope"] = nn.ReLU()


def test_scopes_without_names_of_classes() -> None:
    net = nn.SequentialCell(nn.ReLU())
    net.generate_scope()
    ms.set_context(reserve_class_name_in_scope=False)
    plain = nn.SequentialCell(nn.ReLU())
    plain.generate_scope()
    ms.set_context(reserve_class_name_in_scope=True)
    assert (net[0].get_scope(), plain[0].get_scope()) == ("Default/0-ReLU", "Default/0")
    with pytest.raises(ValueError, match=r"ReLU\.recompute: keyword 'often' is not recognized\."):
        net[0].recompute(often=True)


def test_what_cells_tell_of_themselves() -> None:
    """As MindSpore's do in a run of one process."""
    net = nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1))
    assert (net.compiled, net.bprop_debug, net.get_scope(), net.generate_scope()) == (False, False, None, None)
    assert (net.set_data_parallel(), net.remove_redundant_parameters()) == (None, None)
    assert list(net.parameters_broadcast_dict()) == [p.name for p in net.get_parameters()]
    net.update_cell_type("training")
    assert net.cell_type == "training"
    net.bprop_debug = True
    assert net.bprop_debug
    with pytest.raises(TypeError, match=r"Cell\.bprop_debug must be a bool, got 1"):
        net.bprop_debug = 1
    net[0].weight.name = net[1].weight.name = "same"
    net.check_names_and_refresh_name()
    assert [p.name for p in net.get_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_attributes_of_operators() -> None:
    made = ms.ops.Primitive("Mine").add_prim_attr("a", 1)
    made.add_attr("b", 2)
    assert made.get_attr_dict() == {"a": 1, "b": 2}
    made.del_attr("a")
    assert made.del_prim_attr("b") is made and made.del_prim_attr("b").get_attr_dict() == {}
