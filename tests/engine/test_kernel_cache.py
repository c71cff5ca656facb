"""Executables of operators: those used of late are kept, others are forgotten."""

import re
import warnings

import numpy as np
import pytest
from executables import executables, ones

import sporax as ms
from sporax import ops
from sporax._src.engine.kernel_cache import RecentSignatures


@pytest.fixture(autouse=True)
def few():
    ms.set_context(max_graphs=4)
    yield
    ms.set_context(max_graphs=64)


def test_operators_keep_a_few_executables_and_say_so_once():
    def run(n):
        return (ops.sinh(ones(n)) * 2).asnumpy()

    run(300)
    before = executables()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for n in range(301, 350):
            np.testing.assert_allclose(run(n), np.full((n, 3), 2 * np.sinh(1)), rtol=1e-6)
    assert executables() - before <= 2 * 4
    sinh = [w for w in told if "sinh has been compiled for" in str(w.message)]
    count = int(re.search(r"(\d+) signatures", str(sinh[0].message)).group(1))
    assert count > 8 * 4, "a deep network's signatures are no reason to be told"
    assert len(sinh) == 1 and sinh[0].filename == __file__
    assert "buckets of 32, 64, 128" in str(sinh[0].message) and "set_context(max_graphs=8)" in str(sinh[0].message)


@pytest.mark.filterwarnings("ignore:.*has been compiled")
def test_gradients_of_operators_keep_a_few():
    grad = ms.grad(lambda x: ops.cosh(x).sum())
    grad(ones(300))
    before = executables()
    for n in range(301, 317):
        np.testing.assert_allclose(grad(ones(n)).asnumpy(), np.full((n, 3), np.sinh(1)), rtol=1e-6)
    assert executables() - before <= 8 * 4  # forward, sum, their backwards, the first cotangent


def test_the_limit_grows_when_signatures_come_back_and_no_further_than_eightfold():
    kept = RecentSignatures()
    assert kept.limit() == 4
    kept.note(1), kept.note(2)
    with pytest.warns(UserWarning, match=r"f has been compiled for 2 signatures"):
        kept.drop({1, 2}, "f")
    kept.note(3)
    assert kept.limit() == 4
    for signature in range(10):
        kept.note(1)
        kept.drop({1}, "f")
        assert kept.limit() == min(32, 4 * 2 ** (signature + 1))


def test_the_limit_is_seen_and_checked():
    assert ms.get_context("max_graphs") == 4
    with pytest.raises(TypeError, match="max_graphs"):
        ms.set_context(max_graphs="many")
    with pytest.raises(ValueError, match="max_graphs"):
        ms.set_context(max_graphs=0)
