"""Names of MindSpore's inner modules that published programs import: each does what MindSpore 2.7 does."""

import importlib
import os

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.base.settings.strategy_search import get_cost_model_context
from sporax._src.compat.shims.c_expression import swap_cache
from sporax._src.compat.shims.c_expression_amp import AmpLevel, create_amp_strategy
from sporax._src.compat.shims.common.api import _function_forbid_reuse, flops_collection
from sporax._src.compat.shims.common.initializer import _init_random_uniform
from sporax._src.compat.shims.experimental.map_parameter import MapParameter
from sporax._src.compat.shims.log import _LogActionOnce
from sporax._src.compat.shims.nn.layer import rnn_cells
from sporax._src.compat.shims.numpy import fft as numpy_fft
from sporax._src.compat.shims.ops.auto_generate import gen_ops_prim
from sporax._src.compat.shims.ops.function import nn_func
from sporax._src.compat.shims.ops.grad_experimental.grad_comm_ops import get_squared_device_local_norm_param
from sporax._src.compat.shims.ops.operations import rl_inner_ops, tensor_array
from sporax._src.compat.shims.ops.operations.map_tensor_ops import MapTensorGet
from sporax._src.compat.shims.ops.operations.sequence_ops import TensorToScalar
from sporax._src.compat.shims.parallel.cost_model_context import _set_rp_matmul_mem_coef
from sporax._src.compat.shims.train import amp
from sporax._src.compat.shims.train.callback.callback import set_cur_net
from sporax._src.compat.shims.train.serialization import _load_dismatch_prefix_params
from sporax._src.compat.transformer.moe import MoE
from sporax._src.nn.wrap import _MicroBatch
from sporax._src.train.callbacks.checkpoint_manager import CheckpointManager

NAMES = {
    "sporax.mint": ("functional", "clip", "Tensor"),
    "sporax.ops": ("Tensor",),
    "sporax.dataset": ("Implementation", "VisionBaseDataset"),
    "sporax.train.serialization": ("Tensor",),
    "sporax.log": ("_LogActionOnce",),
    "sporax.numpy.fft": ("rfft", "fftn"),
    "sporax.nn.layer.rnn_cells": ("RNNCellBase", "_gru_cell", "_lstm_cell", "_rnn_relu_cell", "_rnn_tanh_cell"),
    "sporax.nn.layer.activation": ("_activation", "ReLU"),
    "sporax.ops.function.nn_func": (
        "linear",
        "pad_ext",
        "_in_projection",
        "_get_cache_prim",
        "multi_head_attention_forward",
    ),
    "sporax.ops.operations._rl_inner_ops": ("TensorsQueueCreate", "PriorityReplayBufferSample", "MuxSend"),
    "sporax.ops.operations._tensor_array": ("TensorArray", "TensorArrayStack"),
    "sporax.ops.auto_generate": ("Scatter", "GroupedMatmul", "MeanExt", "MatMulExt"),
    "sporax.parallel._transformer.moe": ("MoE",),
    "sporax.ops.operations._sequence_ops": ("TensorToScalar",),
    "sporax.dataset.vision.transforms": ("PyTensorOperation",),
    "sporax.common.dtype": ("QuantDtype", "Tuple"),
    "sporax.dataset.text.transforms": ("Implementation",),
    "sporax.nn.wrap.loss_scale": ("grad_scale", "shard_grad_scale"),
    "sporax.ops.op_info_register": ("DataType", "TBERegOp", "op_info_register"),
    "sporax.train.callback": ("_set_cur_net",),
    "sporax.train.model": ("ParallelMode",),
    "sporax.train.amp": ("AMP_BLACK_LIST", "AMP_WHITE_LIST", "_auto_black_list"),
}


