"""export, load and GraphCell: a graph with its Parameters in one file, run where its source is not known."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported_networks import Net, Recurrent, X, flat, noise

import sporax as ms
from sporax import Parameter, Tensor, nn


def exported(net: object, folder: Path, *inputs: Tensor) -> ms.nn.GraphCell:
    ms.export(net, *inputs, file_name=str(folder / "net"), file_format="MINDIR")
    return nn.GraphCell(ms.load(str(folder / "net.mindir")))


@pytest.mark.parametrize("name", ["MINDIR", "STABLEHLO"])
def test_in_another_process(name: str, tmp_path: Path) -> None:
    """For a batch of another size than any that was seen."""
    net = Net()
    ms.export(net, _open(None, 1, 4, 4), file_name=str(tmp_path / "net"), file_format=name)
    np.save(tmp_path / "x.npy", X.asnumpy())
    code = (
        "import sys, numpy as np, sporax as ms\n"
        "folder = sys.argv[1]\n"
        "net = ms.nn.GraphCell(ms.load(folder + '/net.mindir'))\n"
        "np.save(folder + '/y.npy', net(ms.Tensor(np.load(folder + '/x.npy')))[0].asnumpy())\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=120)
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), net(X)[0].asnumpy(), rtol=1e-6)


def test_same_results_and_parameters(tmp_path: Path, mode: int) -> None:
    net = Net()
    loaded = exported(net, tmp_path, X)
    (want, nested), (got, again) = net(X), loaded(X)
    np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6)
    assert again["features"][1] == nested["features"][1] == 3 and isinstance(again["features"], list)
    assert sorted(p.name for p in loaded.get_parameters()) == sorted(p.name for p in net.get_parameters())
    assert sorted(p.name for p in loaded.trainable_params()) == sorted(p.name for p in net.trainable_params())


def test_a_training_graph_trains(tmp_path: Path) -> None:
    """It keeps its randomness and its running statistics, and has a gradient."""
    net = Net().set_train()
    loaded = exported(net, tmp_path, X)
    first, second = loaded(X)[1]["features"][0].asnumpy(), [loaded(X)[1]["features"][0].asnumpy() for _ in range(9)]
    assert any(not np.array_equal(first, other) for other in second)
    assert np.any(loaded.parameters_dict()["bn.moving_mean"].asnumpy() != 0)
    simple = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    again = exported(simple, tmp_path, x)
    grads = ms.grad(lambda x: again(x).sum(), None, again.trainable_params())(x)
    assert [g.asnumpy().tolist() for g in grads] == [[[4.0, 6.0]], [2.0]]


def test_functions_and_other_values(tmp_path: Path) -> None:
    scale = Parameter(Tensor([2.0]), name="scale")
    loaded = exported(lambda x, n: (x * scale + n, None, "text"), tmp_path, Tensor([1.0]), 3)
    out = loaded(Tensor([5.0]))
    assert out[0].item() == 13.0 and out[1:] == (None, "text")


def test_parameters_can_be_replaced(tmp_path: Path) -> None:
    net, x = nn.Dense(2, 1, weight_init="ones", bias_init="zeros"), Tensor([[1.0, 2.0]])
    exported(net, tmp_path, x)
    graph = ms.load_mindir(str(tmp_path / "net.mindir"))
    assert nn.GraphCell(graph, {"weight": Tensor([[2.0, 2.0]])})(x).item() == 6.0
    assert nn.GraphCell(graph)(x).item() == 3.0
    graph.parameters["bias"].set_data(Tensor([1.0]))
    ms.save_mindir(graph, str(tmp_path / "other"))
    assert nn.GraphCell(ms.load(str(tmp_path / "other.mindir")))(x).item() == 4.0


def test_wrong_inputs(tmp_path: Path) -> None:
    loaded = exported(nn.Dense(2, 1), tmp_path, Tensor([[1.0, 2.0]]))
    with pytest.raises(ValueError, match=r"was exported for \(x: float32\[1, 2\]\), got \(float32\[2, 2\]\)"):
        loaded(Tensor([[1.0, 2.0], [3.0, 4.0]]))
    with pytest.raises(ValueError, match=r"got \(\)"):
        loaded()
    graph = ms.load(str(tmp_path / "net.mindir"))
    with pytest.raises(KeyError, match="the graph has no Parameter 'w'; it has weight, bias"):
        nn.GraphCell(graph, {"w": Tensor([1.0])})
    with pytest.raises(TypeError, match="params_init must be a dict, got 3"):
        nn.GraphCell(graph, 3)
    with pytest.raises(TypeError, match="params_init must hold Tensors by name, got 'weight': 3"):
        nn.GraphCell(graph, {"weight": 3})
    with pytest.raises(TypeError, match="graph must be what load returned, got 3"):
        nn.GraphCell(3)


BAD = [
    ({"file_format": "TF"}, ValueError, "file_format must be one of MINDIR, STABLEHLO, ONNX, got 'TF'"),
    ({"file_format": "AIR"}, ValueError, "for Ascend's compiler"),
    ({"file_name": ""}, TypeError, "file_name must be a string that is not empty, got ''"),
    ({"enc_key": b"0"}, ValueError, "encryption is not offered"),
    ({"colour": 1}, TypeError, "unknown argument 'colour'"),
]


@pytest.mark.parametrize(("options", "kind", "match"), BAD)
def test_bad_options(options: dict, kind: type, match: str, tmp_path: Path) -> None:
    with pytest.raises(kind, match=match):
        ms.export(nn.ReLU(), X, **{"file_name": str(tmp_path / "n"), "file_format": "MINDIR", **options})


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    name = str(tmp_path / "n")
    with pytest.raises(TypeError, match="net must be a Cell or a function, got 3"):
        ms.export(3, X, file_name=name, file_format="MINDIR")
    with pytest.raises(RuntimeError, match="cannot be compiled as one graph"):
        ms.export(lambda x: Tensor(float(x.asnumpy().sum())), X, file_name=name, file_format="MINDIR")
    with pytest.raises(TypeError, match="a result must be Tensors, numbers and strings"):
        ms.export(lambda x: (x, object), X, file_name=name, file_format="MINDIR")
    with pytest.raises(TypeError, match="model must be what load_mindir returned, got 3"):
        ms.save_mindir(3, name)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "other.mindir").write_bytes(b"something else")
    for name, kind, match in (
        (3, ValueError, "file_name must be a string, got 3"),
        (str(tmp_path / "net.ckpt"), ValueError, "file_name must end in '.mindir'"),
        (str(tmp_path / "net.mindir"), ValueError, "does not exist"),
        (str(tmp_path / "other.mindir"), ValueError, r"other.mindir \(14 bytes\) is no graph that sporax.export wrote"),
    ):
        with pytest.raises(kind, match=match):
            ms.load(name)
    with pytest.raises(ValueError, match="load without dec_key"):
        ms.load(str(tmp_path / "other.mindir"), dec_key=b"0")


# --- open sizes ---------------------------------------------------------------------------------------------------------


class Images(nn.Cell):
    """Asks for the size of the batch."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn, self.dense = nn.Conv2dTranspose(3, 4, 3, stride=2), nn.BatchNorm2d(4), nn.Dense(1024, 2)

    def construct(self, x: Tensor) -> Tensor:
        return self.dense(ms.ops.relu(self.bn(self.conv(x))).reshape(x.shape[0], -1)) + ms.ops.ones((x.shape[0], 2))


