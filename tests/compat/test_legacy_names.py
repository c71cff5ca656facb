"""Names of MindSpore's private paths, and small public ones, that programs use."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax.common._stub_tensor import StubTensor
from sporax.common.api import _cell_graph_executor, cells_compile_cache
from sporax.common.dtype import number_type
from sporax.common.initializer import _INITIALIZER_ALIAS, Initializer, _register, initializer
from sporax.common.seed import _get_graph_seed
from sporax.log import _get_logger
from sporax.nn.layer.normalization import _BatchNorm
from sporax.nn.wrap.cell_wrapper import _VirtualDatasetCell
from sporax.ops import auto_generate
from sporax.ops._primitive_cache import _get_cache_prim
from sporax.ops.operations.nn_ops import FlashAttentionScore
from sporax.parallel import Layout, shard
from sporax.train._utils import check_value_type


def test_operators_made_once() -> None:
    make = _get_cache_prim(ops.ReduceSum)
    assert make(True) is _get_cache_prim(ops.ReduceSum)(True) and make(True) is not make(False)
    assert make(True)(Tensor([[1.0, 2.0]]), 1).shape == (1, 1)
    with pytest.raises(TypeError, match="expected a class of operators, got 3"):
        _get_cache_prim(3)


def test_generated_operators() -> None:
    x = np.arange(8, dtype=np.float32)
    parts = auto_generate.SplitWithSize()(Tensor(x), (3, 5), 0)
    assert [p.asnumpy().tolist() for p in parts] == [x[:3].tolist(), x[3:].tolist()]
    values, places = auto_generate.TopkExt()(Tensor(x), 2)
    assert values.asnumpy().tolist() == [7, 6] and places.dtype == ms.int64 and places.asnumpy().tolist() == [7, 6]
    assert auto_generate.SliceExt()(Tensor(x), 0, 1, -1, 2).asnumpy().tolist() == x[1:-1:2].tolist()
    assert auto_generate.AddExt()(Tensor(x), Tensor(x), 2).asnumpy().tolist() == (3 * x).tolist()
    assert auto_generate.SubExt()(Tensor(x), Tensor(x), 2).asnumpy().tolist() == (-x).tolist()
    assert auto_generate.SumExt()(Tensor(x)).item() == 28
    np.testing.assert_allclose(auto_generate.SiLU()(Tensor(x)).asnumpy(), x / (1 + np.exp(-x)), rtol=1e-6)
    q, k, v = (Tensor(np.random.default_rng(i).random((1, 3, 4), np.float32)) for i in range(3))
    empty, _, _, out = FlashAttentionScore(2, scale_value=0.5)(q, k, v)
    assert empty.size == 0
    np.testing.assert_array_equal(out.asnumpy(), ops.flash_attention_score(q, k, v, 2, scalar_value=0.5).asnumpy())


def test_small_names() -> None:
    assert StubTensor is Tensor and cells_compile_cache == {} and _get_logger().name == "sporax"
    assert ms.float32 in number_type and ms.bool_ not in number_type
    assert issubclass(nn.BatchNorm2d, _BatchNorm) and check_value_type("n", 1, int) == 1
    net = nn.Dense(2, 1)
    assert _cell_graph_executor.compile(net, Tensor([[1.0, 2.0]]), phase="export") == ("export", True)
    x = Tensor([[1.0, 2.0]])
    assert _VirtualDatasetCell(net)(x).item() == net(x).item()


def test_registered_initializer() -> None:
    @_register("threes")
    class Three(Initializer):
        def _initialize(self, arr: np.ndarray) -> None:
            arr[:] = 3

    try:
        assert _INITIALIZER_ALIAS["threes"] is _INITIALIZER_ALIAS["three"] is Three
        assert initializer("threes", (2,)).init_data().asnumpy().tolist() == [3, 3]
    finally:
        del _INITIALIZER_ALIAS["threes"], _INITIALIZER_ALIAS["three"]


def test_seeds_of_operators() -> None:
    """The first seeds are those of MindSpore 2.7.0."""
    ms.set_seed(3)
    first, second = _get_graph_seed(5, "legacy"), _get_graph_seed(5, "legacy")
    assert first == (3, 5) and second[0] == 3 and second[1] not in (0, 5)
    assert _get_graph_seed(0, "legacy") == (3, 0)


def test_types_and_constants() -> None:
    assert (ms.bool, ms.int, ms.float) == (ms.bool_, ms.int32, ms.float32)

    @ms.constexpr
    def twice(n: int) -> int:
        return 2 * n

    assert twice(3) == 6
    assert ms.get_level() == ms.get_log_config()["GLOG_v"]


def test_run_check(capsys: pytest.CaptureFixture) -> None:
    ms.run_check()
    assert "calculation is correct, sporax computes on platform [" in capsys.readouterr().out


def test_symbol() -> None:
    symbol = ms.Symbol(max=9, min=3, divisor=2, remainder=1)
    assert repr(symbol) == "Symbol(max=9, min=3, divisor=2, remainder=1, unique=False)"
    assert Tensor(shape=[symbol, 3], dtype=ms.float32).shape == (0, 3)
    for options, kind, match in (
        ({"divisor": 0}, ValueError, "min and divisor must be > 0, got 1 and 0"),
        ({"max": "a"}, TypeError, "max must be an int, got 'a'"),
        ({"unique": 1}, TypeError, "unique must be a bool, got 1"),
        ({"remainder": 1}, ValueError, r"remainder must be in \[0, 1\), got 1"),
        ({"max": 2, "min": 3}, ValueError, "max must be greater than min, 3, got 2"),
    ):
        with pytest.raises(kind, match=match):
            ms.Symbol(**options)


def test_layout() -> None:
    """The dict is that of MindSpore 2.7.0."""
    layout = Layout((2, 2, 2), ("dp", "sp", "mp"))
    assert layout(("dp", "sp"), "None").to_dict() == {
        "device_matrix": (2, 2, 2),
        "tensor_map": ((2, 1), -1),
        "interleaved_parallel": False,
        "alias_name": ("dp", "sp", "mp"),
        "rank_list": [0, 1, 2, 3, 4, 5, 6, 7],
    }
    assert layout("dp", "mp").to_dict()["tensor_map"] == (2, 0)
    for call, kind, match in (
        (lambda: Layout(3, ("a",)), TypeError, "device_matrix must be a tuple of int, got 3"),
        (lambda: Layout((2,), ("a", "b")), ValueError, "must have one length"),
        (lambda: Layout((2, 2), ("a", "a")), ValueError, "names must differ"),
        (lambda: Layout((0,), ("a",)), ValueError, r"must be > 0, got \(0,\)"),
        (lambda: Layout((2,), ("a",), [0]), ValueError, r"list of 2 different numbers, got \[0\]"),
        (lambda: layout("xx"), ValueError, "the axis 'xx' is not among"),
        (lambda: layout("dp", "dp"), ValueError, "the axis 'dp' cuts more than one axis"),
        (lambda: layout.to_dict(), ValueError, "call the layout with the names of axes first"),
    ):
        with pytest.raises(kind, match=match):
            call()


def test_shard() -> None:
    net = nn.Dense(2, 1)
    x = ms.Tensor([[1.0, 2.0]])
    assert shard(net, ((1, 1),), parameter_plan={"weight": (1, 1)})(x).item() == net(x).item()
    for call, match in (
        (lambda: shard(3, ()), "fn must be a function or a Cell, got 3"),
        (lambda: shard(net, [(1,)]), r"^shard: in_strategy must be a tuple of tuples, or of Layouts, got \[\(1,\)\]"),
        (
            lambda: shard(net, (), parameter_plan=3),
            "shard: parameter_plan must be a dict of tuples or Layouts by name, got 3",
        ),
    ):
        with pytest.raises(TypeError, match=match):
            call()
