"""Random numbers. Every call draws anew from the Generator that `seed` selects (see `core.generator`), traced or not."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops
from sporax._src.transform import capture

test_row = laws_of("sporax._src.ops.random.draws")


def test_random_numbers_like_a_tensor():
    half = ops.ones(2, ms.float16)
    assert (ops.randn_like(half).dtype, ops.rand_like(half).dtype) == (ms.float32, ms.float16)


DRAWS = {
    "no seed": lambda: ops.rand(4),
    "seed": lambda: ops.rand(4, seed=5),
    "uniform": lambda: ops.uniform((4,), Tensor(0.0), Tensor(1.0), seed=5),
    "randperm": lambda: ops.randperm(40),
    "dropout": lambda: ops.dropout(Tensor(np.ones(40, np.float32))),
    "dropout with seed": lambda: ops.dropout(Tensor(np.ones(40, np.float32)), seed=3),
    "primitive": ops.StandardNormal(seed=3),
}


def draw(name):
    call = DRAWS[name]
    return (call((4,)) if name == "primitive" else call()).asnumpy()


@pytest.mark.parametrize("name", DRAWS)
def test_set_seed_repeats_the_sequence_and_calls_differ(name):
    ms.set_seed(11)
    first, second = draw(name), draw(name)
    ms.set_seed(11)
    again = draw(name), draw(name)
    assert not np.array_equal(first, second)
    assert np.array_equal(first, again[0]) and np.array_equal(second, again[1])
    ms.set_seed(12)
    assert not np.array_equal(first, draw(name))


@pytest.mark.parametrize("seed", [None, 5])
def test_a_graph_draws_anew_per_call_and_set_seed_repeats(seed):
    @ms.jit
    def noisy(x):
        return x + ops.randn(4, seed=seed)

    x = Tensor(np.zeros(4, np.float32))
    ms.set_seed(7)
    first = noisy(x).asnumpy()
    built = capture.compilations
    second = noisy(x).asnumpy()
    ms.set_seed(7)
    again = noisy(x).asnumpy()
    assert capture.compilations == built
    assert not np.array_equal(first, second)
    assert np.array_equal(first, again)


@pytest.mark.parametrize("seed", [None, 5])
def test_graph_and_pynative_draw_the_same(seed):
    def draws(x):
        return x + ops.rand(3, seed=seed), ops.rand(3, seed=seed)

    x = Tensor(np.zeros(3, np.float32))
    ms.set_seed(3)
    eager = [t.asnumpy() for t in draws(x)]
    ms.set_seed(3)
    compiled = [t.asnumpy() for t in ms.jit(draws)(x)]
    np.testing.assert_allclose(eager, compiled, rtol=1e-6)


def test_operators_with_equal_seeds_draw_different_numbers():
    ms.set_seed(1)
    assert not np.array_equal(ops.rand(4, seed=1).asnumpy(), ops.standard_normal((4,), seed=1).asnumpy())
    assert not np.array_equal(ops.rand(4, seed=1).asnumpy(), ops.rand(4, seed=2).asnumpy())


def test_permutations_are_permutations():
    assert sorted(ops.randperm(9).asnumpy()) == list(range(9))
    assert sorted(ops.shuffle(ops.arange(9)).asnumpy()) == list(range(9))


def test_results_have_the_recorded_dtypes():
    weights = Tensor([0.5, 0.5])
    assert ops.randint(0, 3, (2,)).dtype == ms.int64
    assert ops.multinomial(weights, 2).dtype == ms.int32
    assert ops.randperm(3).dtype == ms.int64
    assert ops.Multinomial(dtype=ms.int64)(weights, 2).dtype == ms.int64
    assert ops.bernoulli(Tensor([1, 2]), 0.5).dtype == ms.int64
    assert ops.RandomPoisson()(Tensor([2]), Tensor([1.0])).dtype == ms.int64
    assert ops.rand(2, dtype=ms.float16).dtype == ms.float16
    assert ops.randn().shape == (1,)
