"""THOR: the formula beside one of NumPy's own, networks and their Parameters beside MindSpore's, what the layers gather."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optimizer_tables import optimizers_of
from thor_cases import GOLDEN, RATE, SCOPE

import sporax as ms
from sporax import Tensor, nn, ops
from sporax import dataset as ds
from sporax._src.transform import capture
from sporax.common.initializer import Normal
from sporax.train import ConvertModelUtils, Model

TestRows = optimizers_of("sporax._src.optim.thor")


BATCH, STEPS = 4, 5
RATES = np.linspace(0.05, 0.03, STEPS).astype(np.float32)
DAMPINGS = np.linspace(0.3, 0.1, STEPS).astype(np.float32)
Moments = tuple[str, np.ndarray, np.ndarray, int, int]  # kind, A, G, and the normalizers of a convolution


def inverse_of_blocks(x: np.ndarray, damping: float) -> np.ndarray:
    """Return the inverse of the blocks of 128 rows on the diagonal of x + damping · I, zeros beside them."""
    out = np.zeros_like(x)
    for start in range(0, len(x), 128):
        block = slice(start, start + 128)
        out[block, block] = np.linalg.inv(x[block, block] + damping * np.eye(len(x[block])))
    return out


class Reference:
    """THOR for a network whose `step(weights, x, y)` returns the gradients and, by weight, what its layer gathers."""

    def __init__(
        self, step: Callable[..., Any], weights: dict[str, np.ndarray], frequency: int, **settings: Any
    ) -> None:
        self.step, self.frequency, self.settings = step, frequency, settings
        self.weights = {name: w.astype(np.float64) for name, w in weights.items()}
        self.velocity = {name: np.zeros_like(w) for name, w in self.weights.items()}
        self.inverses: dict[str, Any] = {}
        self.count = 0

    def train(self, x: np.ndarray, y: np.ndarray) -> None:
        """Take one step."""
        grads, gathered = self.step(self.weights, x, y)
        damping, rate = float(DAMPINGS[self.count]), float(RATES[self.count])
        if self.count % self.frequency == 0:
            self.inverses = {name: self.invert(damping, *moments) for name, moments in gathered.items()}
        for name, w in self.weights.items():
            self.move(name, w, self.towards(name, grads[name], damping), rate)
        self.count += 1

    def invert(self, damping: float, kind: str, a: np.ndarray, g: np.ndarray, n: int = 1, m: int = 1) -> Any:
        """Return what takes the place of A and G."""
        g = g * BATCH**2
        if kind == "rows":
            return 1 / (a / BATCH + damping**0.5), np.linalg.inv(g + damping**0.5 * np.eye(len(g)))
        return inverse_of_blocks(a, (damping / n) ** 0.5) / n, inverse_of_blocks(g, (damping / m) ** 0.5)

    def towards(self, name: str, grad: np.ndarray, damping: float) -> np.ndarray:
        """Return the direction of a weight."""
        if name.startswith("norm"):
            return grad / (grad**2 / BATCH + damping**0.5)
        if name not in self.inverses:
            return grad
        a, g = self.inverses[name]
        if a.ndim == 1:
            return a[:, None] * grad @ g
        return (g @ grad.reshape(len(grad), -1) @ a).reshape(grad.shape)

    def move(self, name: str, w: np.ndarray, d: np.ndarray, rate: float) -> None:
        """Move a weight along a direction."""
        if "bias" not in name:
            d = d + self.settings.get("weight_decay", 0.0) * w
        if self.settings.get("enable_clip_grad"):
            d = d / max(1.0, float(np.sqrt((d**2).sum())))
        v = self.velocity[name] = 0.9 * self.velocity[name] + d
        self.weights[name] = w - rate * (d + 0.9 * v if self.settings.get("use_nesterov") else v)


def dense(x: np.ndarray, d: np.ndarray) -> Moments:
    """Return what a Dense layer gathers of its inputs and the gradient of its product."""
    return "matrix", x.T @ x / x.shape[1], d.T @ d / len(d), 1, 1


def head(w: dict[str, np.ndarray], name: str, x: np.ndarray, y: np.ndarray) -> Any:
    """Return the gradients of the last layer under the mean of squares, what it gathers, and the gradient of its input."""
    d = 2 * (x @ w[f"{name}.weight"].T + w[f"{name}.bias"] - y) / y.size
    return (
        {f"{name}.weight": d.T @ x, f"{name}.bias": d.sum(0)},
        {f"{name}.weight": dense(x, d)},
        d @ w[f"{name}.weight"],
    )


def mlp_step(w: dict[str, np.ndarray], x: np.ndarray, y: np.ndarray) -> Any:
    """Differentiate Dense, ReLU, Dense."""
    h = np.maximum(x @ w["0.weight"].T + w["0.bias"], 0)
    grads, gathered, dh = head(w, "2", h, y)
    dh = dh * (h > 0)
    return grads | {"0.weight": dh.T @ x, "0.bias": dh.sum(0)}, gathered | {"0.weight": dense(x, dh)}


def patches(x: np.ndarray, k: int, stride: int) -> np.ndarray:
    """Return the patches (N, C·k·k, places) that a kernel meets with `"same"` padding."""
    n, sizes = len(x), x.shape[2:]
    outs = [-(-size // stride) for size in sizes]
    pads = [max((o - 1) * stride + k - size, 0) for o, size in zip(outs, sizes, strict=True)]
    x = np.pad(x, ((0, 0), (0, 0), *((p // 2, p - p // 2) for p in pads)))
    found = [
        x[:, :, i * stride : i * stride + k, j * stride : j * stride + k].reshape(n, -1)
        for i in range(outs[0])
        for j in range(outs[1])
    ]
    return np.stack(found, 2)


def convolution_step(w: dict[str, np.ndarray], x: np.ndarray, y: np.ndarray) -> Any:
    """Differentiate Conv2d(2, 3, 3, 2), ReLU, Flatten, Dense."""
    p, kernel = patches(x, 3, 2), w["0.weight"].reshape(3, -1)
    z = np.maximum(np.einsum("ok,nkp->nop", kernel, p), 0)
    grads, gathered, dz = head(w, "3", z.reshape(len(z), -1), y)
    dz = dz.reshape(z.shape) * (z > 0)
    a, g, places = p.mean(0), dz.mean(0), p.shape[2]
    grads["0.weight"] = np.einsum("nop,nkp->ok", dz, p).reshape(w["0.weight"].shape)
    return grads, gathered | {"0.weight": ("matrix", a @ a.T / places, g @ g.T / places, places, places)}


def embedding_step(w: dict[str, np.ndarray], ids: np.ndarray, y: np.ndarray) -> Any:
    """Differentiate Embedding, mean, LayerNorm, Dense."""
    table = w["table.embedding_table"]
    mean = table[ids].mean(1)
    centred = mean - mean.mean(1, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-7)
    xhat = centred * scale
    grads, gathered, d = head(w, "head", xhat * w["norm.gamma"] + w["norm.beta"], y)
    grads |= {"norm.gamma": (d * xhat).sum(0), "norm.beta": d.sum(0)}
    d = d * w["norm.gamma"]
    d = scale * (d - d.mean(1, keepdims=True) - xhat * (d * xhat).mean(1, keepdims=True))
    rows = np.repeat(d[:, None] / ids.shape[1], ids.shape[1], 1).reshape(-1, table.shape[1])
    grads["table.embedding_table"] = np.zeros_like(table)
    np.add.at(grads["table.embedding_table"], ids.reshape(-1), rows)
    counts = np.bincount(ids.reshape(-1), minlength=len(table)).astype(np.float64)
    return grads, gathered | {"table.embedding_table": ("rows", counts, rows.T @ rows / len(rows))}


class Looked(nn.Cell):
    """A part of BERT: rows of a table, LayerNorm, a head."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(7, 5, embedding_table=Normal(1.0))
        self.norm = nn.LayerNorm((5,), epsilon=1e-7)
        self.head = nn.Dense(5, 2)

    def construct(self, ids: Tensor) -> Tensor:
        return self.head(self.norm(self.table(ids).mean(1)))


