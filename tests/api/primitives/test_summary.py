"""Summaries and dumps of a program's values."""

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.api.primitives.summary import collecting

X = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)


def test_summaries(run):
    def net(x):
        ops.ScalarSummary()("loss", x.sum())
        ops.TensorSummary()("x", x)
        ops.HistogramSummary()("x", x * 2)
        ops.ImageSummary()("image", x.reshape(1, 1, 2, 2))
        return x + 1

    with collecting() as entries:
        np.testing.assert_array_equal(run(net, Tensor(X)).asnumpy(), X + 1)
    found = {(tag, kind): value for tag, kind, value in entries}
    assert sorted(found) == [("image", "Image"), ("loss", "Scalar"), ("x", "Histogram"), ("x", "Tensor")]
    assert found["loss", "Scalar"] == 6.0
    np.testing.assert_array_equal(found["x", "Histogram"], 2 * X)
    run(net, Tensor(X))
    assert len(entries) == 4, "nothing is collected when nobody asks"


SUMMARY_ERRORS = [
    (lambda: ops.ScalarSummary()(3, Tensor(1.0)), TypeError, "name must be a str"),
    (lambda: ops.ScalarSummary()("", Tensor(1.0)), ValueError, "name must not be empty"),
    (lambda: ops.ScalarSummary()("a", 1.0), TypeError, "value must be a Tensor"),
    (lambda: ops.ScalarSummary()("a", Tensor(X)), ValueError, "must have one element"),
    (lambda: ops.TensorSummary()("a", Tensor(1.0)), ValueError, "at least one axis"),
    (lambda: ops.ImageSummary()("a", Tensor(X)), ValueError, "must have 4 axes"),
    (lambda: ops.HistogramSummary()("a", Tensor(1.0)), ValueError, "at least one axis"),
    (lambda: ops.tensordump(3, Tensor(X)), TypeError, "file_name must be a str"),
    (lambda: ops.tensordump("a", 3), TypeError, "tensor must be a Tensor"),
    (lambda: ops.tensordump("a", Tensor(X), "all"), ValueError, "mode must be 'in' or 'out'"),
]


@pytest.mark.parametrize(("call", "kind", "match"), SUMMARY_ERRORS)
def test_summary_errors(call, kind, match):
    with pytest.raises(kind, match=match):
        call()


def test_dumps(run, tmp_path):
    def net(x):
        ops.TensorDump()(str(tmp_path / "deep" / "first"), x)
        ops.tensordump(str(tmp_path / "second.npy"), x.astype(ms.bfloat16), "in")
        return x

    run(net, Tensor(X)).asnumpy()
    ops.tensordump(str(tmp_path / "last"), Tensor([1, 2]))
    first, second = next(tmp_path.glob("deep/first_float32_*.npy")), next(tmp_path.glob("second_in_bfloat16_*.npy"))
    np.testing.assert_array_equal(np.load(first), X)
    assert np.load(second).dtype == np.float32
    numbers = [int(p.stem.rsplit("_", 1)[1]) for p in (first, second, next(tmp_path.glob("last_int64_*.npy")))]
    assert len(set(numbers)) == 3 and max(numbers) == numbers[2]