class Both(nn.Cell):
    def construct(self, x: Tensor, y: Tensor) -> tuple:
        return x + y, (x * 2).sum(0)


def _open(*shape: Any, dtype: Any = ms.float32) -> Tensor:
    return Tensor(shape=shape, dtype=dtype)


OPEN = {
    "Dense": (lambda: nn.Dense(4, 3), [_open(None, 4)]),
    "Images": (Images, [_open(None, 3, 8, 8)]),
    "LSTM": (lambda: Recurrent(nn.LSTM, 2), [_open(6, None, 4)]),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 3, stride=2), [_open(None, 2, 5, 4, 4)]),
    "Both": (Both, [_open(None, 4), _open(None, 4)]),
}


def _inputs(of: list[Tensor], size: int) -> list[Tensor]:
    return [noise(*(size if s is None else s for s in t._open_shape or ())) for t in of]


@pytest.mark.parametrize("kind", OPEN)
def test_sizes_may_be_open(kind: str, tmp_path: Path) -> None:
    make, given = OPEN[kind]
    net = make().set_train(False)
    loaded = exported(net, tmp_path, *given)
    for size in (1, 3):
        inputs = _inputs(given, size)
        for got, want in zip(flat(loaded(*inputs)), flat(net(*inputs)), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", OPEN)
def test_onnx_runtime_takes_open_sizes(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("jax2onnx")
    runtime = pytest.importorskip("onnxruntime")
    make, given = OPEN[kind]
    net = make().set_train(False)
    ms.export(net, *given, file_name=str(tmp_path / "net"), file_format="ONNX")
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"))
    for size in (1, 3):
        inputs = _inputs(given, size)
        outs = session.run(None, {i.name: x.asnumpy() for i, x in zip(session.get_inputs(), inputs, strict=True)})
        for got, want in zip(outs, flat(net(*inputs)), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_a_graph_of_an_open_size_trains(tmp_path: Path) -> None:
    loaded = exported(nn.Dense(2, 1, weight_init="ones", bias_init="zeros"), tmp_path, _open(None, 2))
    for x, want in (([[1.0, 2.0], [3.0, 4.0]], [[4.0, 6.0]]), ([[1.0, 2.0]], [[1.0, 2.0]])):
        grads = ms.grad(lambda x: loaded(x).sum(), None, loaded.trainable_params())(Tensor(x))
        assert grads[0].asnumpy().tolist() == want


def test_names_of_open_sizes(tmp_path: Path) -> None:
    """The batch is one for all inputs, as is what one Symbol stands for; other axes have sizes of their own."""
    length = ms.Symbol(max=8)
    net = lambda x, y, z: (x.sum(), y.sum(), z.sum())
    given = [_open(None, length), _open(length, None), _open(None, None, 3)]
    loaded = exported(net, tmp_path, *given)
    assert [shape for *_, shape in loaded.graph_of_file.inputs] == [
        ["batch", "size1"],
        ["size1", "size2"],
        ["batch", "size3", 3],
    ]
    assert loaded(noise(2, 4), noise(4, 5), noise(2, 1, 3))[0].shape == ()
    for shapes in (((2, 4), (3, 5), (2, 1, 3)), ((2, 4), (4, 5), (1, 1, 3)), ((2, 4), (4, 5), (2, 1, 2))):
        with pytest.raises(
            ValueError, match=r"was exported for \(.*: float32\[batch, size1\], .*, got \(float32\[2, 4\]"
        ):
            loaded(*[noise(*shape) for shape in shapes])
    for size in (0, 2**20 + 1):
        with pytest.raises(ValueError, match=rf"float32\[size1, size2\], .*, got .*float32\[4, {size}\]"):
            loaded(noise(2, 4), noise(4, size), noise(2, 1, 3))


def test_what_needs_a_size_says_so(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="needs sizes that its inputs leave open; give Tensors of one size: "):
        exported(lambda x: [x[i] for i in range(x.shape[0])], tmp_path, _open(None, 2))
