"""Operations whose first runs use a quickly compiled program."""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import sporax as ms
from sporax import Tensor, ops
from sporax._src.engine import quick_kernels
from sporax._src.engine.dispatch import Kernel
from sporax._src.engine.quick_kernels import QuickAtFirst
from sporax._src.lowering.cpu import kernels

pytestmark = pytest.mark.of_cpus("other devices have no such options")

X = np.random.default_rng(0).standard_normal((2, 4, 6, 6)).astype(np.float32)
W = np.random.default_rng(1).standard_normal((3, 4, 3, 3)).astype(np.float32)


@pytest.fixture
def usual(monkeypatch):
    """Let few runs be quick."""
    monkeypatch.setattr(quick_kernels, "FEW", 2)
    monkeypatch.setattr(quick_kernels, "MANY", 4)


def convolved(x, w, groups=1):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", feature_group_count=groups)


@pytest.mark.parametrize(("fn", "is_quick"), [
    (lambda x: x + x - 1.0, True),
    (lambda x: x * x, True),
    (lambda x: jnp.maximum(x, 0).transpose(0, 2, 1, 3), True),
    (lambda x: jnp.where(x > 0, x, 0.1 * x), True),
    (lambda x: convolved(x.transpose(0, 1, 3, 2), W) + 1, True),
    (lambda x: x * x + 1, False),  # rounded once or twice
    (jnp.tanh, False),
    (lambda x: x.sum(), False),  # the order of sums
    (lambda x: x.astype(jnp.int32), False),  # what does not fit
    (lambda x: x / 3, True),
    (jax.nn.relu, True),
    (lambda x: x.reshape(16, 18).T @ x.reshape(16, 18), True),
    (lambda x: x.reshape(96, 3) @ x.reshape(3, 96), False),  # loops, not a library
    (lambda x: convolved(x, W[:, :1].repeat(4, 0)[:4], 4), kernels.ARE_BUILT),
    (lambda x: convolved(x.astype(jnp.float16), W[:, :1].repeat(4, 0)[:4].astype(jnp.float16), 4), kernels.ARE_BUILT),
    (lambda x: jnp.tanh(convolved(x, W)), False),
    (lambda x: jnp.broadcast_to(x, (2**11, *x.shape)), False),  # large
])  # fmt: skip
def test_only_operations_with_the_same_bits_are_quick(fn, is_quick):
    assert quick_kernels._has_same_bits(jax.make_jaxpr(fn)(X)) == is_quick


BITS = """
import jax, numpy as np
import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.engine import quick_kernels

compared = []

def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True) and np.all((np.signbit(a) == np.signbit(b)) | np.isnan(a))

class Both(quick_kernels.QuickAtFirst):
    def __call__(self, *args):
        _, runs = self._runs_of(args)
        if runs <= quick_kernels.MANY:
            pairs = zip(*[jax.tree.leaves(run(*args)) for run in (self._quick, self._full)])
            compared.append(all(same(a, b) for a, b in pairs))
        return super().__call__(*args)

quick_kernels.QuickAtFirst = Both
draw = np.random.default_rng(0).standard_normal
x = Tensor(draw((3, 8, 11, 11)).astype(np.float32))
x[0, 0, 0, :4] = Tensor(np.array([0.0, -0.0, np.inf, np.nan], np.float32))
layers = [
    nn.Conv2d(8, 5, 3, has_bias=True), nn.Conv2d(8, 16, 1, has_bias=True), nn.Conv2d(8, 6, 5, 2, dilation=2, has_bias=True),
    nn.Conv2d(8, 6, 3, pad_mode="valid", stride=3), nn.Conv2dTranspose(8, 4, 3, 2, has_bias=True), nn.MaxPool2d(2, 2),
    nn.BatchNorm2d(8).set_train(),
    nn.Conv2d(8, 8, 3, group=8), nn.Conv2d(8, 16, 3, 2, group=4, has_bias=True),
    nn.Unfold([1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1]),
    nn.Pad(((0, 0), (0, 0), (1, 2), (3, 0))), nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(), nn.Flatten(),
]
functions = [
    lambda x: x.transpose(0, 2, 3, 1) + 1, lambda x: ops.cat((x, x[:, 1:3]), 1), lambda x: ops.split(x, 4, 1)[1] * 3,
    lambda x: ops.stack(ops.unbind(x, 1), 3), lambda x: x / 3, lambda x: x / ops.abs(x[:, :1]), lambda x: ops.relu(x) * 2,
    lambda x: ops.matmul(x.reshape(24, -1), x.reshape(24, -1).swapaxes(0, 1)).sum(0),
    lambda x: ops.clamp(x, -0.5, 0.5), lambda x: ops.abs(x) - x, lambda x: ops.where(x > 0, x, -x),
]
for layer in [*layers, *functions]:
    of = layer.trainable_params() if isinstance(layer, nn.Cell) else []
    ms.value_and_grad(lambda x: (layer(x).sum(), layer(x).max()), 0, of or None)(x)
assert len(compared) > 40, len(compared)
print(compared.count(False), "of", len(compared))
"""


def test_quick_programs_have_the_bits_of_optimized_ones():
    """With all of XLA's optimizations, which this process does without."""
    others = {"JAX_DISABLE_MOST_OPTIMIZATIONS", "XLA_FLAGS"}
    environment = {k: v for k, v in os.environ.items() if k not in others}
    words = [sys.executable, "-c", BITS]
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert ended.stdout.startswith("0 of "), ended.stdout + ended.stderr


def test_after_many_runs_the_optimized_program_is_called_directly(usual):
    kernel = Kernel(lambda x: x + x, "doubled")
    x = jnp.arange(3.0)
    first = kernel.run(x)
    assert isinstance(kernel.run, QuickAtFirst)
    for _ in range(5):
        np.testing.assert_array_equal(kernel.run(x), first)
    assert not isinstance(kernel.run, QuickAtFirst)
    np.testing.assert_array_equal(kernel.run(jnp.ones(4)), 2 * np.ones(4))


def test_a_signature_that_is_rare_does_not_keep_the_count(usual, monkeypatch):
    monkeypatch.setattr(quick_kernels, "_SETTLED", 20)
    kernel = Kernel(lambda x: x + x, "doubled")
    kernel.run(jnp.ones(5))
    for _ in range(21):
        kernel.run(jnp.arange(3.0))
    assert not isinstance(kernel.run, QuickAtFirst)


def test_gradients_go_over_to_optimized_programs(usual):
    """Forward and backward of a convolution, whose executables are kept when the function is replaced."""
    x, w = Tensor(X), Tensor(W)
    step = ms.grad(lambda x, w: ops.conv2d(x, w, pad_mode="same").sum(), (0, 1))
    expected = [g.asnumpy() for g in step(x, w)]
    for _ in range(7):
        for got, want in zip(step(x, w), expected, strict=True):
            np.testing.assert_array_equal(got.asnumpy(), want)


def test_deterministic_programs_are_optimized_at_once():
    ms.set_deterministic(True)
    try:
        assert not isinstance(quick_kernels.compiled(jnp.negative, False, lambda *_: None), QuickAtFirst)
    finally:
        ms.set_deterministic(False)
