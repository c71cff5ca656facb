"""Mixed precision."""

import numpy as np
import pytest
from scaled_steps import scaled_step
from training import GOLDEN, losses, model, rows

import sporax as ms
from sporax import Model, Tensor, amp, nn, ops
from sporax._src.engine.table import TABLE
from sporax.train.amp import _OutputTo16, _OutputTo32


class Tail(nn.Cell):
    """Notes the dtype it receives."""

    def construct(self, x: Tensor) -> Tensor:
        self.seen = x.dtype
        return x * 2


class Network(nn.Cell):
    """Convolution, norm, a Cell of no list, dense layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)
        self.tail = Tail()
        self.head = nn.Dense(2 * 16, 3)

    def construct(self, x: Tensor) -> Tensor:
        return self.head(self.tail(self.norm(self.conv(x))).reshape((x.shape[0], -1)))


X = np.random.default_rng(0).random((2, 1, 4, 4), np.float32)


def dtypes(net: nn.Cell) -> dict[str, str]:
    """Run a network and return the dtype that each Cell's result has."""
    seen: dict[str, str] = {}
    inner = {name: cell for name, cell in net.cells_and_names() if name}
    handles = [
        cell.register_forward_hook(lambda c, i, out, name=name: seen.__setitem__(name, str(out.dtype)))
        for name, cell in inner.items()
    ]
    seen[""] = str(net(Tensor(X)).dtype)
    for handle in handles:
        handle.remove()
    return seen


@pytest.mark.parametrize("half", [ms.float16, ms.bfloat16])
def test_levels(half: object) -> None:
    """O1: the white list alone; O2: all but norms; O3: all; auto: by operator, the output too. Parameters are float32."""
    wide, narrow = "Float32", str(half)
    want = {
        "O0": {"conv": wide, "norm": wide, "tail": wide, "head": wide},
        "O1": {"conv": wide, "norm": wide, "tail": wide, "head": wide},
        "auto": {"conv": narrow, "norm": wide, "tail": wide, "head": narrow},
        "O2": {"conv": narrow, "norm": wide, "tail": narrow, "head": narrow},
        "O3": {"conv": narrow, "norm": narrow, "tail": narrow, "head": narrow},
    }
    exact = None
    for level, expected in want.items():
        ms.set_seed(1)
        net = Network()
        plain = net(Tensor(X)).asnumpy()
        cast = amp.auto_mixed_precision(net, level, half)
        assert dtypes(cast) == {**expected, "": narrow if level == "auto" else wide}, level
        assert {str(p.dtype) for p in net.get_parameters()} == {wide}
        difference = np.abs(cast(Tensor(X)).asnumpy() - plain).max()
        assert (difference == 0) == (level == "O0"), level
        assert difference < 0.03
        exact = exact if level != "O1" else difference
    assert exact is not None


def test_levels_in_graph_mode() -> None:
    """A cast network gives the same results compiled."""
    for level in ("O1", "O2", "O3", "auto"):
        results = []
        for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
            ms.set_context(mode=mode)
            ms.set_seed(1)
            results.append(amp.auto_mixed_precision(Network(), level)(Tensor(X)).asnumpy())
        ms.set_context(mode=ms.PYNATIVE_MODE)
        np.testing.assert_allclose(results[1], results[0], atol=2e-3)


def test_auto_by_operator() -> None:
    """Products narrow, exponentials widen, and the rest computes in what it is given; outside nothing changes."""
    x = Tensor(np.ones((2, 2), np.float32))

    def inner(x: Tensor) -> tuple[Tensor, ...]:
        y = x @ x
        return y, ops.relu(y), y + x, ops.exp(y), ops.softmax(y), nn.LayerNorm((2,))(y)

    narrowed = amp.auto_mixed_precision(inner, "auto", ms.bfloat16)

    def outer(x: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
        return narrowed(x), x @ x

    wanted = [ms.bfloat16, ms.bfloat16, ms.float32, ms.float32, ms.float32, ms.float32]
    for run in (outer, ms.jit(outer, fullgraph=True)):
        inside, outside = run(x)
        assert [t.dtype for t in inside] == wanted
        assert outside.dtype == ms.float32
    assert inner(x)[0].dtype == ms.float32


def test_auto_in_gradients() -> None:
    """Gradients have the dtype of what they are gradients by, and a compiled function inside follows."""
    product = ms.jit(lambda x, w: x @ w, fullgraph=True)
    x, w = Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((3, 2), np.float32))
    assert product(x, w).dtype == ms.float32
    step = amp.auto_mixed_precision(lambda x, w: ops.exp(product(x, w) * 0.1).sum(), "auto")
    assert amp.auto_mixed_precision(product, "auto")(x, w).dtype == ms.float16
    for run in (ms.grad(step, (0, 1)), ms.jit(ms.grad(step, (0, 1)), fullgraph=True)):
        by_x, by_w = run(x, w)
        assert by_x.dtype == by_w.dtype == ms.float32
        np.testing.assert_allclose(by_x.asnumpy(), np.full((2, 3), 0.2 * np.exp(0.3)), rtol=2e-3)


