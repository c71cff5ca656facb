"""Random operators: moments, one sequence per seed, a new draw per call in every mode."""

import os
import subprocess
import sys

import jax
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.ops.random import distributions
from sporax._src.transform import capture

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


def test_a_generator_of_its_own_leaves_the_default_one_alone():
    ms.set_seed(1)
    want = ops.rand(3).asnumpy()
    ms.set_seed(1)
    own = ms.Generator().manual_seed(9)
    first = ops.zeros((3,), ms.float32).normal_(generator=own).asnumpy()
    assert np.array_equal(ops.rand(3).asnumpy(), want)
    assert np.array_equal(ops.zeros((3,), ms.float32).normal_(generator=own.manual_seed(9)).asnumpy(), first)


def test_dropout_keeps_what_its_gradient_keeps():
    x = Tensor(np.ones(50, np.float32))
    value, gradient = ms.value_and_grad(lambda x: ops.dropout(x, 0.3))(x)
    np.testing.assert_allclose(value.asnumpy(), gradient.asnumpy())
    assert set(np.unique(value.asnumpy())) <= {np.float32(0), np.float32(1) / np.float32(0.7)}


def test_dropout_outside_training_is_the_identity():
    x = Tensor(np.ones(5, np.float32))
    assert ops.dropout(x, 0.5, training=False) is x


@pytest.mark.parametrize(
    "fn, shape", [(ops.dropout1d, (3, 8, 5)), (ops.dropout2d, (3, 8, 2, 2)), (ops.dropout3d, (3, 8, 2, 1, 2))]
)
def test_channels_drop_as_a_whole(fn, shape):
    out = fn(Tensor(np.ones(shape, np.float32)), 0.5).asnumpy().reshape(24, -1)
    assert all(len(set(channel)) == 1 for channel in out)
    assert 0 < (out[:, 0] == 0).sum() < 24


def test_dropout_primitive_gives_the_mask():
    ms.set_seed(1)
    out, mask = ops.Dropout(keep_prob=0.5)(Tensor(np.ones(30, np.float32)))
    assert np.array_equal(out.asnumpy(), 2 * mask.asnumpy())


def test_mask_bits_apply():
    ms.set_seed(1)
    x = Tensor(np.ones((20, 10), np.float32))
    keep = Tensor(0.5, ms.float32)
    mask = ops.DropoutGenMask()((20, 10), keep)
    out = ops.DropoutDoMask()(x, mask, keep).asnumpy()
    assert mask.shape == (32,) and mask.dtype == ms.uint8
    assert set(np.unique(out)) == {0, 2} and 60 < (out == 0).sum() < 140


def test_sampling_without_replacement_draws_each_once():
    ms.set_seed(1)
    for _ in range(5):
        assert sorted(ops.multinomial(Tensor([0.1, 0.2, 0.3, 0.4]), 4, False).asnumpy()) == [0, 1, 2, 3]


def test_permutations_are_permutations():
    assert sorted(ops.randperm(9).asnumpy()) == list(range(9))
    assert sorted(ops.shuffle(ops.arange(9)).asnumpy()) == list(range(9))


def test_choices_lie_in_the_mask():
    mask = np.array([[True, False, True], [False, False, True]])
    index, real = ops.choice_with_mask(Tensor(mask), 5)
    chosen = {tuple(i) for i in index.asnumpy()[real.asnumpy()]}
    assert chosen == {(0, 0), (0, 2), (1, 2)} and real.asnumpy().sum() == 3


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


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_steps_of_a_generator(mode: int) -> None:
    """`_step` returns seed and place of the sequence, and moves on; a state that is set again leads to the same place."""
    ms.set_context(mode=mode)

    class Step(ms.nn.Cell):
        def construct(self, generator: ms.Generator) -> tuple:
            return generator._step(Tensor(3))

    generator = ms.Generator().manual_seed(5 << 32 | 7)
    assert [[int(t) for t in Step()(generator)] for _ in range(2)] == [[5 << 32 | 7, 0], [5 << 32 | 7, 3]]
    other = ms.Generator()
    other.set_state(generator.get_state())
    assert [int(t) for t in Step()(other)] == [int(t) for t in Step()(generator)] == [5 << 32 | 7, 6]


def test_a_layer_keeps_the_step_of_a_generator_as_parameters() -> None:
    class Dropout(ms.nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.seed, self.offset = ms.Generator().manual_seed(7)._step(Tensor(3))

    found = {p.name: (p.item(), p.dtype, p.requires_grad) for p in Dropout().get_parameters()}
    assert found == {"seed": (7, ms.int64, False), "offset": (0, ms.int64, False)}


BITS = """
import jax, numpy as np, sys
def bits(shape, width):
    return np.asarray(jax.random.bits(jax.random.wrap_key_data(np.array([3, 70000], np.uint32)), shape, f"uint{width}"))
found = {f"{shape} {width}": bits(shape, width) for shape in [(5,), (3, 1, 4, 2), (70000,)] for width in (8, 32, 64)}
np.savez(sys.argv[1], **found)
"""


def test_bits_are_those_that_jax_draws_by_itself(tmp_path):
    for name, before in {"jax": "", "sporax": "import sporax"}.items():
        environ = os.environ | {"JAX_ENABLE_X64": "1", "SPORAX_CACHE_DIR": "off", "JAX_PLATFORMS": "cpu"}
        subprocess.run([sys.executable, "-c", before + BITS, tmp_path / name], check=True, env=environ)
    theirs, ours = np.load(tmp_path / "jax.npz"), np.load(tmp_path / "sporax.npz")
    assert len(theirs) == 9
    for name in theirs:
        np.testing.assert_array_equal(ours[name], theirs[name])


def test_bits_are_drawn_without_a_loop():
    text = jax.jit(lambda key: jax.random.uniform(key, (4, 8))).lower(jax.random.key(0)).as_text()
    assert "while" not in text
