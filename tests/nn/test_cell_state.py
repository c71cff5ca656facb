"""The state of a Cell: buffers, state_dict and load_state_dict, and the hints that it keeps."""

import copy
import pickle

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, ParameterTuple, Tensor, nn
from sporax._src.transform import capture
from sporax.common.parameter import _Buffer, _is_parameter_generated
from sporax.parallel.auto_parallel import AutoParallel


class Shift(nn.Cell):
    """Adds a buffer, and counts its calls in another."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("shift", Tensor([1.0, 2.0]))
        self.register_buffer("calls", Tensor(0.0), persistent=False)
        self.register_buffer("nothing", None)
        self.scale = Parameter(Tensor([1.0, 1.0]), name="another_name")

    def construct(self, x: Tensor) -> Tensor:
        self.calls = self.calls + 1
        return x * self.scale + self.shift


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.body = Shift()
        self.register_buffer("count", Tensor([7]))

    def construct(self, x: Tensor) -> Tensor:
        return self.body(x)


X = Tensor([0.0, 10.0])

# --- buffers --------------------------------------------------------------------------------------------------------


def test_names() -> None:
    net = Net()
    assert [name for name, _ in net.named_buffers()] == ["count", "body.shift", "body.calls"]
    assert [name for name, _ in net.named_buffers("p", recurse=False)] == ["p.count"]
    assert len(list(net.buffers())) == 3
    assert net.get_buffer("body.shift") is net.body.shift and net.get_buffer("body.nothing") is None
    net.body.register_buffer("again", net.body.shift)
    assert len(list(net.named_buffers())) == 3 and len(list(net.named_buffers(remove_duplicate=False))) == 4
    del net.body.again
    assert not hasattr(net.body, "again") and len(list(net.buffers())) == 3


@pytest.mark.parametrize(
    ("args", "kind", "match"),
    [
        ((3, X), TypeError, "buffer name should be a string, got 3"),
        (("", X), KeyError, "buffer name can not be empty or contain"),
        (("a.b", X), KeyError, "buffer name can not be empty or contain"),
        (("scale", X), KeyError, "'scale' is already an attribute of Shift"),
        (("construct", X), KeyError, "'construct' is already an attribute of Shift"),
        (("new", 3), TypeError, "'new' must be a Tensor or None, got 3"),
    ],
)
def test_buffers_that_cannot_be(args: tuple, kind: type, match: str) -> None:
    with pytest.raises(kind, match=match):
        Shift().register_buffer(*args)


def test_no_such_buffer() -> None:
    with pytest.raises(AttributeError, match="'scale' of Shift is not a buffer"):
        Net().get_buffer("body.scale")
    with pytest.raises(AttributeError, match="Shift has no attribute 'x'"):
        Net().get_buffer("body.x")
    with pytest.raises(AttributeError, match="Net has no Cell at 'x'"):
        Net().get_buffer("x.y")


def test_a_buffer_is_an_input_of_graphs(mode: int) -> None:
    """Values that change between calls are seen, without a new graph."""
    net = Net()
    assert net(X).asnumpy().tolist() == [1, 12]
    before = capture.compilations
    net.body.shift = Tensor([5.0, 5.0])
    assert net(X).asnumpy().tolist() == [5, 15]
    net.load_state_dict({"body.shift": Tensor([6.0, 6.0])}, strict=False)
    assert net(X).asnumpy().tolist() == [6, 16]
    assert capture.compilations == before and net.body.calls.item() == 3
    with pytest.raises(TypeError, match="'shift' must be a Tensor or None, got 3"):
        net.body.shift = 3
    net.body.calls = None
    assert "body.calls" not in dict(net.named_buffers())


def test_copies_have_buffers_of_their_own() -> None:
    net = Net()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        other.body.shift = Tensor([9.0, 9.0])
        assert list(other.state_dict()) == list(net.state_dict()) and net(X).asnumpy().tolist() == [1, 12]


# --- state_dict -----------------------------------------------------------------------------------------------------


def test_state_dict() -> None:
    net = Net()
    state = net.state_dict()
    assert list(state) == ["count", "body.scale", "body.shift"]
    assert state["body.scale"] is net.body.scale and state["count"] is net.count
    assert list(net.state_dict(prefix="p.")) == ["p.count", "p.body.scale", "p.body.shift"]
    given: dict = {}
    assert net.state_dict(given, "q.", True) is given and next(iter(given)) == "q.count"


def test_load_state_dict() -> None:
    net = Net()
    state = {name: Tensor(value.asnumpy() * 3) for name, value in net.state_dict().items()}
    assert repr(net.load_state_dict(state)) == "<All keys matched successfully>"
    assert net.count.asnumpy().tolist() == [21] and net.body.scale.asnumpy().tolist() == [3, 3]
    keys = net.load_state_dict({"count": Tensor([1.9]), "x": X}, strict=False)
    assert keys == (["body.scale", "body.shift"], ["x"]) and "unexpected_keys=['x']" in repr(keys)
    assert net.count.dtype == ms.int64 and net.count.asnumpy().tolist() == [1]


def test_load_state_dict_refuses() -> None:
    net = Net()
    with pytest.raises(TypeError, match=r"state_dict must be a dict, got \[1\]"):
        net.load_state_dict([1])
    with pytest.raises(RuntimeError) as error:
        net.load_state_dict({"count": Tensor([1, 2]), "body.scale": np.zeros(2), "x": X, "y": X})
    for part in (
        "loading state_dict for Net",
        "size mismatch for count: the state has shape (2,), the Cell (1,)",
        "'body.scale' must be a Tensor, got float64[2]",
        'Missing key(s) in state_dict: "body.shift"',
        'Unexpected key(s) in state_dict: "x", "y"',
    ):
        assert part in str(error.value)
    assert net.count.asnumpy().tolist() == [7]


def test_hooks_of_the_state() -> None:
    net, seen = nn.Dense(1, 1), []
    handles = [
        net.register_state_dict_pre_hook(lambda cell, prefix, keep_vars: seen.append(("before", prefix))),
        net.register_state_dict_post_hook(lambda cell, state, prefix, metadata: seen.append(("after", list(state)))),
        net.register_load_state_dict_pre_hook(lambda cell, state, *rest: state.pop("extra")),
        net.register_load_state_dict_post_hook(lambda cell, keys: seen.append(keys)),
    ]
    state = {**net.state_dict(prefix=""), "extra": X}
    net.load_state_dict(state)
    assert seen == [("before", ""), ("after", ["weight", "bias"]), ([], [])]
    for handle in handles:
        handle.remove()
    net.state_dict()
    assert len(seen) == 3


# --- hints ----------------------------------------------------------------------------------------------------------


def test_hints_of_a_cell() -> None:
    net = nn.SequentialCell(nn.Dense(2, 2))
    assert net.get_inputs() is None and net.pipeline_stage is None and net.parameter_layout_dict == {}
    net.set_inputs(X)
    assert net.get_inputs() == (X,)
    net.set_inputs(x=X)
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


# --- Parameters that wait -------------------------------------------------------------------------------------------


def test_no_init_parameters() -> None:
    with nn.no_init_parameters():
        net = nn.Dense(2, 1, weight_init="ones")
    assert net.weight.has_init and net.bias.has_init
    net.load_state_dict({"weight": Tensor([[3.0, 4.0]])}, strict=False)
    assert not net.weight.has_init
    net.init_parameters_data()
    assert net.weight.asnumpy().tolist() == [[3, 4]] and not net.bias.has_init
    with nn.utils.no_init_parameters():
        waiting = nn.Dense(2, 1, weight_init="ones").weight
    assert waiting.init_data().asnumpy().tolist() == [[1, 1]] and not nn.Dense(1, 1).weight.has_init


@pytest.mark.parametrize("how", ["cell", "graph"])
def test_a_run_draws_parameters_that_wait(how: str, mode: int) -> None:
    with nn.no_init_parameters():
        net = nn.Dense(2, 1, weight_init="ones", bias_init=3.0)
        optimizer = nn.Adam(net.trainable_params())
    assert net.weight._value.strides == (0, 0) and optimizer.moment1[0].asnumpy().tolist() == [[0, 0]]
    net.bias.set_data(Tensor([5.0]))
    x = Tensor([[1.0, 2.0]])
    assert (net(x) if how == "cell" else ms.jit(lambda v: net(v))(x)).item() == 8
    assert not net.weight.has_init


def test_parameters_that_wait_and_may_not_be_drawn(mode: int) -> None:
    with nn.no_init_parameters():
        net = nn.SequentialCell(nn.Dense(2, 1), nn.Dense(1, 1, has_bias=False))
        wrapped = AutoParallel(net)
    wrapped.no_init_parameters_in_compile()
    net[0].weight.init_data()
    with pytest.raises(RuntimeError, match=r"no value: 0.bias, 1.weight. Load them, or call init_parameters_data\(\)"):
        wrapped(Tensor([[1.0, 2.0]]))
    net.init_parameters_data()
    assert wrapped(Tensor([[1.0, 2.0]])).shape == (1, 1)


# --- parts of a batch -----------------------------------------------------------------------------------------------


class Loss(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, x: Tensor, y: Tensor | None = None) -> Tensor:
        mean = (x * self.w).mean()
        return mean if y is None else mean + y.sum()


@pytest.mark.parametrize("kind", [nn.PipelineCell, nn.GradAccumulationCell, nn.MicroBatchInterleaved])
def test_micro_batches(kind: type, mode: int) -> None:
    """The numbers are those of MindSpore 2.7.0."""
    x = Tensor(np.arange(8, dtype=np.float32))
    assert [kind(Loss(), n)(x).item() for n in (1, 2, 4)] == [7, 14, 28]
    assert kind(Loss(), 2)(x, x).item() == 42 and kind(Loss(), 2)(x, y=x).item() == 42
    net = kind(Loss(), 2)
    (grad,) = ms.grad(net, None, net.trainable_params())(x)
    assert [p.name for p in net.trainable_params()] == ["w"] and grad.item() == 7
    with pytest.raises(ValueError, match=r"must divide into 3 equal parts, got float32\[8\]"):
        kind(Loss(), 3)(x)
    with pytest.raises(ValueError, match="must be > 0, got 0"):
        kind(Loss(), 0)
    with pytest.raises(TypeError, match=r"must be an int, got 1\.5"):
        kind(Loss(), 1.5)
    with pytest.raises(TypeError, match="network must be a Cell, got 3"):
        kind(3, 2)


@pytest.mark.parametrize("kind", [nn.PipelineCell, nn.GradAccumulationCell, nn.MicroBatchInterleaved])
def test_cells_that_cut_micro_batches(kind: type) -> None:
    """The names are those of MindSpore 2.7.0; an attribute of the operator that would cut there changes no value."""
    net = kind(Loss(), 2)
    inputs = "interleave_inputs" if kind is nn.MicroBatchInterleaved else "micro_inputs"
    assert [name for name, _ in net.cells_and_names()] == ["", "network", inputs, f"{inputs}.0", f"{inputs}.1"]
    for part in getattr(net, inputs):
        part.strided_slice.add_prim_attr("out_shard_size", 2)
    assert net(Tensor(np.arange(8, dtype=np.float32))).item() == 14
    first, second = getattr(net, inputs)
    assert first.strided_slice is not second.strided_slice and first.strided_slice.name == "StridedSlice"


def test_stages_of_a_pipeline() -> None:
    net = nn.SequentialCell(nn.Dense(1, 1), nn.Dense(1, 1))
    nn.PipelineCell(net, 2, stage_config={"0": 0, "1": 1})
    assert [cell.pipeline_stage for cell in net] == [0, 1]
    with pytest.raises(KeyError, match="stage_config names 'x', which the network does not have"):
        nn.PipelineCell(net, 2, stage_config={"x": 0})


# --- what MindSpore's Cells take up besides ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_buffers_by_assignment(mode: int) -> None:
    """A `_Buffer` that is assigned is registered, in the place of what had the name; a Tensor is not."""
    ms.set_context(mode=mode)

    class Assigned(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.shift = Tensor([0.0])
            self.shift = _Buffer(Tensor([1.0, 2.0]))
            self.hidden = _Buffer(Tensor([3.0, 4.0]), persistent=False)
            self.plain = Tensor([5.0, 6.0])

        def construct(self, x: Tensor) -> Tensor:
            return x * self.shift + self.hidden

    net = Assigned()
    assert [name for name, _ in net.named_buffers()] == ["shift", "hidden"] and list(net.state_dict()) == ["shift"]
    assert net(Tensor([1.0, 1.0])).asnumpy().tolist() == [4.0, 6.0]
    net.shift = Tensor([0.0, 0.0])
    assert net(Tensor([1.0, 1.0])).asnumpy().tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="Buffer: data must be a Tensor, got None"):
        _Buffer(None)
    with pytest.raises(TypeError, match="Buffer: data must be a Tensor, got 3"):
        _Buffer(3)


def test_names_of_parameters_in_a_parameter_tuple() -> None:
    """Those without a name are numbered by the Cell; in a plain tuple they keep the one they got when they were made."""
    net = nn.Cell()
    named = Parameter(Tensor([1.0]), name="named")
    net.both = ParameterTuple((Parameter(Tensor([1.0])), named, Parameter(Tensor([1.0]))))
    net.plain = (Parameter(Tensor([1.0])),)
    assert [p.name for p in net.get_parameters()] == ["Parameter$1", "named", "Parameter$2"]
    assert _is_parameter_generated(net.plain[0].name) and not _is_parameter_generated(named.name)


def test_settings_that_are_kept() -> None:
    net = nn.Cell()
    net.phase = "mine"
    assert net.phase == "mine" and net.set_train().phase == "train"
    net.flatten_weights(1024)
    with pytest.raises(ValueError, match="fusion_size must be >= 0, got -1"):
        net.flatten_weights(-1)
    with pytest.raises(KeyError, match="a key must not be an attribute of Cell, got '_scope'"):
        nn.CellDict()["_scope"] = nn.ReLU()


class _Early(nn.Cell):
    def __init__(self, value: object) -> None:
        self.early = value
        super().__init__()


def test_attributes_before_the_cell_is_made() -> None:
    """Plain values are kept; what the Cell itself has to keep comes after its own `__init__`."""
    assert _Early(3).early == 3
    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) before assigning a ReLU to _Early.early\."):
        _Early(nn.ReLU())


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


def test_parameters_in_lists_are_told(caplog: pytest.LogCaptureFixture) -> None:
    """Once, by the path of the attribute; those that are registered as well are not told of."""

    class Listed(nn.Cell):
        def __init__(self, kind: type) -> None:
            super().__init__()
            self.layers = kind([nn.Dense(2, 2)])
            self.kept = nn.CellList([nn.Dense(2, 2)])
            self.again = list(self.kept)
            self.named = {"w": Parameter(Tensor([1.0]), name="w", requires_grad=False)}

    net = nn.SequentialCell(Listed(list), Listed(nn.CellList), Listed(tuple))
    for _ in range(2):
        assert len(net.trainable_params()) == 8
    assert [record.getMessage().split(" and are not trained")[0] for record in caplog.records] == [
        f"SequentialCell: the Parameters in '{place}.layers' are not among its Parameters" for place in (0, 2)
    ]


class Flagged(nn.Cell):
    """A Cell whose result depends on a flag."""

    doubles = False

    def construct(self, x):
        return x * 2 if self.doubles else x


def test_graphs_depend_on_flags(mode: int) -> None:
    """A flag that changes takes another graph, and one that changes back the one before."""
    net, x = nn.SequentialCell(Flagged()), Tensor([3.0])
    answers = {flag: net.add_flags_recursive(doubles=flag)(x).item() for flag in (False, True)}
    count = capture.compilations
    assert answers == {False: 3.0, True: 6.0}
    assert [net.add_flags_recursive(doubles=flag)(x).item() for flag in (False, True)] == [3.0, 6.0]
    assert capture.compilations == count