def floats(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


def test_names_are_where_programs_look():
    """Each path has its names."""
    lacking = [
        (path, n) for path, names in NAMES.items() for n in names if not hasattr(importlib.import_module(path), n)
    ]
    assert lacking == []


def test_types_by_names_of_python():
    dtype = ms.dtype
    assert (dtype.bool, dtype.float, dtype.int) == (ms.bool_, ms.float32, ms.int32)
    assert isinstance(ms.int8, dtype.typing.Number)
    with pytest.raises(AttributeError, match="no attribute 'str'"):
        _ = dtype.str


def test_functions_between_operations():
    flip, double = ms.dataset.vision.HorizontalFlip(), lambda x: x * 2
    found = ms.dataset.transforms.Compose.reduce([flip, double, double, flip, flip, double])
    assert [type(operation).__name__ for operation in found] == [
        "HorizontalFlip", "Compose", "HorizontalFlip", "HorizontalFlip", "Compose"
    ]  # fmt: skip
    assert found[1](np.ones(1)).tolist() == [4.0]
    assert ms.dataset.transforms.Compose.reduce([double]) == [double]
    assert importlib.import_module("sporax.default_config").__package_name__ == "mindspore"


def test_summaries_are_read_once():
    """The last value of each tag and kind, from graphs and without, until it is read."""
    read = importlib.import_module("sporax.train.summary.summary_record")._get_summary_tensor_data

    @ms.jit
    def graph(x: Tensor) -> Tensor:
        ops.TensorSummary()("a", x)
        ops.ScalarSummary()("a", x.sum())
        return x

    for run in (graph, graph.__wrapped__):
        read()
        run(Tensor([5.0, 6.0]))
        run(Tensor([1.0, 2.0]))
        found = read()
        assert {name: value.asnumpy().tolist() for name, value in found.items()} == {
            "a[:Tensor]": [1.0, 2.0],
            "a[:Scalar]": 3.0,
        }
        assert read() == {}


def test_arguments_become_tensors_of_32_bits():
    """Numbers and lists do; Tensors stay, and other things are refused."""
    to_tensor = importlib.import_module("sporax.numpy.utils")._to_tensor
    x = Tensor([1.0], ms.float64)
    number, real, flag, same = to_tensor(1, [1.5], True, x)
    assert (number.dtype, real.dtype, flag.dtype) == (ms.int32, ms.float32, ms.bool_) and same is x
    assert to_tensor((1, 2)).asnumpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="Expect input to be array like, got str"):
        to_tensor("1")
    raises = importlib.import_module("sporax.numpy.utils_const")._raise_value_error
    with pytest.raises(ValueError, match="an axis: 3"):
        raises("an axis: ", 3)
    with pytest.raises(ValueError, match=r"an axis$"):
        raises("an axis")


def test_sums_of_gradients_are_scaled_and_cleared():
    """What is scaled is the sum, or the gradient; the sum is zero afterwards."""
    loss_scale = importlib.import_module("sporax.nn.wrap.loss_scale")
    for graph, want in ((loss_scale.grad_scale, [2.0, 3.0]), (loss_scale.shard_grad_scale, [0.5, 0.5])):
        total = ms.Parameter(Tensor([4.0, 6.0]), name="total")
        got = graph(Tensor([2.0]), Tensor([1.0, 1.0]), total)
        assert got.asnumpy().tolist() == want and total.asnumpy().tolist() == [0.0, 0.0]


def test_steps_of_mixed_precision():
    """A network in float16 keeps its normalisation in float32, and its loss is taken in float32."""
    amp = importlib.import_module("sporax.train.amp")
    net = nn.SequentialCell(nn.Dense(2, 2), nn.BatchNorm1d(2)).to_float(ms.float16)
    amp._do_keep_batchnorm_fp32(net)
    assert net[1].cls_name == "OutputTo16" and net(Tensor(np.ones((2, 2), np.float32))).dtype == ms.float16
    x = Tensor(np.ones((2, 2), np.float32))
    for level, dtype in (("O0", ms.float16), ("O2", ms.float32)):
        cast = amp._config_level[level]["cast_model_type"]
        assert amp._add_loss_network(net, _Sum(), cast)(x, x.astype(ms.float16)).dtype == dtype
    overflow = importlib.import_module("sporax.nn.wrap.loss_scale")._grad_overflow
    assert [overflow(Tensor([1.0, v])).item() for v in (2.0, np.inf, np.nan)] == [0, 1, 1]


class _Sum(nn.Cell):
    """A loss that keeps the precision of what it receives."""

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return (logits + label).sum()


def test_transforms_with_numpys_arguments():
    """`numpy.fft` takes NumPy's names of the arguments, and gives NumPy's values."""
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    along = [(n, {"n": 3, "axis": 0}) for n in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")]
    over = [
        (n, {"s": (2, 4), "axes": (1, 0)})
        for n in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
    ]
    for name, options in along + over:
        got, want = (getattr(m, name)(a, norm="forward", **options) for m, a in ((numpy_fft, Tensor(x)), (np.fft, x)))
        np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-4, atol=1e-5, err_msg=name)
    for name in ("fftshift", "ifftshift"):
        np.testing.assert_array_equal(
            getattr(numpy_fft, name)(Tensor(x), axes=1).asnumpy(), getattr(np.fft, name)(x, axes=1)
        )
    assert all(getattr(numpy_fft, name).__doc__ for name in numpy_fft.__all__)


