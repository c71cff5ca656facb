"""What MindSpore's tests of parallel training import: operators of Ascend, described operators, Cells, settings."""

import numpy as np
import pytest
import scipy.fft

import sporax as ms
from sporax import Tensor, context, nn, ops
from sporax._src.base.settings.strategy_search import get_cost_model_context, reset_cost_model_context
from sporax._src.compat.shims.common.api import _cell_graph_executor
from sporax._src.compat.shims.ops.auto_generate import gen_ops_prim
from sporax._src.compat.shims.ops.operations import inner_ops, nn_ops
from sporax._src.compat.shims.parallel.auto_parallel_context import auto_parallel_context
from sporax._src.compat.shims.parallel.cost_model_context import _set_multi_subgraphs
from sporax._src.core.symbol import UNKNOWN
from sporax.parallel.auto_parallel import AutoParallel

RANDOM = np.random.default_rng(0)


def floats(*shape):
    return Tensor(RANDOM.standard_normal(shape).astype(np.float32))


# --- operators of Ascend ------------------------------------------------------------------------------------------------


def test_to_int8_and_back():
    x = Tensor([1.26, -3.0, 400.0])
    assert inner_ops.Quant(2.0, 1.0)(x).tolist() == [4, -5, 127]
    assert inner_ops.Quant(2.0, 0.0, True, "Floor")(x).tolist() == [5, -12, 127]
    assert inner_ops.Dequant()(Tensor([3, -4], ms.int32), Tensor(0.5, ms.float16)).tolist() == [1.5, -2]
    bits = Tensor(np.array([0.5], np.float32).view(np.uint32).astype(np.uint64))
    assert inner_ops.Dequant(True, True)(Tensor([8, -4], ms.int32), bits).tolist() == [2, 0]
    with pytest.raises(ValueError, match="Quant: round_mode must be one of Round"):
        inner_ops.Quant(1.0, 0.0, False, "up")


def test_rows_in_parts_of_their_largest():
    x, smooth = floats(3, 4), floats(4)
    rows, scale = gen_ops_prim.DynamicQuantExt()(x, smooth)
    want = x.asnumpy() * smooth.asnumpy()
    np.testing.assert_allclose(scale.asnumpy(), np.abs(want).max(-1) / 127, rtol=1e-6)
    np.testing.assert_allclose(rows.asnumpy() * scale.asnumpy()[:, None], want, atol=float(scale.max()))
    assert np.abs(gen_ops_prim.DynamicQuantExt()(x)[0].asnumpy()).max() == 127


def test_product_with_a_quantized_weight():
    x, w = floats(2, 3), Tensor(RANDOM.integers(-9, 9, (3, 4)), ms.int8)
    scale, offset, bias = floats(4), floats(4), floats(4)
    want = x.asnumpy() @ ((w.asnumpy() + offset.asnumpy()) * scale.asnumpy()) + bias.asnumpy()
    got = gen_ops_prim.WeightQuantBatchMatmul()(x, w, scale, offset, bias=bias)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-5)
    other = gen_ops_prim.WeightQuantBatchMatmul(True, True)(x.T, w.T, scale, offset, bias=bias)
    np.testing.assert_allclose(other.asnumpy(), want, rtol=1e-5, atol=1e-5)
    rounded = gen_ops_prim.WeightQuantBatchMatmul()(x, w, scale, offset, Tensor(2.0), Tensor(1.0), bias)
    np.testing.assert_array_equal(rounded.asnumpy(), np.clip(np.round(2 * want + 1), -128, 127))
    with pytest.raises(ValueError, match="antiquant_group_size must be 0, got 32"):
        gen_ops_prim.WeightQuantBatchMatmul(antiquant_group_size=32)


def test_layers_of_experts():
    x, w1, w2, b1, b2 = floats(5, 3), floats(2, 3, 4), floats(2, 4, 3), floats(2, 4), floats(2, 3)
    got = gen_ops_prim.FFN("relu", 0)(x, w1, w2, Tensor([2, 3]), b1, b2).asnumpy()
    for i, rows in enumerate((slice(0, 2), slice(2, 5))):
        inner = np.maximum(x.asnumpy()[rows] @ w1.asnumpy()[i] + b1.asnumpy()[i], 0)
        np.testing.assert_allclose(got[rows], inner @ w2.asnumpy()[i] + b2.asnumpy()[i], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        gen_ops_prim.FFN("relu", 0)(x[:2], w1[0], w2[0], None, b1[0], b2[0]).asnumpy(), got[:2], rtol=1e-6
    )
    with pytest.raises(ValueError, match="FFN: activation must be one of fastgelu"):
        gen_ops_prim.FFN("sine", 0)
    with pytest.raises(ValueError, match="FFN: scales and offsets of quantization are not offered"):
        gen_ops_prim.FFN("relu", 0)(x, w1, w2, None, None, None, b1)