def mlp(inputs: int = 3, hidden: int = 4) -> nn.Cell:
    """Return a network of two layers."""
    return nn.SequentialCell(nn.Dense(inputs, hidden), nn.ReLU(), nn.Dense(hidden, 2))


def images() -> nn.Cell:
    """Return a small network of a convolution."""
    return nn.SequentialCell(nn.Conv2d(2, 3, 3, 2), nn.ReLU(), nn.Flatten(), nn.Dense(27, 2))


RNG = np.random.default_rng(0)
Y = RNG.normal(size=(STEPS * BATCH, 2)).astype(np.float32)
NETWORKS: dict[str, tuple[Callable[[], Any], Any, np.ndarray]] = {
    "dense": (mlp, mlp_step, RNG.normal(size=(len(Y), 3)).astype(np.float32)),
    "blocks": (lambda: mlp(130, 129), mlp_step, RNG.normal(size=(len(Y), 130)).astype(np.float32)),
    "convolution": (images, convolution_step, RNG.normal(size=(len(Y), 2, 5, 6)).astype(np.float32)),
    "embedding": (Looked, embedding_step, RNG.integers(0, 7, (len(Y), 3)).astype(np.int32)),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "decay": {"weight_decay": 0.1, "use_nesterov": True},
    "clip": {"weight_decay": 0.1, "enable_clip_grad": True},
}


