"""Metrics answer as MindSpore 2.7.0's do, and refuse what they refuse with the same class of exception."""

import json
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, train
from sporax._src.train.metrics import METRICS

GOLDEN = json.loads((Path(__file__).parent.parent / "goldens" / "metrics.json").read_text())
CASES = [(f"{n} {c['make']}", c) for n, c in GOLDEN["cases"].items()]
VALUES = [c for c in CASES if not isinstance(c[1]["answer"], dict)]
ERRORS = [c for c in CASES if isinstance(c[1]["answer"], dict)]

# MindSpore reshapes the scores of several classes in the wrong order, so that they meet labels of other samples.
# Here: each class against the rest, counted by hand.
OURS = {
    "ROC(class_num=3)": [
        [[0, 1 / 3, 1 / 3, 2 / 3, 1], [0, 0.5, 1, 1], [0, 1 / 3, 2 / 3, 2 / 3, 1]],
        [[0, 0, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1, 1]],
        [[1.5, 0.5, 0.28, 0.25, 0.1], [1.55, 0.55, 0.5, 0.2], [1.7, 0.7, 0.3, 0.25, 0.15]],
    ]
}


def run(case: dict) -> object:
    """Build the metric, give it the batches and evaluate it."""
    names = {"np": np, **{name: getattr(train, name) for name in train.__all__}}
    made = eval(case["make"], names)
    if case["batches"] is None:
        return made
    for batch in case["batches"]:
        made.update(*[Tensor(v) if isinstance(v, np.ndarray) else v for v in eval(batch, names)])
    return eval(f"made.eval({case['eval']})", {"made": made})


def assert_same(got: object, want: object) -> None:
    """Compare nested lists of numbers."""
    if isinstance(want, list) and want and isinstance(want[0], list) and not isinstance(got, np.ndarray):
        assert len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            assert_same(g, w)
    else:
        np.testing.assert_allclose(np.asarray(got, np.float64), want, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(("name", "case"), VALUES, ids=[n for n, _ in VALUES])
def test_values(name: str, case: dict) -> None:
    assert_same(run(case), OURS.get(case["make"], case["answer"]))


@pytest.mark.parametrize(("name", "case"), ERRORS, ids=[n for n, _ in ERRORS])
def test_errors(name: str, case: dict) -> None:
    """The exception is MindSpore's, and its text begins with the name of the metric."""
    kind = case["answer"]["error"].split(":")[0]
    with pytest.raises((ValueError, TypeError, RuntimeError, NotImplementedError)) as error:
        run(case)
    assert type(error.value).__name__ == kind
    assert str(error.value).startswith(case["make"].split("(")[0])


def test_names() -> None:
    """Every name of MindSpore's is known and gives a metric of its own class."""
    assert train.names() == GOLDEN["names"]
    assert train.get_metric_fn("topk", k=3).k == 3
    assert type(train.get_metric_fn("acc")) is train.Accuracy
    with pytest.raises(KeyError, match="unsupported metric 'nonsense'"):
        train.get_metric_fn("nonsense")
    assert set(METRICS) == set(GOLDEN["names"])


def test_a_metric_is_callable_on_one_batch() -> None:
    metric = train.MAE()
    metric.update([1.0], [5.0])
    assert metric([1.0], [2.0]) == 1.0


def test_indexes_choose_inputs() -> None:
    """`set_indexes` says which outputs are predictions and labels."""
    metric = train.Accuracy().set_indexes([2, 0])
    metric.update([0], "unused", [[0.9, 0.1]])
    assert metric.indexes == [2, 0]
    assert metric.eval() == 1.0
    with pytest.raises(IndexError, match=r"Accuracy.update: index 2 of set_indexes is out of range, there are 1"):
        metric.update([0])
    with pytest.raises(ValueError, match=r"Accuracy.set_indexes: expected a list of ints, got \(0\)"):
        metric.set_indexes((0,))


class Total(nn.Cell):
    """Scores (N, 2): the sum of each image, and its negative."""

    def construct(self, x: Tensor) -> Tensor:
        total = x.sum(axis=(1, 2)).reshape((-1, 1))
        return ms.ops.concat((total, -total), 1)


@pytest.mark.parametrize("batch", [1, 3, 128])
def test_occlusion_sensitivity(batch: int) -> None:
    """The score falls by what was covered, however many inputs run at a time."""
    image = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    metric = train.OcclusionSensitivity(margin=1, n_batch=batch)
    want = [[image[0, : i + 1, max(0, j - 1) : j + 1].sum() for j in range(3)] for i in range(2)]
    np.testing.assert_allclose(metric(Total(), image, 0), want)
    boxed = train.OcclusionSensitivity(margin=[1, 1], n_batch=batch, b_box=[-1, 1, 1, -1])
    np.testing.assert_allclose(boxed(Total(), image, 1), -np.array(want)[:, 1:])


def test_occlusion_sensitivity_errors() -> None:
    image = np.zeros((1, 2, 3), np.float32)
    with pytest.raises(TypeError, match="OcclusionSensitivity: margin has an unexpected type, got '2'"):
        train.OcclusionSensitivity(margin="2")
    with pytest.raises(TypeError, match="the model must be a Cell, got 1"):
        train.OcclusionSensitivity()(1, image, 0)
    with pytest.raises(RuntimeError, match="expected one input and one label, got 2 inputs and 1 labels"):
        train.OcclusionSensitivity()(Total(), np.zeros((2, 2, 3), np.float32), 0)
    with pytest.raises(ValueError, match=r"b_box must hold 4 ints, got \[0\]"):
        train.OcclusionSensitivity(b_box=[0])(Total(), image, 0)
    with pytest.raises(ValueError, match=r"b_box must lie in the input of shape \[2, 3\], got \[0, 5, 0, 0\]"):
        train.OcclusionSensitivity(b_box=[0, 5, 0, 0])(Total(), image, 0)
