"""onnx.export: names of inputs, outputs and axes, and Parameters as inputs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn
from sporax._src.checkpoint.formats import onnx_file


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 2, "ones", "zeros")

    def construct(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return self.dense(x) + y, x


X, Y = Tensor(np.ones((4, 3), np.float32)), Tensor(np.ones((4, 2), np.float32))
BATCH = {"x": {0: "batch"}, "y": {0: "batch"}}


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what the writer of ONNX files is given."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(
        onnx_file, "write", lambda path, fn, avals, name: found.update(path=path, fn=fn, avals=avals, name=name)
    )
    monkeypatch.setattr(
        onnx_file, "rename", lambda path, *given: found.update(zip(("in", "out", "axes", "values"), given, strict=True))
    )
    return found


def test_names(tmp_path: Path, seen: dict[str, Any]) -> None:
    net = Net().set_train()
    ms.onnx.export(net, X, Y, file_name=tmp_path / "net", input_names=["first"], output_names=["sum"])
    assert net.training and seen["path"] == tmp_path / "net.onnx"
    assert (seen["in"], seen["out"], seen["axes"], seen["values"]) == (["first", "y"], ["sum"], [{}, {}], {})
    assert [a.shape for a in seen["avals"]] == [(4, 3), (4, 2)]
    np.testing.assert_array_equal(seen["fn"](X._data, Y._data)[0], np.full((4, 2), 4))


@pytest.mark.parametrize("inside", [True, False])
def test_parameters_are_inputs(tmp_path: Path, seen: dict[str, Any], inside: bool) -> None:
    options: dict[str, Any] = {"keep_initializers_as_inputs": True} if inside else {"export_params": False}
    ms.onnx.export(Net(), X, Y, file_name=tmp_path / "net", **options)
    assert seen["in"] == ["x", "y", "dense.weight", "dense.bias"] and list(seen["values"]) == seen["in"][2:] * inside
    weight, bias = np.full((2, 3), 2, np.float32), np.ones(2, np.float32)
    np.testing.assert_array_equal(seen["fn"](X._data, Y._data, weight, bias)[0], np.full((4, 2), 8))


def test_axes_of_one_name_have_one_size(tmp_path: Path, seen: dict[str, Any]) -> None:
    ms.onnx.export(Net(), X, Y, file_name=tmp_path / "net", dynamic_axes=BATCH | {"nothing": {0: "n"}})
    assert seen["axes"] == [{0: "batch"}, {0: "batch"}] and seen["avals"][0].shape[0] == seen["avals"][1].shape[0]
    with pytest.raises(ValueError, match="incompatible shapes for broadcasting"):
        ms.onnx.export(Net(), X, Y, file_name=tmp_path / "net", dynamic_axes={"x": {0: "batch"}})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"net": abs}, "net must be a Cell, got"),
        ({"input_names": "p"}, "input_names must be a list of strings, got 'p'"),
        ({"output_names": ("p",)}, "output_names must be a list of strings"),
        ({"input_names": ["p", "p"]}, "input_names must differ from each other"),
        ({"dynamic_axes": {"x": [0]}}, "dynamic_axes must be a dict of dicts"),
        ({"dynamic_axes": {"x": {7: "n"}}}, r"float32\[4, 3\] has no axis 7"),
        ({"dynamic_axes": {"x": {0: 3}}}, "or 3 is no name"),
    ],
)
def test_errors(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"onnx.export: .*{message}"):
        ms.onnx.export(options.pop("net", Net()), X, Y, file_name=tmp_path / "net", **options)


def test_a_program_of_the_file_computes_the_same(tmp_path: Path) -> None:
    pytest.importorskip("jax2onnx")
    runtime = pytest.importorskip("onnxruntime")
    path = tmp_path / "net.onnx"
    options: dict[str, Any] = {"output_names": ["sum", "same"], "keep_initializers_as_inputs": True}
    ms.onnx.export(
        Net(),
        X,
        Y,
        file_name=path,
        input_names=["add_out_0"],
        dynamic_axes={"y": {0: "n"}, "add_out_0": {0: "n"}},
        **options,
    )
    session = runtime.InferenceSession(str(path))
    assert [(i.name, i.shape) for i in session.get_inputs()] == [("add_out_0", ["n", 3]), ("y", ["n", 2])]
    got = dict(
        zip(
            ["sum", "same"],
            session.run(["sum", "same"], {"add_out_0": np.ones((7, 3), np.float32), "y": np.ones((7, 2), np.float32)}),
            strict=True,
        )
    )
    np.testing.assert_allclose(got["sum"], np.full((7, 2), 4))
    np.testing.assert_allclose(got["same"], np.ones((7, 3)))