def test_generated_layers():
    x = floats(2, 4, 3)
    out, mean, inverse = gen_ops_prim.GroupNorm()(x, 2)
    groups = x.asnumpy().reshape(2, 2, -1)
    np.testing.assert_allclose(mean.asnumpy(), groups.mean(-1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(inverse.asnumpy(), 1 / np.sqrt(groups.var(-1) + 1e-5), rtol=1e-5)
    np.testing.assert_allclose(out.asnumpy(), ops.group_norm(x, 2).asnumpy())
    assert gen_ops_prim.Embedding()(Tensor([1, 0]), floats(3, 2)).shape == (2, 2)
    assert inner_ops.DynamicBroadcastTo()(Tensor([1.0]), Tensor([2, 3])).shape == (2, 3)


# --- operators that are only described ------------------------------------------------------------------------------------


def shape_of(fn, *args):
    return [tuple(aval.shape) for aval in ms.jit(fn).graph(*args).jaxpr.out_avals]


def test_described_operators():
    halves = [ops.zeros(shape, ms.float16) for shape in ((2, 4, 3, 16), (2, 4, 3, 16), (64, 32, 16, 16))]
    assert shape_of(inner_ops.DSDMatmul(), *halves) == [(2, 4, 8, 32, 16, 16)]
    q, local, wide = ops.zeros((8, 32, 16, 16)), ops.zeros((16, 64, 32, 32)), ops.zeros((1,))
    assert [len(shape) for shape in shape_of(inner_ops.MatmulDDS(1, 2), q, q, local, wide)] == [7, 7]
    cache = ops.zeros((2, 3))
    assert shape_of(lambda x: gen_ops_prim.KVCacheScatterUpdate()(x, Tensor([0]), x, -1), cache) == [(2, 3)]
    get = nn_ops.GetNext([ms.float32, ms.int32], [[2, 3], [2]], 2, "")
    assert shape_of(lambda: get()) == [(2, 3), (2,)]
    with pytest.raises(RuntimeError, match="Primitive 'KVCacheScatterUpdate' has no kernel here"):
        gen_ops_prim.KVCacheScatterUpdate()(cache, Tensor([0]), cache, -1)


class Total(ops.PrimitiveWithInfer):
    def __init__(self):
        super().__init__("OfThisTest")

    def __call__(self, x):
        raise NotImplementedError

    def infer_shape(self, shape):
        return [1]

    def infer_dtype(self, dtype):
        return dtype


class Differentiable(Total):
    def get_bprop(self):
        return lambda x, out, dout: (ops.ones_like(x) * dout,)


def test_described_by_a_program():
    x = ops.ones((2, 3))
    assert shape_of(ms.grad(lambda x: Differentiable()(x * 2)), x) == [(2, 3)]
    with pytest.raises(NotImplementedError):
        Total()(x)
    with pytest.raises(RuntimeError, match="Primitive 'OfThisTest' has no derivative: define get_bprop"):
        shape_of(ms.grad(lambda x: Total()(x * 2)), x)
    with pytest.raises(Exception, match="Primitive 'OfThisTest' has no kernel here"):
        ms.jit(lambda x: Total()(x))(x).asnumpy()


# --- sets and gradients -------------------------------------------------------------------------------------------------


def test_sets():
    """The numbers are those of MindSpore 2.7.0."""
    x1 = Tensor([[[3, 1, 1], [4, 5, 5]], [[9, 2, 9], [8, 8, 8]]])
    x2 = Tensor([[[1, 3, 7, 7], [5, 0, 0, 1]], [[1, 1, 1, 1], [8, 8, 8, 2]]])
    indices, values, shape = ops.DenseToDenseSetOperation("A-B")(x1, x2)
    assert (
        indices.tolist() == [[0, 1, 0], [1, 0, 0], [1, 0, 1]]
        and values.tolist() == [4, 2, 9]
        and shape.tolist() == [2, 2, 2]
    )
    assert ops.DenseToDenseSetOperation("b-a")(x1, x2)[1].tolist() == [7, 0, 1, 1, 2]
    assert ops.DenseToDenseSetOperation("intersection")(x1, x2)[1].tolist() == [1, 3, 5, 8]
    assert ops.DenseToDenseSetOperation("union")(x1, x2)[2].tolist() == [2, 2, 4]
    places = Tensor([[0, 0, 0], [0, 0, 1], [1, 0, 2], [1, 1, 1]])
    sparse = ops.DenseToSparseSetOperation("a-b")(x1, places, Tensor([5, 3, 2, 8]), Tensor([2, 2, 4]))
    assert sparse[1].tolist() == [1, 4, 5, 9]
    with pytest.raises(ValueError, match="set_operation must be one of a-b"):
        ops.DenseToDenseSetOperation("c")(x1, x2)
    with pytest.raises(ValueError, match="DenseToDenseSetOperation: x1 and x2 must agree but for the last axis"):
        ops.DenseToDenseSetOperation()(x1, x2[0])
    with pytest.raises(ValueError, match="DenseToSparseSetOperation: x1 and x2 must agree but for the last axis"):
        ops.DenseToSparseSetOperation()(x1, places, Tensor([5, 3, 2, 8]), Tensor([3, 2, 4]))


def test_gradient_of_the_incomplete_gamma_function():
    got = ops.IgammaGradA()(Tensor([2.0, 3.0]), Tensor([1.0, 4.0]))
    np.testing.assert_allclose(got.asnumpy(), [-0.27619597, -0.17824732], rtol=1e-5)  # MindSpore 2.7.0


def test_generated_classes():
    x = floats(3, 4)
    made = ops.auto_generate
    np.testing.assert_allclose(made.TraceV2()(x, 0, 0, 1).asnumpy(), np.trace(x.asnumpy()), rtol=1e-6)
    assert made.SortExt()(x, 0, True)[1].dtype == ms.int64
    np.testing.assert_array_equal(made.Index()(x, (Tensor([2, 0]),)).asnumpy(), x.asnumpy()[[2, 0]])
    solution = made.LstsqV2()(x.T, x.T)
    np.testing.assert_allclose(solution[0].asnumpy(), np.eye(3), atol=1e-5)
    assert int(solution[2]) == 3
    with pytest.raises(ValueError, match=r"ops\.LstsqV2: driver must be one of gels, gelsy, gelsd, gelss, got 'qr'"):
        made.LstsqV2()(x.T, x.T, "qr")
    lower = Tensor(np.tril(np.ones((3, 3), np.float32)))
    np.testing.assert_allclose(
        ops.matmul(lower, made.SolveTriangular()(lower, x, lower=True)).asnumpy(), x.asnumpy(), atol=1e-6
    )
    image, weight = floats(1, 2, 5, 5), floats(3, 2, 3, 3)
    np.testing.assert_allclose(
        made.Convolution()(image, weight).asnumpy(), ops.conv2d(image, weight).asnumpy(), rtol=1e-5, atol=1e-5
    )
    back = made.Convolution()(made.Convolution()(image, weight), weight, transposed=True)
    assert back.shape == (1, 2, 5, 5)


# --- settings, Cells ------------------------------------------------------------------------------------------------------


def test_options_of_the_search():
    assert get_cost_model_context("multi_subgraphs") is False
    _set_multi_subgraphs(True)
    assert get_cost_model_context("multi_subgraphs") is True
    reset_cost_model_context()
    assert get_cost_model_context("multi_subgraphs") is False
    assert auto_parallel_context().get_enable_all_reduce_fusion()
    auto_parallel_context().set_enable_all_reduce_fusion(False)
    assert not auto_parallel_context().get_enable_all_reduce_fusion()
    auto_parallel_context().reset()
    assert auto_parallel_context().get_enable_all_reduce_fusion()


def test_open_sizes_have_stand_ins():
    class Net(nn.Cell):
        def construct(self, x, y):
            assert x.shape == (UNKNOWN, 3) and y.shape == (9,)
            return x

    net = Net()
    net.set_inputs(
        Tensor(shape=[None, 3], dtype=ms.float32), Tensor(shape=[ms.Symbol(divisor=8, remainder=1)], dtype=ms.int32)
    )
    assert _cell_graph_executor.compile(net) == ("predict", True)


def test_stand_ins_fit_the_sizes_that_are_known():
    class Net(nn.Cell):
        def construct(self, x, y):
            return x + y

    y = Tensor(np.ones((64, 3), np.float32))
    assert _cell_graph_executor.compile(Net(), Tensor(shape=[ms.Symbol(divisor=8), 3], dtype=ms.float32), y)[1]
    with pytest.raises(ValueError, match="incompatible shapes"):
        _cell_graph_executor.compile(Net(), Tensor(shape=[ms.Symbol(divisor=48), 3], dtype=ms.float32), y)


def test_a_branch_on_constants_is_chosen_while_the_graph_is_built():
    class Net(nn.Cell):
        def __init__(self, p):
            super().__init__()
            self.p = Tensor(p, ms.float32)

        def construct(self, x):
            mask = None
            if self.p < 1.0:
                mask = x * 2
            return x if mask is None else mask

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = Net(0.5)
        assert net(Tensor(1.0)) == 2
        net.p = Tensor(1.0)
        assert net(Tensor(1.0)) == 1
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


# --- AutoParallel ---------------------------------------------------------------------------------------------------------


class Asks(nn.Cell):
    def construct(self, x):
        self.seen = {
            name: context.get_auto_parallel_context(name) for name in ("parallel_mode", "pipeline_stages", "full_batch")
        }
        return x


def test_settings_hold_while_the_network_runs():
    net = Asks()
    wrapped = AutoParallel(net, "sharding_propagation")
    wrapped.dataset_strategy("full_batch"), wrapped.pipeline(2), wrapped.hsdp(), wrapped.comm_fusion(None)
    wrapped.enable_gradients_mean(), wrapped.disable_gradient_fp32_sync(), wrapped.disable_loss_repeated_mean()
    wrapped.print_local_norm(), wrapped.dump_local_norm("/tmp/norms"), wrapped.enable_device_local_norm()
    wrapped.enable_fp32_communication(), wrapped.no_init_parameters_in_compile(), wrapped.transformer_opt("file.json")
    wrapped.load_param_strategy_file("a"), wrapped.save_param_strategy_file(""), wrapped.set_group_ckpt_save_file("c")
    wrapped.save_operator_strategy_file("/tmp/a.json"), wrapped.load_operator_strategy_file("/tmp/a.json")
    wrapped.disable_strategy_file_only_for_trainable_params()
    wrapped(Tensor(1.0))
    assert net.seen == {"parallel_mode": "auto_parallel", "pipeline_stages": 2, "full_batch": True}
    assert wrapped.get_pipeline_stages() == 2
    assert context.get_auto_parallel_context("parallel_mode") == "stand_alone"
    context.reset_auto_parallel_context()  # the file of operators holds for the process


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda net: AutoParallel(net, "auto"), ValueError, "parallel_mode must be one of semi_auto"),
        (lambda net: net.dataset_strategy(None), ValueError, "config must not be None"),
        (
            lambda net: net.dataset_strategy("half"),
            ValueError,
            "config must be 'full_batch' or 'data_parallel', got 'half'",
        ),
        (lambda net: net.dataset_strategy([1]), TypeError, "config must be a str or a tuple"),
        (
            lambda net: net.dataset_strategy(("x",)),
            TypeError,
            "an element of config must be a tuple of ints or a Layout",
        ),
        (lambda net: net.hsdp(0), ValueError, "shard_size must be a positive int or -1"),
        (lambda net: net.hsdp(1, -1), ValueError, "threshold must be an int >= 0"),
        (lambda net: net.hsdp(1, 1, "level9"), ValueError, "optimizer_level must be level1, level2 or level3"),
        (lambda net: net.pipeline("2"), TypeError, "stages must be int"),
        (lambda net: net.pipeline(0), ValueError, "stages must be > 0, got 0"),
        (lambda net: net.pipeline(1, scheduler="x"), ValueError, "scheduler must be one of 1f1b"),
        (lambda net: net.comm_fusion(3), TypeError, "config must be dict"),
        (lambda net: net.save_operator_strategy_file("a.json"), KeyError, "file_path must be an absolute path"),
    ],
)
def test_bad_settings(call, kind, text):
    with pytest.raises(kind, match=text):
        call(AutoParallel(Asks()))