def test_single_steps():
    """The functions are the steps of the Cells, with biases and without."""
    x, h = floats(2, 3), floats(2, 4)
    for has_bias in (True, False):
        gru, lstm = nn.GRUCell(3, 4, has_bias), nn.LSTMCell(3, 4, has_bias)
        weights = [(c.weight_ih, c.weight_hh, c.bias_ih, c.bias_hh) for c in (gru, lstm)]
        np.testing.assert_array_equal(rnn_cells._gru_cell(x, h, *weights[0]).asnumpy(), gru(x, h).asnumpy())
        for got, want in zip(rnn_cells._lstm_cell(x, (h, h), *weights[1]), lstm(x, (h, h)), strict=True):
            np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())
    tanh, relu = nn.RNNCell(3, 4), nn.RNNCell(3, 4, nonlinearity="relu")
    for step, cell in ((rnn_cells._rnn_tanh_cell, tanh), (rnn_cells._rnn_relu_cell, relu)):
        got = step(x, h, cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
        np.testing.assert_array_equal(got.asnumpy(), cell(x, h).asnumpy())


def test_projections():
    """One weight of three thirds does what three weights do."""
    x, w, b = floats(5, 2, 4), floats(12, 4), floats(12)
    packed = nn_func._in_projection_packed(x, x, x, w, b, True, True)
    plain = nn_func._in_projection(x, x, x, *w.chunk(3), *b.chunk(3))
    for got, want in zip(packed, plain, strict=True):
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)
    with pytest.raises(ValueError, match=r"the weight of the key must be \(4, 4\), got \(3, 4\)"):
        nn_func._in_projection(x, x, x, w[:4], w[:3], w[:4])
    with pytest.raises(ValueError, match=r"the bias of the query must be \(4,\), got \(3,\)"):
        nn_func._in_projection(x, x, x, w[:4], w[:4], w[:4], b[:3])


def test_shapes_of_attention():
    """Shapes that do not fit are told."""
    assert nn_func._check_qkv_shape(3, 3, 3) and not nn_func._check_qkv_shape(2, 2, 2)
    with pytest.raises(ValueError, match="must all have 2 or all 3 axes, got 4, 4 and 4"):
        nn_func._check_qkv_shape(4, 4, 4)
    with pytest.raises(ValueError, match="must all have 2 or all 3 axes, got 3, 2 and 3"):
        nn_func._check_qkv_shape(3, 2, 3)
    nn_func._check_kpm_shape(3, 2)
    with pytest.raises(ValueError, match="key_padding_mask must have 1 axes for a query of 2, got 2"):
        nn_func._check_kpm_shape(2, 2)
    nn_func._check_attn_mask_shape(2, (5, 4), (6, 4), 3, (2, 5, 6), 2)
    with pytest.raises(ValueError, match="attn_mask must have 2 or 3 axes, got 1"):
        nn_func._check_attn_mask_shape(3, (5, 2, 4), (6, 2, 4), 1, (5,), 2)
    with pytest.raises(ValueError, match=r"attn_mask must be \(2, 5, 6\), got \(2, 5, 5\)"):
        nn_func._check_attn_mask_shape(2, (5, 4), (6, 4), 3, (2, 5, 5), 2)


def test_small_functions():
    """Padding of booleans, dropout, log-softmax, sizes of a scaled image, and numbers of an interval."""
    flags = nn_func._inner_pad(Tensor([True]), (1, 1), False)
    assert flags.dtype == ms.bool_ and flags.asnumpy().tolist() == [False, True, False]
    x = floats(2, 3, 4, 4)
    assert nn_func._inner_dropout(x, 0.5, False) is x and (nn_func._inner_dropout(x, 0.5, True) == 0).any()
    np.testing.assert_allclose(
        nn_func._innner_log_softmax(x, 1).asnumpy(), ops.log_softmax(x, 1).asnumpy(), rtol=1e-5, atol=1e-6
    )
    assert nn_func._interploate_ext_make_tuple(x, 2) == (2, 2)
    assert nn_func._interpolate_ext_scale_factor_convert_size(x, (1.6, 0.5)) == (6, 2)
    drawn = _init_random_uniform(1.0, 3.0, (50,))
    assert drawn.shape == (50,) and 1 <= drawn.min() < drawn.max() < 3


