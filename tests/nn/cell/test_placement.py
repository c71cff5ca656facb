"""`Cell.to` and `Cell.to_empty`. The results and the classes of errors are those of MindSpore 2.10.0 on a CPU."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn


class Mixed(nn.Cell):
    """Parameters and buffers of floats and integers, and a layer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", Tensor([1, 2]))
        self.register_buffer("mean", Tensor([1.0, 2.0]))
        self.register_buffer("none", None)
        self.steps = Parameter(Tensor([1, 2]), name="steps")
        self.dense = nn.Dense(2, 1)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((ms.float16,), {}),
        ((ms.float16, True), {}),
        ((), {"dtype": ms.float16}),
        (("CPU", ms.float16), {}),
        ((None, ms.float16), {"non_blocking": True}),
        ((Tensor([1.0], ms.float16),), {}),
        ((), {"other": Tensor([1.0], ms.float16)}),
    ],
)
def test_floats_are_converted(args, kwargs):
    net = Mixed()
    weight = net.dense.weight
    assert net.to(*args, **kwargs) is net and net.dense.weight is weight
    assert weight.dtype == net.mean.dtype == ms.float16 and weight.name == "dense.weight"
    assert net.count.dtype == net.steps.dtype == ms.int64
    assert net.mean.asnumpy().tolist() == [1.0, 2.0]


def test_a_device_alone_changes_nothing():
    net = Mixed()
    for args in ((), (None,), ("CPU",), ("GPU",), ("Ascend",)):
        assert net.to(*args).dense.weight.dtype == ms.float32


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_network_trains_on_in_another_dtype(mode):
    ms.set_context(mode=mode)
    net = nn.Dense(2, 1, weight_init="ones")
    optimizer = nn.Momentum(net.trainable_params(), 0.5, 0.0)
    step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    for dtype in (ms.float32, ms.float16):
        net.to(dtype)
        value, grads = step(Tensor([[1.0, 2.0]], dtype))
        assert value.dtype == dtype and grads[0].dtype == dtype
        optimizer(grads)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert np.allclose(net.weight.asnumpy(), [[0.0, -1.0]])


def test_complex_parameters_give_a_warning():
    with pytest.warns(UserWarning, match="few layers compute with complex Parameters"):
        assert nn.Dense(2, 1).to(ms.complex64).weight.dtype == ms.complex64


def test_new_memory():
    net = Mixed()
    weight = net.dense.weight
    assert net.to_empty(device="CPU", recurse=False) is net
    assert net.mean.asnumpy().tolist() == [0.0, 0.0] and net.steps.asnumpy().tolist() == [0, 0]
    assert weight.asnumpy().any()
    net.to_empty()
    assert net.dense.weight is weight and weight.shape == (1, 2) and not weight.asnumpy().any()


def test_parameters_without_values():
    with nn.no_init_parameters():
        net = nn.Dense(2, 1, weight_init="ones")
        empty = nn.Dense(2, 1, weight_init="ones")
    assert net.to(ms.float16).weight.asnumpy().tolist() == [[1.0, 1.0]]
    assert empty.to_empty().weight.asnumpy().tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((3,), {}),
        ((float,), {}),
        (("CPU", ms.float16, True, 4), {}),
        ((ms.float16,), {"dtype": ms.float16}),
        ((ms.float16,), {"non_blocking": "x"}),
        ((Tensor([1.0]), ms.float32), {}),
        ((), {"tensor": Tensor([1.0])}),
    ],
)
def test_wrong_calls(args, kwargs):
    with pytest.raises(TypeError, match=r"Cell\.to is called as to\(device=None, dtype=None, non_blocking=False\)"):
        nn.Dense(2, 1).to(*args, **kwargs)


def test_what_is_refused():
    net = nn.Dense(2, 1)
    for dtype in (ms.int32, ms.bool_, Tensor([1])):
        with pytest.raises(TypeError, match=r"Cell\.to only accepts floating point or complex dtypes"):
            net.to(dtype)
    for name in ("to", "to_empty"):
        with pytest.raises(ValueError, match=rf"Cell\.{name}: device must be one of .* or npu, got 'foo'"):
            getattr(net, name)(device="foo")
        assert getattr(net, name)(device="cpu") is net
    with pytest.raises(RuntimeError, match=r"Cell\.to must be called outside of a graph"):
        ms.jit(lambda x: net.to(ms.float16)(x))(Tensor([[1.0, 2.0]]))


def test_the_phase_of_compilation_is_that_of_all_cells():
    net = nn.SequentialCell(nn.Dense(2, 1))
    assert net.compile_phase is None
    net.compile_phase = "one"
    assert net.compile_phase == net[0].compile_phase == "one"
    with pytest.raises(TypeError, match=r"SequentialCell\.compile_phase must be a string, got 3"):
        net.compile_phase = 3