def test_cosine_transforms():
    x = RANDOM.standard_normal((3, 4)).astype(np.float32)
    generated = ops.auto_generate
    for made, reference in (
        (generated.DCT()(Tensor(x), 2, 6), scipy.fft.dct(x, n=6, norm="ortho")),
        (generated.IDCT()(Tensor(x), 2, None, 0), scipy.fft.idct(x, axis=0, norm="ortho")),
        (generated.DCTN()(Tensor(x), 2, (2, 3), (0, 1)), scipy.fft.dctn(x, s=(2, 3), norm="ortho")),
        (generated.IDCTN()(Tensor(x + 1j * x)), scipy.fft.idctn(x, norm="ortho") * (1 + 1j)),
    ):
        np.testing.assert_allclose(made.asnumpy(), reference, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="DCT: type must be 2, got 3"):
        generated.DCT()(Tensor(x), 3)
    with pytest.raises(ValueError, match="IDCTN: norm must be 'ortho' or None"):
        generated.IDCTN()(Tensor(x), 2, None, None, "forward")


def test_transforms_of_two_axes():
    x = Tensor(RANDOM.standard_normal((2, 4, 4)).astype(np.float32))
    for name in ("FFT2", "IFFT2", "RFFT2", "IRFFT2", "HFFT2", "IHFFT2"):
        made, function = getattr(ops.auto_generate, name)(), getattr(ops, name.lower())
        np.testing.assert_array_equal(made(x, None, (0, 1)).asnumpy(), function(x, None, (0, 1)).asnumpy())