def test_missing_parameters_load_below_a_prefix():
    """A checkpoint of a network that was a part of another loads by the ends of its names."""
    net = nn.Dense(2, 2)
    missing = [p.name for p in net.get_parameters()]
    entries = {f"net.{p.name}": ms.Parameter(ops.ones(p.shape)) for p in net.get_parameters()}
    _load_dismatch_prefix_params(net, entries, missing)
    assert missing == [] and (net.weight == 1).all()


def test_mixed_precision_by_list():
    """What is on the list computes in float32, and its result goes on in half precision."""
    net = amp._auto_black_list(nn.SequentialCell(nn.Dense(3, 3), nn.LayerNorm((3,))), [nn.LayerNorm], ms.float16)
    assert net(floats(2, 3)).dtype == ms.float16
    level = AmpLevel.AmpO3
    strategy = create_amp_strategy(level, ms.float16, [("MatMul", [])], [])
    assert (strategy.get_amp_level(), strategy.get_amp_dtype()) == (level, ms.float16)
    assert (strategy.get_white_list(), strategy.get_black_list()) == ([("MatMul", [])], [])


def test_numbers_of_tensors():
    """A Tensor of one element gives its number; what has more gives None, as in MindSpore."""
    to_scalar = TensorToScalar()
    assert (to_scalar(Tensor(3)), to_scalar(Tensor([2.5])), to_scalar(Tensor([1, 2]))) == (3, 2.5, None)


def test_parts_of_a_batch():
    """Each input is cut along its first axis; a number goes whole."""
    first, second, whole = _MicroBatch(2)(1, ops.arange(8).reshape(4, 2), ops.arange(4), 7)
    assert (first.tolist(), second.tolist(), whole) == ([[4, 5], [6, 7]], [2, 3], 7)
    with pytest.raises(ValueError, match="_MicroBatch: the first axis of every input must divide into 3 equal parts"):
        _MicroBatch(3)(1, ops.arange(4))


def test_blocks_of_a_cache():
    """Blocks go where the mapping says, either way."""
    host, device = ops.arange(6).reshape(3, 2), ops.zeros((3, 2), ms.int64)
    swap_cache(host, device, Tensor([[0, 2], [1, 0]]), False)
    assert device.tolist() == [[2, 3], [0, 0], [0, 1]]
    swap_cache(host, device, Tensor([[1, 2]]), True)
    assert host.tolist() == [[0, 1], [2, 3], [0, 0]]


def test_files_of_a_training(tmp_path):
    """The manager finds the files of its training, and keeps the first of some minutes."""
    set_cur_net(nn.Dense(1, 1))
    for number, name in enumerate(("net-1_5.ckpt", "net-2_5.ckpt", "net-3_5.ckpt", "net-best.ckpt", "other-1_5.ckpt")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (number, number))
    manager = CheckpointManager()
    manager.update_ckpoint_filelist(str(tmp_path), "net")
    assert manager.ckpoint_num == 3
    manager.remove_oldest_ckpoint_file()
    assert sorted(manager.ckpoint_filelist) == [str(tmp_path / f"net-{i}_5.ckpt") for i in (2, 3)]
    manager.keep_one_ckpoint_per_minutes(1, 10.0)
    assert manager.ckpoint_filelist == [str(tmp_path / "net-2_5.ckpt")] and not (tmp_path / "net-3_5.ckpt").exists()
    with pytest.raises(FileNotFoundError):
        manager.remove_ckpoint_file(str(tmp_path / "net-9_5.ckpt"))


def test_what_is_not_counted():
    """What MindSpore counts on Ascend raises, as it does on MindSpore's CPU."""
    with pytest.raises(ValueError, match="the parallel option 'dump_device_local_norm' is not on"):
        get_squared_device_local_norm_param()
    with pytest.raises(RuntimeError, match="flops_collection: no graph 'train' was counted"):
        flops_collection()


