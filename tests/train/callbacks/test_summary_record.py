"""Summaries: what TensorBoard reads in the event files."""

import sys
from pathlib import Path

import numpy as np
import pytest
from event_files import read, series
from tensorboard.util.tensor_util import make_ndarray

import sporax as ms
from sporax import Tensor, nn


def test_values(tmp_path: Path) -> None:
    with ms.SummaryRecord(str(tmp_path)) as record:
        for step in (1, 2):
            record.add_value("scalar", "loss", Tensor([0.5 * step]))
            assert record.record(step)
        record.add_value("histogram", "weights", Tensor([0.0, 1.0, 1.0]))
        record.add_value("tensor", "t", Tensor([[1.0, 2.0]]))
        record.add_value("image", "picture", Tensor(np.eye(4, dtype=np.float32)[None, None]))
        record.add_value("custom_lineage_data", "note", {"a": 1})
        record.record(3)
        record.add_value("scalar", "left_out", Tensor(1.0))
        record.record(4, plugin_filter=lambda plugin: plugin != "scalar")
        record.set_mode("eval")
        record.add_value("scalar", "loss", Tensor(0.25))
        record.record(5, nn.Dense(2, 1))
        record.flush()
        assert record.log_dir == str(tmp_path)
    assert record.record(6) is False
    record.close()
    found = read(tmp_path)
    assert series(found, "loss") == {1: 0.5, 2: 1.0} and series(found, "eval/loss") == {5: 0.25}
    assert make_ndarray(found.Tensors("t")[0].tensor_proto).tolist() == [[1, 2]]
    histogram = make_ndarray(found.Tensors("weights")[0].tensor_proto)
    assert histogram[:, 2].sum() == 3
    assert (found.Images("picture")[0].width, found.Images("picture")[0].step) == (4, 3)
    assert b"{'a': 1}" in make_ndarray(found.Tensors("note")[0].tensor_proto).item()
    assert b"Dense" in make_ndarray(found.Tensors("eval/network")[0].tensor_proto).item()
    assert "left_out" not in found.Tags()["tensors"]
    assert [p.name.endswith("_MS") for p in tmp_path.iterdir()] == [True]


def test_operators_in_a_network(tmp_path: Path, mode: int) -> None:
    class Net(nn.Cell):
        def construct(self, x: Tensor) -> Tensor:
            ms.ops.ScalarSummary()("sum", x.sum())
            return x * 2

    net = Net()
    with ms.SummaryRecord(str(tmp_path), network=net) as record:
        for step in (1, 2):
            net(Tensor([1.0 * step, 1.0])).asnumpy()
            record.record(step)
    found = read(tmp_path)
    assert series(found, "sum") == {1: 2.0, 2: 3.0} and [e.step for e in found.Tensors("network")] == [1]


BAD_VALUES = [
    (("plot", "a", Tensor(1.0)), ValueError, "plugin must be one of scalar, tensor, .* got 'plot'"),
    (("scalar", 3, Tensor(1.0)), ValueError, "name must be a string that is not empty, got 3"),
    (("scalar", "a", 1.0), TypeError, "value must be a Tensor, got 1.0"),
    (("scalar", "a", Tensor([1.0, 2.0])), ValueError, r"a scalar must have one element, got float32\[2\]"),
    (("image", "a", Tensor([[1.0]])), ValueError, r"\(N, C, H, W\) with C of 1, 3 or 4, got float32\[1, 1\]"),
]


@pytest.mark.parametrize(("args", "kind", "match"), BAD_VALUES)
def test_bad_values(args: tuple, kind: type, match: str, tmp_path: Path) -> None:
    with ms.SummaryRecord(str(tmp_path)) as record, pytest.raises(kind, match=match):
        record.add_value(*args)


def test_bad_arguments(tmp_path: Path) -> None:
    folder = str(tmp_path)
    with ms.SummaryRecord(folder) as record:
        with pytest.raises(TypeError, match="step must be an int, got 'a'"):
            record.record("a")
        with pytest.raises(ValueError, match="mode must be 'train' or 'eval', got 'x'"):
            record.set_mode("x")
    for make, kind, match in (
        (lambda: ms.SummaryRecord(3), TypeError, "log_dir must be a string that is not empty, got 3"),
        (lambda: ms.SummaryRecord(folder, export_options={}), ValueError, "export_options is not offered"),
        (lambda: ms.SummaryCollector(3), TypeError, "summary_dir must be a string, got 3"),
        (lambda: ms.SummaryCollector(folder, export_options={}), ValueError, "export_options is not offered"),
        (lambda: ms.SummaryCollector(folder, 0), ValueError, "collect_freq must be >= 1, got 0"),
        (lambda: ms.SummaryCollector(folder, collect_specified_data=3), TypeError, "must be a dict, got 3"),
        (lambda: ms.SummaryCollector(folder, collect_specified_data={"x": 1}), ValueError, "takes .*, got 'x'"),
        (
            lambda: ms.SummaryCollector(folder, collect_specified_data={"collect_graph": 3}),
            TypeError,
            "collect_graph must be a bool, got 3",
        ),
    ):
        with pytest.raises(kind, match=match):
            make()


def test_the_package_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboard.compat.proto", None)
    with pytest.raises(RuntimeError, match="Summaries need the package tensorboard"):
        ms.SummaryRecord(str(tmp_path))