def trained(name: str, frequency: int, scale: float = 1.0, **settings: Any) -> tuple[nn.Cell, Any]:
    """Return a network after five steps of a Model, and the reference after them."""
    ms.set_seed(1)
    make, step, x = NETWORKS[name]
    net = make()
    opt = nn.thor(
        net, Tensor(RATES), Tensor(DAMPINGS), 0.9, loss_scale=scale, batch_size=BATCH, frequency=frequency,
        decay_filter=lambda p: "bias" not in p.name, **settings,
    )  # fmt: skip
    reference = Reference(step, {p.name: p.asnumpy() for p in net.trainable_params()}, frequency, **settings)
    loss, manager = nn.MSELoss(), ms.FixedLossScaleManager(scale, False)
    model = Model(net, loss, opt, loss_scale_manager=manager)
    model = ConvertModelUtils().convert_to_thor_model(model, net, loss, opt, loss_scale_manager=manager)
    model.train(1, ds.NumpySlicesDataset((x, Y), shuffle=False).batch(BATCH), dataset_sink_mode=False)
    for i in range(0, len(Y), BATCH):
        reference.train(x[i : i + BATCH].astype(x.dtype if x.dtype == np.int32 else np.float64), Y[i : i + BATCH])
    return net, reference


def assert_like(net: nn.Cell, reference: Reference) -> None:
    for param in net.trainable_params():
        want = reference.weights[param.name]
        np.testing.assert_allclose(param.asnumpy(), want, atol=2e-5 * np.abs(want).max(), rtol=0, err_msg=param.name)


@pytest.mark.parametrize("frequency", [2, 3])
@pytest.mark.parametrize("name", NETWORKS)
def test_steps(name: str, frequency: int, mode: int) -> None:
    assert_like(*trained(name, frequency))


@pytest.mark.parametrize("settings", SETTINGS)
def test_settings(settings: str) -> None:
    assert_like(*trained("dense", 2, 64.0, **SETTINGS[settings]))


def test_a_step_that_overflows_is_none(mode: int) -> None:
    ms.set_seed(1)
    net, x = mlp(), NETWORKS["dense"][2]
    opt = nn.thor(net, Tensor(RATES), Tensor(DAMPINGS), 0.9, batch_size=BATCH, frequency=2)
    reference = Reference(mlp_step, {p.name: p.asnumpy() for p in net.trainable_params()}, 2)
    scale = ms.FixedLossScaleManager(1.0).get_update_cell()
    step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), opt, scale)
    assert step(Tensor(np.full((BATCH, 3), np.inf, np.float32)), Tensor(Y[:BATCH]))[1].item()
    assert_like(net, reference)
    step(Tensor(x[:BATCH]), Tensor(Y[:BATCH]))
    reference.train(x[:BATCH].astype(np.float64), Y[:BATCH])
    assert_like(net, reference)


