"""Metrics answer as MindSpore 2.7.0's do, and refuse what they refuse with the same class of exception."""

import json
from pathlib import Path

import numpy as np
import pytest
from by_module import Table, cases_of

from sporax import Tensor, train
from sporax._src.base.public_names import defined_in

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


def module_of(name: str, case: dict) -> str:
    """Return the module of the metric that a case makes."""
    return defined_in(getattr(train, case["make"].split("(")[0]))


TABLES: list[Table] = [(test_values, module_of), (test_errors, module_of)]


def metrics_of(*modules: str) -> type:
    """Return the tests of the metrics that these modules define, a method for each table."""
    return cases_of(modules, TABLES)