def test_auto_joins_in_the_widest_dtype() -> None:
    """Floats of several dtypes join in one that holds them all; an integer among them is an error as ever."""
    join = amp.auto_mixed_precision(lambda *xs: ops.cat(xs), "auto")
    half, whole = Tensor([1, 2], ms.float16), Tensor([1, 2], ms.int32)
    for dtype, joined in ((ms.float16, ms.float16), (ms.bfloat16, ms.float32), (ms.float64, ms.float64)):
        out = join(half, half, Tensor([3, 4], dtype))
        assert out.dtype == joined and out.asnumpy().tolist() == [1, 2, 1, 2, 3, 4]
    assert join(whole, whole).dtype == ms.int32
    with pytest.raises(TypeError, match="tensors must have one dtype, got Float16, Int32"):
        join(half, whole)


def test_auto_refuses() -> None:
    """Functions have the level "auto" alone; what is neither Cell nor function has none."""
    for network, level in ((print, "O2"), (1, "auto")):
        with pytest.raises(TypeError, match="auto_mixed_precision: network must be a Cell, got "):
            amp.auto_mixed_precision(network, level)
    with pytest.raises(ValueError, match="auto_mixed_precision: dtype must be float16 or bfloat16, got mindspore"):
        amp.auto_mixed_precision(print, "auto", ms.int32)


def test_auto_asks_the_rows() -> None:
    """Rows say what level "auto" has them compute in: products in half precision, exponentials and losses in float32."""
    rows = {id(row): row for row in TABLE.values() if row.fn is not None}.values()
    said = {kind: {row.name for row in rows if row.traits.amp == kind} for kind in ("half", "float32", "widest")}
    assert said["half"] >= {"matmul", "bmm", "dense", "conv2d", "prelu", "addmm"}
    assert said["float32"] >= {"exp", "log", "tensor_pow", "softmax", "layer_norm", "sum", "mse_loss", "cross_entropy"}
    assert said["widest"] == {"cat", "hstack", "vstack", "dstack", "column_stack", "grid_sample"}
    assert {row.name for row in rows if "conv" in row.name} == {row.name for row in rows if row.traits.convolves}
    assert amp.auto_mixed_precision(lambda x: ops.pow(x, 3.0), "auto")(Tensor(X, ms.float16)).dtype == ms.float32
    assert amp.auto_mixed_precision(nn.Conv2dTranspose(1, 1, 1), "auto")(Tensor(X)).dtype == ms.float16


def test_the_users_word_is_last() -> None:
    """O1 leaves a Cell alone whose precision the user has set."""
    net = Network()
    net.head.to_float(ms.float32)
    before = amp.auto_mixed_precision(net, "O1")
    assert before.head.get_flags()["fp32"]
    assert not before.head.get_flags()["fp16"]


def test_custom_lists() -> None:
    white = amp.custom_mixed_precision(Network(), white_list=[nn.Conv2d], dtype=ms.bfloat16)
    assert white.conv.get_flags()["bf16"] and "bf16" not in white.head.get_flags()
    black = amp.custom_mixed_precision(Network(), black_list=[*amp.get_black_list(), nn.Dense])
    assert dtypes(black) == {"conv": "Float16", "norm": "Float32", "tail": "Float16", "head": "Float32", "": "Float32"}