def test_without_a_model_every_step_inverts(mode: int) -> None:
    ms.set_seed(1)
    net, x = mlp(), NETWORKS["dense"][2]
    opt = nn.thor(net, Tensor(RATES), Tensor(DAMPINGS), 0.9, batch_size=BATCH, frequency=3)
    reference = Reference(mlp_step, {p.name: p.asnumpy() for p in net.trainable_params()}, 1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), opt)
    for i in range(0, 3 * BATCH, BATCH):
        step(Tensor(x[i : i + BATCH]), Tensor(Y[i : i + BATCH]))
        reference.train(x[i : i + BATCH].astype(np.float64), Y[i : i + BATCH])
    assert_like(net, reference)


def test_a_users_gradient(mode: int) -> None:
    """Programs write steps of their own: `value_and_grad` of a function, and the optimizer."""
    ms.set_seed(1)
    net, x = mlp(), NETWORKS["dense"][2]
    opt = nn.thor(net, Tensor(RATES), Tensor(DAMPINGS), 0.9, batch_size=BATCH, frequency=2)
    reference = Reference(mlp_step, {p.name: p.asnumpy() for p in net.trainable_params()}, 1)
    grad = ms.value_and_grad(lambda x, y: ((net(x) - y) ** 2).mean(), None, opt.parameters)
    for i in range(0, 2 * BATCH, BATCH):
        opt(grad(Tensor(x[i : i + BATCH]), Tensor(Y[i : i + BATCH]))[1])
        reference.train(x[i : i + BATCH].astype(np.float64), Y[i : i + BATCH])
    assert_like(net, reference)


def test_two_graphs_serve_all_steps(mode: int) -> None:
    net, x = mlp(), NETWORKS["dense"][2]
    opt = nn.thor(net, Tensor(np.full(30, 0.01, np.float32)), Tensor(np.full(30, 0.1, np.float32)), 0.9, frequency=3)
    model = ConvertModelUtils.convert_to_thor_model(None, net, nn.MSELoss(), opt, metrics={"loss"})
    rows = ds.NumpySlicesDataset((x, Y), shuffle=False).batch(BATCH)
    model.train(1, rows)
    before, count = model.eval(rows)["loss"], capture.compilations
    model.train(5, rows, initial_epoch=1)
    assert capture.compilations == count
    assert model.eval(rows)["loss"] < before and opt.cov_step.asnumpy() == 25 and opt.get_frequency() == 3


def test_a_model_of_a_training_step(mode: int) -> None:
    """BERT's program: the Model is made of a step that has its optimizer."""
    ms.set_seed(1)
    make, step, x = NETWORKS["embedding"]
    net = nn.WithLossCell(make(), nn.MSELoss())
    opt = nn.thor(net, Tensor(RATES), Tensor(DAMPINGS), 0.9, batch_size=BATCH, frequency=2, enable_clip_grad=True)
    weights = {p.name.removeprefix("_backbone."): p.asnumpy() for p in net.trainable_params()}
    reference = Reference(step, weights, 2, enable_clip_grad=True)
    cell = nn.TrainOneStepCell(net, opt)
    model = ConvertModelUtils().convert_to_thor_model(Model(cell), network=cell, optimizer=opt)
    model.train(1, ds.NumpySlicesDataset((x, Y), shuffle=False).batch(BATCH), dataset_sink_mode=True)
    for i in range(0, len(Y), BATCH):
        reference.train(x[i : i + BATCH], Y[i : i + BATCH])
    for param in net.trainable_params():
        want = reference.weights[param.name.removeprefix("_backbone.")]
        np.testing.assert_allclose(param.asnumpy(), want, atol=2e-5 * np.abs(want).max(), rtol=0, err_msg=param.name)


def test_mixed_precision_trains() -> None:
    ms.set_seed(1)
    net, x = images(), NETWORKS["convolution"][2]
    opt = nn.thor(net, Tensor(RATES), Tensor(DAMPINGS), 0.9, loss_scale=128.0, batch_size=BATCH, frequency=2)
    given: dict[str, Any] = {"loss_scale_manager": ms.FixedLossScaleManager(128, False), "keep_batchnorm_fp32": False}
    model = ConvertModelUtils().convert_to_thor_model(None, net, nn.MSELoss(), opt, None, "O2", **given)
    model.train(1, ds.NumpySlicesDataset((x, Y), shuffle=False).batch(BATCH))
    exact, _ = trained("convolution", 2)
    for a, b in zip(net.trainable_params(), exact.trainable_params(), strict=True):
        assert a.dtype == ms.float32
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), atol=2e-3)  # half precision: 11 bits


