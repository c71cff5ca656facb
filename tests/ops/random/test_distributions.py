"""Draws from distributions of given parameters, and random choices: coin flips, indices by weight, candidate classes."""

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops
from sporax._src.ops.random import distributions

test_row = laws_of("sporax._src.ops.random.distributions")


N = 20000


MOMENTS = {
    "rand": (lambda: ops.rand(N), 0.5, 1 / 12),
    "randn": (lambda: ops.randn(N), 0, 1),
    "uniform": (lambda: ops.uniform((N,), Tensor(2.0), Tensor(4.0)), 3, 4 / 12),
    "uniform of integers": (
        lambda: ops.uniform((N,), Tensor(0, ms.int32), Tensor(4, ms.int32), dtype=ms.int32),
        1.5,
        1.25,
    ),
    "normal": (lambda: ops.normal((N,), 3.0, 2.0), 3, 4),
    "standard_normal": (lambda: ops.standard_normal((N,)), 0, 1),
    "standard_laplace": (lambda: ops.standard_laplace((N,)), 0, 2),
    "laplace": (lambda: ops.laplace((N,), Tensor(1.0), Tensor(2.0)), 1, 8),
    "gamma": (lambda: ops.gamma((N,), Tensor([3.0]), Tensor([2.0])), 1.5, 0.75),
    "random_gamma": (lambda: ops.random_gamma((N,), Tensor([3.0])), 3, 3),
    "poisson": (lambda: ops.poisson((N,), Tensor([4.0])), 4, 4),
    "random_poisson": (lambda: ops.random_poisson(Tensor([N]), Tensor([4.0])), 4, 4),
    "randint": (lambda: ops.randint(0, 4, (N,)), 1.5, 1.25),
    "bernoulli": (lambda: ops.bernoulli(ops.zeros((N,), ms.float32), 0.3), 0.3, 0.21),
    "multinomial": (lambda: ops.multinomial(Tensor([1.0, 0.0, 3.0]), N), 1.5, 0.75),
    "random_categorical": (
        lambda: ops.random_categorical(Tensor(np.log([[0.25, 0.75]], dtype=np.float32)), N),
        0.75,
        0.1875,
    ),
    "dropout": (lambda: ops.dropout(ops.ones((N,), ms.float32), 0.2), 1, 0.25),
    "Tensor.normal_": (lambda: ops.zeros((N,), ms.float32).normal_(1, 2), 1, 4),
    "Tensor.uniform_": (lambda: ops.zeros((N,), ms.float32).uniform_(-1, 1), 0, 4 / 12),
    "Tensor.exponential_": (lambda: ops.zeros((N,), ms.float32).exponential_(2.0), 0.5, 0.25),
    "Tensor.random_": (lambda: ops.zeros((N,), ms.int32).random_(0, 4), 1.5, 1.25),
    "Tensor.bernoulli_": (lambda: ops.zeros((N,), ms.float32).bernoulli_(0.3), 0.3, 0.21),
    "UniformReal": (lambda: ops.UniformReal()((N,)), 0.5, 1 / 12),
    "StandardNormal": (lambda: ops.StandardNormal()((N,)), 0, 1),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    draw, mean, var = MOMENTS[name]
    ms.set_seed(1)
    x = draw().asnumpy().astype(np.float64)
    assert abs(x.mean() - mean) < 5 * np.sqrt(var / N)
    assert abs(x.var() - var) < 0.1 * var


@pytest.mark.parametrize("made", [lambda: ops.StandardNormal(3, 4), lambda: ops.UniformReal(3)])
def test_two_primitives_of_one_seed_draw_one_sequence(made):
    one, two = made(), made()
    first, second = one((4,)).asnumpy(), one((4,)).asnumpy()
    assert not np.array_equal(first, second)
    assert np.array_equal(two((4,)).asnumpy(), first) and np.array_equal(two((4,)).asnumpy(), second)


def test_draws_of_other_sizes_and_dtypes_share_a_poisson_sampler():
    rates = distributions._rates
    one, two = rates(Tensor([1.0, 2.0]), (5, 3, 2)), rates(Tensor(2), (9, 2))
    assert one.shape == two.shape == (32,) and one.dtype == two.dtype == ms.float32
    assert ops.random_poisson(Tensor([9, 2]), Tensor(2), dtype=ms.int64).shape == (9, 2)
    assert ops.random_poisson(Tensor([0, 2]), Tensor(2)).shape == (0, 2)


def test_sampling_without_replacement_draws_each_once():
    ms.set_seed(1)
    for _ in range(5):
        assert sorted(ops.multinomial(Tensor([0.1, 0.2, 0.3, 0.4]), 4, False).asnumpy()) == [0, 1, 2, 3]


def test_choices_lie_in_the_mask():
    mask = np.array([[True, False, True], [False, False, True]])
    index, real = ops.choice_with_mask(Tensor(mask), 5)
    chosen = {tuple(i) for i in index.asnumpy()[real.asnumpy()]}
    assert chosen == {(0, 0), (0, 2), (1, 2)} and real.asnumpy().sum() == 3