def test_layers_hold_their_operator():
    """Programs cut the operator of a layer over devices, or mark it; it does what the layer does."""
    x = floats(2, 3)
    for layer, name in ((nn.Softmax(0), "softmax"), (nn.LogSoftmax(0), "log_softmax")):
        operator = getattr(layer, name).shard(((1, 1),))
        np.testing.assert_array_equal(operator(x).asnumpy(), layer(x).asnumpy())
    dropped, mask = ops.auto_generate.DropoutExt()(floats(2, 3), p=0.0, seed=Tensor(1), offset=Tensor(0))
    np.testing.assert_array_equal(dropped.asnumpy(), x.asnumpy())
    dropped, mask = nn.Dropout(p=0.5).dropout(ops.ones((4, 5)))
    assert dropped.shape == (4, 5) and set(dropped.asnumpy().ravel().tolist()) <= {0.0, 2.0} and mask is not None


def test_cost_of_a_search():
    """The option is kept."""
    assert get_cost_model_context("rp_matmul_mem_coef") == 0.1
    _set_rp_matmul_mem_coef(0.2)
    assert get_cost_model_context("rp_matmul_mem_coef") == 0.2
    _set_rp_matmul_mem_coef(16)
    assert get_cost_model_context("rp_matmul_mem_coef") == 16.0
    _set_rp_matmul_mem_coef(0.1)


def test_decorators():
    """A function is marked; a warning is shown once for each key."""

    @_function_forbid_reuse
    def draw():
        return 1

    assert draw.__function_forbid_reuse__ and draw() == 1
    with pytest.raises(TypeError, match="func must be a function"):
        _function_forbid_reuse(3)  # type: ignore[arg-type]
    shown = []

    class Logger:
        warning = staticmethod(shown.append)

    warn = _LogActionOnce(Logger, "key of this test")(lambda: Logger.warning("text"))
    warn(), warn()
    assert shown == ["text"]


def test_what_has_no_kernel():
    """It is made with MindSpore's arguments; called, it raises as MindSpore's CPU does."""
    assert gen_ops_prim.GroupedMatmul(split_item=3).attrs == {"split_item": 3}
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        gen_ops_prim.GroupedMatmul(other=3)
    with pytest.raises(RuntimeError, match="Primitive 'Scatter' has no kernel here"):
        gen_ops_prim.Scatter()(floats(2))
    with pytest.raises(ValueError, match="Layers of several experts are not offered, got expert_num=1"):
        MoE()


def test_map_parameter():
    """A table of rows by key is made and shown as in MindSpore, whose CPU cannot use it."""
    made = MapParameter(value_shape=3, default_value="zeros", name="table")
    assert (made.name, made.shape, made.key_dtype, made.value_shape) == ("table", (3,), ms.int32, (3,))
    assert str(made) == (
        "MapParameter(MapTensor(key_dtype=Int32, value_dtype=Float32, value_shape=[3], default_value=zeros, "
        "permit_filter=1, evict_filter=9223372036854775807))"
    )
    for use in (made.get, made.put, made.get_data, lambda: made[Tensor([1])]):
        with pytest.raises(RuntimeError, match="MapParameter 'table': a table of rows by key has no kernel here"):
            use()
    with pytest.raises(ValueError, match="key_dtype must be that of the Tensor, Int32, got Int64"):
        MapParameter(key_dtype=ms.int64, key_tensor=Tensor([1], ms.int32), value_tensor=floats(1, 2))
    assert MapTensorGet(True).attrs == {"insert_default_value": True}


def test_generated_primitives():
    """They are the functions of their operators."""
    x = floats(2, 3, 4)
    made = ops.auto_generate
    assert made.BatchMatMulExt()(x, x.swapaxes(1, 2)).shape == made.MatMulExt()(x, x[0].T).shape[:2] + (3,)
    np.testing.assert_allclose(made.MeanExt()(x, 0, True).asnumpy(), x.asnumpy().mean(0, keepdims=True), rtol=1e-6)
    assert made.Outer()(x[0, 0], x[0, 1]).shape == (4, 4) and made.StackExt(1)([x, x]).shape == (2, 2, 3, 4)
    np.testing.assert_array_equal(made.IndexSelect()(x, 1, Tensor([2, 0])).asnumpy(), x.asnumpy()[:, [2, 0]])