def test_state_is_saved_and_loaded(tmp_path: Path) -> None:
    net, reference = trained("dense", 3)
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    fresh = mlp()
    nn.thor(fresh, Tensor(RATES), Tensor(DAMPINGS), 0.9)
    assert ms.load_param_into_net(fresh, ms.load_checkpoint(str(tmp_path / "net.ckpt"))) == ([], [])
    assert_like(fresh, reference)


@pytest.mark.parametrize("text", GOLDEN["calls"])
def test_calls(text: str) -> None:
    scope = {**SCOPE, "net": nn.SequentialCell(nn.Dense(4, 3), nn.Dense(3, 2)), "rate": RATE}
    try:
        value = eval(text, scope)
    except (TypeError, ValueError) as error:
        found = type(error).__name__
    else:
        found = value if isinstance(value, str) else type(value).__name__
    assert found == GOLDEN["calls"][text]


ERRORS = [
    ("nn.thor(net, 0.1, RATE, 0.9)", TypeError, "'learning_rate' must be Tensor, got 0.1"),
    ("nn.thor(net, RATE, 0.1, 0.9)", TypeError, "'damping' must be Tensor, got 0.1"),
    ("nn.thor(net, RATE, Tensor(0.1), 0.9)", ValueError, "'damping' must have one axis, a value for each step, got"),
    ("nn.thor(net, RATE, RATE, 1)", TypeError, "'momentum' must be float, got 1"),
    ("nn.thor(net, RATE, RATE, -0.5)", ValueError, "'momentum' must be at least 0.0, got -0.5"),
    ("nn.thor(net, RATE, RATE, 0.9, frequency=2.0)", TypeError, "'frequency' must be int, got 2.0"),
    ("nn.thor(net, RATE, RATE, 0.9, frequency=1)", ValueError, "'frequency' must be at least 2, got 1"),
    ("nn.thor(net, RATE, RATE, 0.9, use_nesterov=1)", TypeError, "'use_nesterov' must be bool, got 1"),
    ("nn.thor(net, RATE, RATE, 0.9, nn.ExponentialDecayLR(0.1, 0.9, 2))", TypeError, "'weight_decay' must be a number"),
    ("nn.thor(5, RATE, RATE, 0.9)", TypeError, "convert_to_thor_net: net must be a Cell, got 5"),
]


@pytest.mark.parametrize(("text", "kind", "message"), ERRORS)
def test_errors(text: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        eval(text, {**SCOPE, "net": mlp(), "RATE": RATE})
    assert message in str(caught.value)


@pytest.mark.of_cpus("other devices do not look at indices")
@pytest.mark.parametrize("name", ["learning rates", "dampings"])
def test_lists_that_end(name: str) -> None:
    net = mlp()
    short = {name: Tensor([0.1])}
    opt = nn.thor(net, short.get("learning rates", RATE), short.get("dampings", RATE), 0.9)
    grads = tuple(ops.zeros_like(p) for p in opt.parameters)
    opt(grads)
    with pytest.raises(IndexError, match=f"the step in (the|a) list of {name} should be in the range"):
        opt(grads)


def test_import_paths() -> None:
    """What programs import at their top."""
    for path, names in {
        "nn.layer.thor_layer": "Conv2dThor DenseThor EmbeddingLookupThor EmbeddingThor",
        "nn.optim": "thor",
        "nn.optim.thor": "ThorGpu thor",
        "train.train_thor": "ConvertModelUtils ConvertNetUtils",
        "train.train_thor.convert_utils": "ConvertModelUtils ConvertNetUtils",
        "train.train_thor.model_thor": "ModelThor",
    }.items():
        module = importlib.import_module(f"sporax.{path}")
        assert set(names.split()) <= set(vars(module))
    assert importlib.import_module("sporax.nn.optim").thor is nn.thor