def test_lists_are_copies() -> None:
    assert nn.Dense in amp.get_white_list() and nn.BatchNorm2d in amp.get_black_list()
    amp.get_white_list().clear()
    assert amp.get_white_list()


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
def test_training_in_half_precision(mode: int, level: str) -> None:
    """Losses stay near those of float32, and are float32 themselves."""
    built = model(amp_level=level, loss_scale_manager=None)
    np.testing.assert_allclose(losses(built), GOLDEN["losses"]["plain"], atol=5e-3)
    assert built.train_network(*next(iter(rows().create_tuple_iterator()))).dtype == ms.float32


def test_o2_scales_the_loss() -> None:
    """Without a manager of its own, level O2 has a dynamic loss scale; with None it has none."""
    net = nn.Dense(3, 1)
    opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    made = amp.build_train_network(net, opt, nn.MSELoss(), "O2")
    assert isinstance(made, nn.TrainOneStepWithLossScaleCell) and made.training
    assert made.scale_sense.item() == 2**24
    plain = amp.build_train_network(nn.Dense(3, 1), opt, nn.MSELoss(), "O2", loss_scale_manager=None)
    assert type(plain) is nn.TrainOneStepCell


def test_options_of_the_train_network() -> None:
    """`keep_batchnorm_fp32` and `cast_model_type` overrule the level."""

    def norm(level: str, **options: object) -> dict[str, bool]:
        net = Network()
        opt = nn.SGD(net.trainable_params())
        amp.build_train_network(net, opt, nn.MSELoss(), level, loss_scale_manager=None, **options)
        return {name for name, cell in net.cells_and_names() if cell.get_flags().get("fp16")} & {"norm", "conv"}

    assert norm("O2") == {"conv"}
    assert norm("O2", keep_batchnorm_fp32=False) == {"conv", "norm"}
    assert norm("O0", cast_model_type=ms.float16) == {"conv", "norm"}
    assert norm("O0", cast_model_type=ms.float16, keep_batchnorm_fp32=True) == {"conv"}
    assert norm("O3", cast_model_type=ms.float32) == set()


