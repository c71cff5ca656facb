"""ONNX files: what the package that writes the format gets, and that ONNX Runtime computes the same."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
from exported_networks import Net, Recurrent, X, flat, noise

import sporax as ms
from sporax import Tensor, nn
from sporax._src.base.jax_compat import jaxprs_in


def test_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package that writes the format gets the function of the net in inference mode, and its inputs."""
    net, seen = Net().set_train(), {}

    def to_onnx(fn, inputs, model_name, return_mode, output_path) -> None:
        seen.update(out=fn(X._data)[0], shapes=[i.shape for i in inputs], path=output_path, mode=return_mode)

    monkeypatch.setitem(sys.modules, "jax2onnx", SimpleNamespace(to_onnx=to_onnx))
    ms.export(net, X, file_name=str(tmp_path / "net"), file_format="ONNX")
    assert net.training and net.bn.training
    want = net.set_train(False)(X)[0].asnumpy()
    np.testing.assert_allclose(np.asarray(seen.pop("out")), want, rtol=1e-6)
    assert seen == {"shapes": [(2, 1, 4, 4)], "path": str(tmp_path / "net.onnx"), "mode": "file"}


def test_onnx_needs_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax2onnx", None)
    with pytest.raises(RuntimeError, match="needs the package jax2onnx"):
        ms.export(nn.ReLU(), X, file_name=str(tmp_path / "net"), file_format="ONNX")


class Turned(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return ms.ops.ravel(x.T) * 2


TO_ONNX = {
    "LSTM": (lambda: Recurrent(nn.LSTM, 2), (6, 2, 4)),
    "GRU": (lambda: Recurrent(nn.GRU, 1), (6, 2, 4)),
    "Conv1dTranspose": (lambda: nn.Conv1dTranspose(4, 6, 3, stride=2, group=2), (2, 4, 8)),
    "Conv2dTranspose": (
        lambda: nn.Conv2dTranspose(3, 4, 3, stride=2, pad_mode="pad", padding=1, output_padding=1),
        (2, 3, 8, 8),
    ),
    "Conv3d": (
        lambda: nn.Conv3d(4, 6, (3, 2, 3), stride=2, pad_mode="pad", padding=1, dilation=2, group=2, has_bias=True),
        (2, 4, 8, 7, 9),
    ),
    "Conv3dTranspose": (lambda: nn.Conv3dTranspose(2, 4, 3, stride=2), (2, 2, 3, 4, 5)),
    "a reshape in another order": (Turned, (3, 4)),
}


def _params(jaxpr: Any) -> list[tuple[str, dict[str, Any]]]:
    inner = [_params(graph) for eqn in jaxpr.eqns for _, graph in jaxprs_in(eqn)]
    return sum(inner, [(eqn.primitive.name, eqn.params) for eqn in jaxpr.eqns])


@pytest.mark.parametrize("kind", TO_ONNX)
def test_onnx_gets_operations_that_it_knows(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No operations of sporax, no loops from the end, kernels with their axes in one order, no reshapes that exchange axes."""
    make, shape = TO_ONNX[kind]
    net, x, found = make().set_train(False), noise(*shape), {}

    def to_onnx(fn, inputs, **_) -> None:
        found.update(outs=flat(fn(x._data)), graph=_params(jax.make_jaxpr(fn)(*inputs).jaxpr))

    monkeypatch.setitem(sys.modules, "jax2onnx", SimpleNamespace(to_onnx=to_onnx))
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="ONNX")
    for got, want in zip(found["outs"], flat(net(x)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
    for name, params in found["graph"]:
        assert not name.startswith("recurrent")
        assert name != "scan" or not params["reverse"]
        assert name != "reshape" or params["dimensions"] is None
        if name == "conv_general_dilated":
            assert params["dimension_numbers"].rhs_spec == tuple(range(min(len(shape), 4)))


@pytest.mark.parametrize("kind", TO_ONNX)
def test_onnx_runtime_computes_the_same(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("jax2onnx")
    runtime = pytest.importorskip("onnxruntime")
    make, shape = TO_ONNX[kind]
    net, x = make().set_train(False), noise(*shape)
    ms.export(net, x, file_name=str(tmp_path / "net"), file_format="ONNX")
    session = runtime.InferenceSession(str(tmp_path / "net.onnx"))
    outs = session.run(None, {session.get_inputs()[0].name: x.asnumpy()})
    for got, want in zip(outs, flat(net(x)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_what_onnx_cannot_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def to_onnx(*_, **__) -> None:
        raise NotImplementedError("no such\nlayout")

    monkeypatch.setitem(sys.modules, "jax2onnx", SimpleNamespace(to_onnx=to_onnx))
    with pytest.raises(RuntimeError, match=r"jax2onnx cannot write Turned: NotImplementedError: no such\\nlayout"):
        ms.export(Turned(), noise(2, 3), file_name=str(tmp_path / "net"), file_format="ONNX")
