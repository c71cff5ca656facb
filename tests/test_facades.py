"""MindSpore's import paths lead somewhere, and the small names below its private ones do what programs ask of them."""

import os
import subprocess
import sys

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax import _checkparam as validator
from sporax._c_expression import MSContext
from sporax._extends import cell_attr_register
from sporax.common.initializer import (
    _assignment,
    _calculate_correct_fan,
    _calculate_fan_in_and_fan_out,
    _calculate_gain,
)
from sporax.dataset import NumpySlicesDataset
from sporax.nn.optim.optimizer import opt_init_args_register
from sporax.parallel import _ps_context, _utils
from sporax.parallel._auto_parallel_context import auto_parallel_context
from sporax.parallel._cost_model_context import get_cost_model_context, set_cost_model_context
from sporax.train._utils import _make_directory


def test_paths_under_the_name_of_mindspore() -> None:
    """A program finds them below `mindspore`, where classes are the same."""
    code = (
        "from sporax._src.compat import finder; finder.install()\n"
        "from mindspore.nn.wrap.grad_reducer import DistributedGradReducer\n"
        "from mindspore._checkparam import Validator as validator\n"
        "from mindspore.version import __version__\n"
        "from mindspore.log import logging\n"
        "import mindspore, sporax\n"
        "assert mindspore.nn.DistributedGradReducer is DistributedGradReducer is sporax.nn.DistributedGradReducer\n"
        "assert __version__ == mindspore.__version__ == '2.7.0'\n"
        "assert mindspore.set_device is sporax.set_device\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


# --- _checkparam ----------------------------------------------------------------------------------------------------

GOOD = [
    ("check_positive_int(3)", 3),
    ("check_non_negative_int(0, 'n', 'Net')", 0),
    ("check_int(3, 3, v.GE)", 3),
    ("check_int_range(3, 3, 4, v.INC_LEFT)", 3),
    ("check_float_range(1.0, 0.0, 1.0, v.INC_RIGHT)", 1.0),
    ("check_float_range(0, 0.0, 1.0, v.INC_BOTH)", 0),
    ("check_positive_float(0.5)", 0.5),
    ("check_non_negative_float(0.0)", 0.0),
    ("check_is_float(0.5)", 0.5),
    ("check_is_int(5)", 5),
    ("check_is_number(5, int)", 5),
    ("check_equal_int(5, 5)", 5),
    ("check_negative_int(-1)", -1),
    ("check_non_positive_int(0)", 0),
    ("check_float(1.0, 2.0, v.LT)", 1.0),
    ("check_number('n', 3, 2, v.GT, None)", 3),
    ("check('n', 3, 'known', [3, 4], v.IN)", 3),
    ("check_bool(True)", True),
    ("check_string('a', ['a', 'b'])", "a"),
    ("check_isinstance('n', 'a', str)", "a"),
    ("check_value_type('n', 1, [int, float])", 1),
    ("check_value_type('n', True, bool)", True),
    ("check_type_name('n', ms.float32, [ms.float16, ms.float32], None)", ms.float32),
    ("check_subclass('n', ms.float32, [ms.float32, ms.float16], None)", None),
    ("check_types_same_and_valid({'a': ms.int8, 'b': ms.int8}, [ms.int8], None)", None),
    ("check_positive_int_sequence((1, 2))", (1, 2)),
    ("twice(3)", (3, 3)),
    ("twice((1, 2))", (1, 2)),
]
BAD = [
    ("check_positive_int(0, 'n', 'Net')", ValueError, "For 'Net', the 'n' must be int and must > 0, but got '0'"),
    ("check_positive_int(1.0)", TypeError, "the input value must be int, but got '1.0'"),
    ("check_positive_int(True)", TypeError, "must be int"),
    ("check_positive_float(float('nan'))", ValueError, "must be a legal value, but got 'nan'"),
    ("check_int_range(4, 3, 4, v.INC_LEFT, 'n')", ValueError, r"the 'n' must be in range of \[3, 4\), but got 4"),
    ("check_float_range(0.0, 0.0, 1.0, v.INC_NEITHER)", ValueError, r"must be in range of \(0.0, 1.0\), but got 0.0"),
    ("check_is_float(1)", TypeError, "must be float, but got '1'"),
    ("check_number('n', 1, 2, v.GT, 'Net')", ValueError, "For 'Net', the 'n' must > 2, but got 1"),
    ("check('n', 1, 'known', [3], v.IN, None, KeyError)", KeyError, "should be in known"),
    ("check_bool(1, 'flag')", TypeError, "the 'flag' must be a bool, but got int"),
    ("check_string('c', ['a'], 'mode')", ValueError, "the 'mode' must be str and must be in"),
    ("check_isinstance('n', 1, str)", TypeError, "The parameter 'n' must be isinstance of"),
    ("check_value_type('n', True, [int])", TypeError, "The type of 'n' should be 'int', but got type 'bool'"),
    ("check_value_type('n', 'a', [int, float], 'Net')", TypeError, "For 'Net', the type of 'n' should be one of"),
    ("check_type_name('n', ms.int8, [ms.float32], 'Net')", TypeError, "For 'Net', the 'n' should be one of"),
    ("check_subclass('n', ms.int8, ms.float32, None, 'Cast it.')", TypeError, "should be a subclass of .* Cast it."),
    ("check_types_same_and_valid({'a': ms.int8, 'b': ms.int16}, [ms.int8, ms.int16], None)", TypeError, "same type"),
]


@pytest.mark.parametrize(("text", "want"), GOOD)
@pytest.mark.parametrize("place", ["module", "class"])
def test_checks(text: str, want: object, place: str) -> None:
    where = validator if place == "module" else validator.Validator
    if hasattr(where, text.split("(")[0]):
        assert eval(f"where.{text}", {"where": where, "v": validator.Rel, "ms": ms}) == want


@pytest.mark.parametrize(("text", "kind", "match"), BAD)
def test_checks_that_fail(text: str, kind: type, match: str) -> None:
    with pytest.raises(kind, match=match):
        eval(f"where.{text}", {"where": validator, "v": validator, "ms": ms})


def test_types_of_arguments() -> None:
    @validator.args_type_check(int, name=str)
    def fn(size: int, name: str | None = None) -> int:
        return size

    assert fn(3, name="a") == fn(3) == fn(size=3, name=None) == 3
    with pytest.raises(TypeError, match=r"Argument name must be <class 'str'>, but got <class 'int'>"):
        fn(3, name=4)

    @validator.args_type_check(size=int)
    def gather(**kwargs: int) -> dict[str, int]:
        return kwargs

    assert gather(size=3, other="a") == {"size": 3, "other": "a"}
    with pytest.raises(TypeError, match=r"Argument size must be <class 'int'>, but got <class 'str'>"):
        gather(size="a")


# --- other small names ----------------------------------------------------------------------------------------------


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


def test_options_that_are_kept() -> None:
    set_cost_model_context(device_memory_capacity=3.0)
    assert get_cost_model_context("device_memory_capacity") == 3.0
    ms.set_algo_parameters(fully_use_devices=False)
    assert ms.get_algo_parameters("fully_use_devices") is False
    ms.reset_algo_parameters()
    assert ms.get_algo_parameters("fully_use_devices") is False
    assert not _ps_context._is_role_pserver() and not _ps_context._is_role_sched()


def test_context_object() -> None:
    context = MSContext.get_instance()
    assert context is MSContext.get_instance()
    context.set_param("mode", ms.GRAPH_MODE)
    assert context.get_param("mode") == ms.get_context("mode") == ms.GRAPH_MODE
    assert context.get_ascend_soc_version() == "" and not context.is_ascend_plugin_loaded()


def test_registers(tmp_path) -> None:
    class Plain(nn.Optimizer):
        @opt_init_args_register
        def __init__(self, params: list, learning_rate: float = 0.1, momentum: float = 0.9) -> None:
            super().__init__(learning_rate, params)

    w = [Parameter(Tensor([1.0]), name="w")]
    opt = Plain(w, momentum=0.5)
    assert (opt.init_params, opt.init_learning_rate, opt.init_args) == ({"params": w}, 0.1, {"momentum": 0.5})

    class Layer(nn.Cell):
        @cell_attr_register(attrs=["size"])
        def __init__(self, size: int) -> None:
            super().__init__()
            self.size = size

    assert Layer(3).size == 3
    folder = _make_directory(str(tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b").is_dir() and folder == str(tmp_path / "a" / "b")
    with pytest.raises(TypeError, match="The argument 'path' must be a non-empty string, got 3"):
        _make_directory(3)


def test_helpers_of_initializers() -> None:
    assert _calculate_fan_in_and_fan_out((4, 3)) == (3, 4)
    assert _calculate_fan_in_and_fan_out((4, 3, 5, 5)) == (75, 100)
    assert _calculate_correct_fan((4, 3), "fan_out") == 4
    assert _calculate_gain("relu") == pytest.approx(2**0.5)
    assert _calculate_gain("leaky_relu", 1.0) == 1.0 and _calculate_gain("sigmoid") == 1.0
    arr = np.zeros((2, 2))
    assert _assignment(arr, 3.0) is arr and arr.sum() == 12
    assert _assignment(arr, np.arange(4)).tolist() == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match=r"fewer than 2 axes, got \[3\]"):
        _calculate_fan_in_and_fan_out((3,))
    with pytest.raises(ValueError, match="mode must be one of"):
        _calculate_correct_fan((4, 3), "fan")
    with pytest.raises(ValueError, match="unknown nonlinearity 'wave'"):
        _calculate_gain("wave")


# --- devices --------------------------------------------------------------------------------------------------------


def test_device() -> None:
    ms.set_device("CPU", 0)
    assert ms.get_current_device() == ("CPU", 0)
    assert ms.hal.device_count("CPU") >= 1 and ms.hal.is_available("CPU") and not ms.hal.is_available("Ascend")
    assert ms.hal.is_initialized("CPU") and not ms.hal.is_initialized("GPU")
    assert ms.hal.get_device_name(0, "CPU") == ms.hal.get_device_properties(0, "CPU")["name"] == "CPU"
    assert ms.hal.get_device_capability(0, "CPU") is None
    with pytest.raises(ValueError, match="device_target must be one of"):
        ms.set_device("abacus")


def test_memory_and_hints() -> None:
    assert isinstance(ms.runtime.memory_stats(), dict) and isinstance(ms.runtime.memory_summary(), str)
    for name in ("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved"):
        assert getattr(ms.runtime, name)() >= 0
    for name in ("empty_cache", "reset_peak_memory_stats", "reset_max_memory_allocated", "reset_max_memory_reserved"):
        assert getattr(ms.runtime, name)() is None
    ms.runtime.set_memory("1GB")
    ms.runtime.set_cpu_affinity(True)
    ms.runtime.dispatch_threads_num(2)
    ms.runtime.set_kernel_launch_group()
    ms.runtime.launch_blocking()
    assert ms.get_context("pynative_synchronize") is True
    ms.set_context(pynative_synchronize=False)
    ms.set_deterministic(True)
    assert ms.get_context("deterministic") == "ON"
    assert (os.environ["HCCL_DETERMINISTIC"], os.environ["TE_PARALLEL_COMPILER"]) == ("true", "1")  # MindSpore's
    ms.set_deterministic(False)
    assert not {"HCCL_DETERMINISTIC", "TE_PARALLEL_COMPILER"} & os.environ.keys()
    with pytest.raises(TypeError, match="set_deterministic: expected a bool, got 1"):
        ms.set_deterministic(1)


def test_streams_and_events() -> None:
    stream, event = ms.runtime.Stream(), ms.runtime.Event()
    with pytest.raises(RuntimeError, match="both events must have been recorded"):
        event.elapsed_time(event)
    default = ms.runtime.default_stream()
    with ms.runtime.StreamCtx(stream):
        assert ms.runtime.current_stream() is stream
        stream.wait_event(event)
        stream.wait_stream(default)
        stream.synchronize()
    assert ms.runtime.current_stream() is default is ms.runtime.communication_stream()
    later = stream.record_event()
    event.record()
    event.wait()
    event.synchronize()
    assert later.elapsed_time(event) >= 0 and event.query() and stream.query()


def test_synchronize_waits_for_what_was_started() -> None:
    square = ms.jit(lambda x: x @ x @ x @ x @ x @ x)
    x = ms.ops.ones((600, 600)) / 600
    square(x).asnumpy()
    results = [square(x) for _ in range(5)]
    ms.runtime.synchronize()
    assert all(array.is_ready() for array in jax.live_arrays())
    assert results[-1].shape == (600, 600)


# --- loops of one's own ---------------------------------------------------------------------------------------------


def data() -> NumpySlicesDataset:
    return NumpySlicesDataset(np.arange(4, dtype=np.float32), shuffle=False)


def test_dataset_helper() -> None:
    helper = ms.DatasetHelper(data(), dataset_sink_mode=False)
    for _ in range(2):
        assert [row[0].item() for row in helper] == [0, 1, 2, 3]
    sunk = ms.DatasetHelper(data(), sink_size=3)
    assert [[row[0].item() for row in sunk] for _ in range(2)] == [[0, 1, 2], [3, 0, 1]]
    assert sunk.sink_size() == 3 and helper.sink_size() == 4
    types, shapes = helper.types_shapes()
    assert len(types) == len(shapes) == 1 and helper.dynamic_min_max_shapes() == (shapes, shapes)
    helper.stop_send()
    helper.continue_send()
    net = nn.Dense(1, 1)
    assert ms.connect_network_with_dataset(net, helper) is net
    helper.release()
    with pytest.raises(TypeError, match="expected a DatasetHelper, got 1"):
        ms.connect_network_with_dataset(net, 1)
    with pytest.raises(TypeError, match="expected a dataset, got 1"):
        ms.DatasetHelper(1)
    with pytest.raises(TypeError, match="dataset_sink_mode must be a bool, got 1"):
        ms.DatasetHelper(data(), 1)
    with pytest.raises(ValueError, match="sink_size must be -1 or > 0, got 0"):
        ms.DatasetHelper(data(), sink_size=0)


@pytest.mark.parametrize("compiled", [False, True])
def test_data_sink(compiled: bool) -> None:
    total = Parameter(Tensor(0.0, ms.float32), name="total")

    def add(x: Tensor) -> Tensor:
        total.set_data(total + x)
        return total.value()

    step = ms.data_sink(add, data(), sink_size=3, jit_config=ms.JitConfig() if compiled else None)
    assert [step().item(), step().item()] == [3.0, 7.0]
    with pytest.raises(ValueError, match="sink_size must be >= 1, got 0"):
        ms.data_sink(add, data(), 0)


def test_cells_around_a_network(mode: int) -> None:
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    grads = nn.WithGradCell(net, nn.MSELoss(), sens=2.0)(Tensor([[1.0, 1.0]]), Tensor([[1.0]]))
    assert [g.asnumpy().ravel().tolist() for g in grads] == [[4.0, 4.0], [4.0]]
    assert nn.ParameterUpdate(net.bias)(Tensor([3.0])).item() == net.bias.item() == 3.0
    reducer = nn.DistributedGradReducer(net.trainable_params())
    assert [g.item() for g in reducer((Tensor(1.0), Tensor(2.0)))] == [1.0, 2.0]
    with pytest.raises(TypeError, match="param must be a Parameter, got 1"):
        nn.ParameterUpdate(1)
    with pytest.raises(ValueError, match="degree must be an int > 0, got 0"):
        nn.DistributedGradReducer([], degree=0)


def test_status_of_older_programs() -> None:
    status = ms.amp.init_status()
    assert ms.amp.all_finite((Tensor([1.0]),), status).item() is True