NET = nn.Dense(3, 1)
OPT = nn.Momentum(NET.trainable_params(), 0.1, 0.9)
ERRORS = {
    "FixedLossScaleManager(0.5)": (lambda: ms.FixedLossScaleManager(0.5), "loss_scale must be >= 1, got 0.5"),
    "DynamicLossScaleManager(0.5)": (lambda: ms.DynamicLossScaleManager(0.5), "init_loss_scale must be >= 1, got 0.5"),
    "DynamicLossScaleManager(scale_window=0)": (lambda: ms.DynamicLossScaleManager(scale_window=0), "must be >= 1"),
    "DynamicLossScaleManager(scale_factor=0)": (lambda: ms.DynamicLossScaleManager(scale_factor=0), "greater than 0"),
    "auto_mixed_precision(1)": (lambda: amp.auto_mixed_precision(1, "O2"), "network must be a Cell, got 1"),
    "auto_mixed_precision('O9')": (lambda: amp.auto_mixed_precision(NET, "O9"), "must be one of O0, O1.*got 'O9'"),
    "auto_mixed_precision(dtype=float32)": (
        lambda: amp.auto_mixed_precision(NET, "O2", ms.float32),
        "dtype must be float16 or bfloat16, got mindspore.float32",
    ),
    "build_train_network(nonsense=1)": (
        lambda: amp.build_train_network(NET, OPT, nonsense=1),
        "unknown option nonsense",
    ),
    "build_train_network(level='O9')": (
        lambda: amp.build_train_network(NET, OPT, level="O9"),
        "level must be one of O0",
    ),
    "StaticLossScaler(0.5)": (lambda: amp.StaticLossScaler(0.5), "scale_value must be >= 1, got 0.5"),
    "DynamicLossScaler(1, 0, 1)": (lambda: amp.DynamicLossScaler(1, 0, 1), "scale_factor must be >= 1, got 0"),
    "DynamicLossScaler('a', 2, 1)": (lambda: amp.DynamicLossScaler("a", 2, 1), "scale_value must be a number, got 'a'"),
    "custom_mixed_precision(net)": (lambda: amp.custom_mixed_precision(NET), "expected one of.*got none"),
    "custom_mixed_precision(both)": (
        lambda: amp.custom_mixed_precision(NET, white_list=[nn.Dense], black_list=[nn.Dense]),
        "expected one of.*got both",
    ),
    "custom_mixed_precision(black_list=1)": (
        lambda: amp.custom_mixed_precision(NET, black_list=1),
        "black_list must be a list, got 1",
    ),
    "custom_mixed_precision(black_list=[1])": (
        lambda: amp.custom_mixed_precision(NET, black_list=[1]),
        "black_list must hold classes of Cells, got 1",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str) -> None:
    call, text = ERRORS[name]
    with pytest.raises((TypeError, ValueError), match=text) as error:
        call()
    assert type(error.value).__name__ == GOLDEN["errors"][name].split(":")[0]


def test_errors_of_our_own() -> None:
    with pytest.raises(TypeError, match="optimizer must be an Optimizer, got 1"):
        amp.build_train_network(NET, 1)
    with pytest.raises(TypeError, match="loss_scale_manager must be a LossScaleManager or None, got 8"):
        amp.build_train_network(NET, OPT, loss_scale_manager=8)
    with pytest.raises(TypeError, match="keep_batchnorm_fp32 must be a bool, got 1"):
        amp.build_train_network(NET, OPT, keep_batchnorm_fp32=1)
    with pytest.raises(TypeError, match=r"cast_model_type must be float16 or float32, got mindspore\.int8"):
        amp.build_train_network(NET, OPT, cast_model_type=ms.int8)
    with pytest.raises(TypeError, match="scale_sense must be a Cell or a Tensor, got 8"):
        scaled_step(8)
    with pytest.raises(ValueError, match=r"scale_sense must have shape \(\) or \(1,\), got \[2\]"):
        scaled_step(Tensor([8.0, 8.0]))
    with pytest.raises(ValueError, match="DynamicLossScaleUpdateCell: scale_window must be >= 1, got 0"):
        nn.DynamicLossScaleUpdateCell(8, 2, 0)
    with pytest.raises(TypeError, match="Can't instantiate abstract class"):
        amp.LossScaler()
    assert Model(NET).train_network is NET


def test_results_cast_back() -> None:
    """`_OutputTo32` widens all half-precision results of a network, `_OutputTo16` narrows one."""

    class Pair(nn.Cell):
        def construct(self, x: Tensor) -> tuple:
            return x.astype(ms.float16), x.astype(ms.int32)

    assert [t.dtype for t in _OutputTo32(Pair())(Tensor([1.0]))] == [ms.float32, ms.int32]
    net = _OutputTo16(nn.Dense(1, 1), ms.bfloat16)
    assert net(Tensor([[1.0]])).dtype == ms.bfloat16 and [p.name for p in net.get_parameters()] == ["weight", "bias"]


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what has been warned of, and forget it."""
    texts = [record.getMessage() for record in caplog.records]
    caplog.clear()
    return texts


def test_a_precision_that_is_overridden_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """`to_float` holds under O1 and auto; O2 and O3 override it, and say so."""

    def asked() -> Network:
        net = Network()
        net.head.to_float(ms.float32)
        net.norm.to_float(ms.float32)
        net.conv.to_float(ms.float16)
        return net

    for level in ("O1", "auto"):
        amp.auto_mixed_precision(asked(), level)
        assert warnings_of(caplog) == []
    after = "though to_float asked for float32: call to_float after it, or leave it out."
    amp.auto_mixed_precision(asked(), "O2")
    assert warnings_of(caplog) == [f"head: mixed precision computes it in float16, {after}"]
    net = asked()
    Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), amp_level="O3", loss_scale_manager=None)
    assert warnings_of(caplog) == [f"{n}: mixed precision computes it in float16, {after}" for n in ("norm", "head")]
    dense = nn.Dense(2, 2).to_float(ms.float32)
    amp.custom_mixed_precision(dense, black_list=[nn.ReLU], dtype=ms.bfloat16)
    assert warnings_of(caplog) == [f"Dense: mixed precision computes it in bfloat16, {after}"]


def test_another_level_is_told(caplog: pytest.LogCaptureFixture) -> None:
    net = amp.auto_mixed_precision(nn.Dense(2, 2), "O2")
    assert amp.auto_mixed_precision(net, "O0") is net and net._amp_level == "O2"
    amp.auto_mixed_precision(net, "O2")
    assert warnings_of(caplog) == []
    amp.auto_mixed_precision(net, "O1")
    (text,) = warnings_of(caplog)
    assert text.startswith(
        "the network's auto mixed precision level is adjusted from O2 to O1; repeated calls add casts"
    )
