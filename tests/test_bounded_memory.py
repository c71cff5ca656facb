"""Ever new shapes take no more memory: graphs and executables of operators that were not used of late are forgotten."""

import gc
import re
import warnings
from collections import Counter

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import nn, ops
from sporax._src.engine.kernel_cache import Kept
from sporax._src.transform import capture


@pytest.fixture(autouse=True)
def few():
    ms.set_context(max_graphs=4)
    yield
    ms.set_context(max_graphs=64)


def executables() -> int:
    gc.collect()
    return len(jax.devices()[0].client.live_executables())


def ones(n: int) -> ms.Tensor:
    return ms.Tensor(np.ones((n, 3), np.float32))


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


@pytest.mark.filterwarnings("ignore:.*has been compiled")
def test_a_function_keeps_the_graphs_used_last():
    f = ms.jit(lambda x: (x * 2).sum())
    for n in (1, 2, 3, 4):
        f(ones(n))
    f(ones(1))
    f(ones(5))
    keys = f.keys()
    assert sorted(shape[0] for *_, (shape, _) in keys) == [1, 3, 4, 5]
    count = capture.compilations
    f(ones(1)), f(ones(5))
    assert capture.compilations == count
    assert float(f(ones(2)).asnumpy()) == 12.0 and capture.compilations == count + 1


@pytest.mark.filterwarnings("ignore:.*has been compiled")
def test_a_program_that_goes_round_more_shapes_than_are_kept_compiles_them_once_more():
    net = nn.Dense(3, 2)
    f = ms.jit(lambda x: net(x).sum())
    for _ in range(3):
        for n in range(1, 7):
            f(ones(n))
    count = capture.compilations
    for n in range(1, 7):
        f(ones(n))
    assert capture.compilations == count and len(f.keys()) == 6


def test_the_limit_grows_when_signatures_come_back_and_no_further_than_eightfold():
    kept = Kept()
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


def test_a_tensor_of_a_new_shape_compiles_nothing():
    x = ones(401)
    before = executables()
    given = np.zeros((403, 7), np.float32)
    tensor, weight = ms.Tensor(given), ms.Parameter(ms.Tensor(given), name="w")
    given[0, 0] = 1
    assert tensor.asnumpy()[0, 0] == 0 == weight.asnumpy()[0, 0]
    ms.Tensor([[1.0] * 405]), ms.Parameter(x, name="v")
    assert executables() == before


def test_the_limit_is_seen_and_checked():
    assert ms.get_context("max_graphs") == 4
    with pytest.raises(TypeError, match="max_graphs"):
        ms.set_context(max_graphs="many")
    with pytest.raises(ValueError, match="max_graphs"):
        ms.set_context(max_graphs=0)


def trains() -> None:
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dropout(p=0.2), nn.Dense(4, 1))
    rows = ms.dataset.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)), shuffle=False)
    ms.Model(net, nn.MSELoss(), nn.Adam(net.trainable_params()), metrics={"mae"}).fit(1, rows.batch(2), rows.batch(2))


def comes_and_goes() -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense, self.norm = nn.Dense(3, 4), nn.LayerNorm((4,))

        def construct(self, x: ms.Tensor) -> ms.Tensor:
            return ops.relu(self.norm(self.dense(x)))

    net = Net()
    ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(ones(2))


def objects() -> Counter:
    """Return how many objects there are, of sporax's classes by class and of all others together."""
    gc.collect()
    found: Counter = Counter()
    for thing in gc.get_objects():
        module = getattr(type(thing), "__module__", "")
        found[type(thing).__name__ if isinstance(module, str) and module.startswith("sporax") else "others"] += 1
    return found


@pytest.mark.parametrize("use", [trains, comes_and_goes])
def test_networks_that_are_gone_leave_nothing(use, mode):
    for _ in range(3):
        use()
    before, graphs = objects(), executables()
    for _ in range(4):
        use()
    more = objects() - before
    others = more.pop("others", 0)
    assert more == Counter() and executables() <= graphs
    assert others < 4 * 10, "each left that many lists, functions, ..."