def test_queue():
    """Groups leave a queue in the order in which they came."""
    shapes = ((2,), ())
    queue = rl_inner_ops.TensorsQueueCreate(ms.float32, shapes, 2, "q")()
    put, get = rl_inner_ops.TensorsQueuePut(ms.float32, shapes), rl_inner_ops.TensorsQueueGet(ms.float32, shapes)
    pop, size = rl_inner_ops.TensorsQueueGet(ms.float32, shapes, True), rl_inner_ops.TensorsQueueSize()
    for number in (1.0, 2.0):
        put(queue, (Tensor([number, number]), Tensor(number)))
    with pytest.raises(RuntimeError, match="TensorsQueuePut: the queue is full, it has room for 2"):
        put(queue, (Tensor([3.0, 3.0]), Tensor(3.0)))
    with pytest.raises(ValueError, match=r"elements must have shapes \[\(2,\), \(\)\]"):
        put(queue, (Tensor([3.0]), Tensor(3.0)))
    assert size(queue) == 2 and get(queue)[1] == 1 and pop(queue)[1] == 1 and pop(queue)[1] == 2
    with pytest.raises(RuntimeError, match="TensorsQueueGet: the queue is empty"):
        get(queue)
    rl_inner_ops.TensorsQueueClear()(queue)
    rl_inner_ops.TensorsQueueClose()(queue)
    with pytest.raises(RuntimeError, match="TensorsQueueSize: nothing has the number"):
        size(queue)


def test_array():
    """An array grows to the place that is written."""
    array = tensor_array.TensorArray(ms.float32, (2,))()
    tensor_array.TensorArrayWrite()(array, 1, Tensor([1.0, 2.0]))
    assert tensor_array.TensorArraySize()(array) == 2
    assert tensor_array.TensorArrayRead()(array, 1).asnumpy().tolist() == [1, 2]
    assert tensor_array.TensorArrayStack()(array).asnumpy().tolist() == [[0, 0], [1, 2]]
    tensor_array.TensorArrayClear()(array)
    assert tensor_array.TensorArraySize()(array) == 0
    tensor_array.TensorArrayClose()(array)
    with pytest.raises(RuntimeError, match="nothing has the number"):
        tensor_array.TensorArraySize()(array)


def test_rows_are_drawn_by_priority():
    """The newest rows stay; weights are relative to the greatest; a row of no priority is not drawn."""
    create = rl_inner_ops.PriorityReplayBufferCreate(4, 1.0, ((2,),), (ms.float32,), 0, 42)
    buffer = int(create()[0])
    push = rl_inner_ops.PriorityReplayBufferPush(buffer)
    for number in range(6):
        push((Tensor([number, number], ms.float32),))
    sample = rl_inner_ops.PriorityReplayBufferSample(buffer, 32, ((2,),), (ms.float32,))
    places, weights, rows = sample(1.0)
    assert set(rows.asnumpy()[:, 0]) == {2, 3, 4, 5} and (weights == 1).all()
    np.testing.assert_array_equal(rows.asnumpy()[:, 0], np.array([4, 5, 2, 3])[places.asnumpy()])
    rl_inner_ops.PriorityReplayBufferUpdate(buffer)(Tensor([0, 1]), Tensor([1e-9, 0.5]))
    places, weights, _ = sample(Tensor(0.5))
    assert 0 not in places.asnumpy() and weights.shape == (32,) and (weights <= 1).all()
    rl_inner_ops.PriorityReplayBufferDestroy(buffer)()
    with pytest.raises(RuntimeError, match="PriorityReplayBufferSample: nothing has the number"):
        sample(1.0)


def test_rows_of_a_reservoir():
    """As many rows as there is room are kept, of all that came."""
    buffer = int(rl_inner_ops.ReservoirReplayBufferCreate(3, ((1,),), (ms.float32,), 1, 2)()[0])
    push = rl_inner_ops.ReservoirReplayBufferPush(buffer)
    for number in range(20):
        push((Tensor([number], ms.float32),))
    (rows,) = rl_inner_ops.ReservoirReplayBufferSample(buffer, 40, ((1,),), (ms.float32,))()
    assert rows.shape == (40, 1) and len(set(rows.asnumpy().ravel())) == 3
    rl_inner_ops.ReservoirReplayBufferDestroy(buffer)()


def test_parameters_are_written_at_once():
    """Each becomes what stands at its place."""
    target, source = nn.Dense(2, 2), nn.Dense(2, 2)
    rl_inner_ops.BatchAssign()(target.trainable_params(), source.trainable_params())
    np.testing.assert_array_equal(target.weight.asnumpy(), source.weight.asnumpy())


@pytest.mark.parametrize("path", ["common.parameter", "common.sparse_tensor", "common.tensor", "nn.cell"])
def test_dtypes_are_reached_by_the_modules_that_use_them(path):
    """As in `from mindspore.common.tensor import mstype`."""
    assert importlib.import_module(f"sporax.{path}").mstype.float32 is ms.float32
