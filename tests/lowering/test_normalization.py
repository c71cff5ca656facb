"""Normalization: the derivatives are those of the formula, and PyNative mode uses the operation where a kernel is."""

from typing import Any

import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.base import config
from sporax._src.base.typing import Array
from sporax._src.core import scope
from sporax._src.lowering import normalization
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.lowering import off
from sporax._src.lowering.normalization import moments, normalized, scaled
from sporax._src.ops.nn.normalization import batch_norm_train

AXES = {"channels second": (0, 2, 3), "channels last": (0, 1, 2)}
PARAMS: dict[str, Any] = {"eps": 1e-3, "momentum": 0.2}


def operands(shape: tuple[int, ...], channels: int) -> list[Array]:
    """Return x, weight, bias, and the running mean and variance, in float64, for which no kernel is."""
    rng = np.random.default_rng(2)
    return [jnp.asarray(rng.normal(size=s) + 0.5, "float64") for s in (shape, *[(channels,)] * 4)]


def written_out(
    x: Array,
    weight: Array,
    bias: Array,
    running_mean: Array,
    running_var: Array,
    *,
    axes: Any,
    eps: float,
    momentum: float,
) -> Any:
    wide = [p.reshape([1 if axis in axes else -1 for axis in range(x.ndim)]) for p in (weight, bias)]
    mean = x.mean(axes, keepdims=True)
    var = ((x - mean) ** 2).mean(axes, keepdims=True)
    y = (x - mean) / jnp.sqrt(var + eps) * wide[0] + wide[1]
    count, mean, var = x.size // weight.size, mean.reshape(-1), var.reshape(-1)
    moved = (
        (1 - momentum) * running_mean + momentum * mean,
        (1 - momentum) * running_var + momentum * var * count / (count - 1),
    )
    return y, mean, var, *map(jax.lax.stop_gradient, moved)


def loss(fn: Any, axes: tuple[int, ...]) -> Any:
    def total(*arrays: Array) -> Any:
        outs = fn(*arrays, axes=axes, **PARAMS)
        return sum((o * o * jnp.cos(jnp.arange(o.size)).reshape(o.shape)).sum() for o in outs)

    return total


@pytest.mark.parametrize("has_weight", [True, False])
def test_the_written_derivatives_are_those_of_the_formula(has_weight: bool) -> None:
    """The first in both directions, and the second, with the statistics among the results."""
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(3, 2, 2, 2)) + 5)
    scale = [jnp.asarray(rng.normal(size=(1, 2, 1, 1))) for _ in range(2)] if has_weight else [None, None]

    def plain(x: Array, weight: Any, bias: Any, axes: tuple[int, ...], eps: float) -> Any:
        mean, var = moments(x, axes)
        return scaled(x, mean, var, eps, weight, bias), mean, var

    def summed(fn: Any) -> Any:
        def total(x: Array, scale: Any) -> Array:
            y, mean, var = fn(x, *scale, (0, 2, 3), 1e-3)
            return jnp.sin(y).sum() + (mean**2).sum() + (var**3).sum()

        return total

    for derivative in (jax.grad, jax.jacfwd, jax.hessian):
        got, expected = (derivative(summed(fn), (0, 1))(x, scale) for fn in (normalized, plain))
        for g, e in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(g, e, rtol=1e-9, atol=1e-9)


def test_the_gradient_of_a_batch_is_two_sums() -> None:
    """Those of the results' gradient, and of its product with the normalised values; XLA finds each once."""

    def total(x: Array, weight: Array, bias: Array) -> Array:
        return jnp.sin(normalized(x, weight, bias, (0,), 1e-5)[0]).sum()

    operands = jnp.ones((8, 4)), jnp.ones((1, 4)), jnp.ones((1, 4))
    forward, both = (jax.jit(f).lower(*operands).compile().as_text() for f in (total, jax.grad(total, (0, 1, 2))))
    sums = [text.count(" reduce(") for text in (forward, both)]
    assert sums == [3, 4]  # mean, variance and the loss; mean, variance and these two


def test_a_layer_norm_keeps_its_axes_together_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its operand and its gradient, where neither is divided or written to a file."""
    x, weight = jnp.asarray(np.random.default_rng(0).normal(size=(2, 3, 4))), jnp.arange(4.0)

    def fn(x: Array) -> Array:
        return jnp.sin(normalization.layer_norm(x, weight, weight, (2,), 1e-5)[0]).sum()

    want = jax.grad(fn)(x)
    assert "stored_by_rows" not in str(jax.make_jaxpr(fn)(x))
    monkeypatch.setattr(config, "platform", lambda: "gpu")
    assert str(jax.make_jaxpr(jax.grad(fn))(x)).count("stored_by_rows") == 2
    np.testing.assert_array_equal(jax.jit(jax.grad(lambda x: fn(x)))(x), want)
    np.testing.assert_allclose(jax.vmap(lambda x: fn(x[None]))(x), [fn(x[:1]), fn(x[1:])])
    again = lambda x: fn(x)  # JAX has traced `fn` for a CPU
    text = jax.jit(again).trace(x).lower(lowering_platforms=("cuda",)).as_text()
    assert "@LayoutConstraint" in text and "result_layouts = [dense<[2, 1, 0]>" in text
    assert "@LayoutConstraint" not in jax.export.export(jax.jit(again), platforms=("cuda",))(x).mlir_module()


@pytest.mark.parametrize("devices", [1, 4])
def test_what_is_divided_among_devices_keeps_its_layout(devices: int) -> None:
    """XLA would gather it first."""
    divided = NamedSharding(AbstractMesh((devices,), ("d",)), PartitionSpec("d"))
    fn = jax.jit(lambda x: normalization.by_rows(x * 2)[0] + 1, in_shardings=divided)
    lowered = fn.trace(jax.ShapeDtypeStruct((4, 3, 2), "float32")).lower(lowering_platforms=("cuda",))
    assert ("@LayoutConstraint" in lowered.as_text()) == (devices == 1)


@pytest.mark.parametrize("axes", AXES.values(), ids=AXES)
def test_values_and_derivatives(axes: tuple[int, ...]) -> None:
    """Also through mean and variance, forward, twice, and by `vmap`."""
    arrays = operands((2, 3, 2, 3), 3)
    along = [jnp.cos(3 * a) for a in arrays[:3]]

    def all_of(fn: Any) -> Any:
        first = jax.grad(loss(fn, axes), (0, 1, 2))
        second = jax.grad(lambda *xs: sum((g * g).sum() for g in first(*xs)), (0, 1, 2))
        forward = jax.jvp(lambda *xs: fn(*xs, *arrays[3:], axes=axes, **PARAMS), arrays[:3], along)
        both = jax.jvp(lambda *xs: first(*xs, *arrays[3:]), arrays[:3], along)
        rows = jax.vmap(first, (0, *[None] * 4))(jnp.stack([arrays[0], arrays[0] ** 2]), *arrays[1:])
        return fn(*arrays, axes=axes, **PARAMS), forward, first(*arrays), both, second(*arrays), rows

    got, expected = all_of(normalization.batch_norm_alone), all_of(written_out)
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_the_gradient_is_one_operation() -> None:
    def total(x: Array, *others: Array) -> Array:
        return normalization.batch_norm_alone(x, *others, axes=(0,), **PARAMS)[0].sum()

    graph = jax.make_jaxpr(jax.grad(total, (0, 1, 2)))(*operands((4, 3), 3))
    needed = jax.make_jaxpr(jax.jit(jax.grad(total, (0, 1, 2))))(*operands((4, 3), 3))
    assert [str(graph).count(f" {name}[") for name in ("batch_norm", "batch_norm_gradient")] == [1, 1]
    assert "batch_norm_derivative" not in str(needed)


def test_weight_and_bias_may_be_missing() -> None:
    x, _, _, *running = operands((4, 3), 3)
    one, other = (
        fn(x, None, None, *running, axes=(0,), **PARAMS)
        for fn in (normalization.batch_norm, normalization.batch_norm_alone)
    )
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_where_a_kernel_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "ARE_BUILT", True)
    x, _, _, *running = (a.astype("float32") for a in operands((2, 3, 2, 2), 3))
    is_cpu = jax.default_backend() == "cpu"
    assert normalization.has_kernel(x, *running, (0, 2, 3)) == is_cpu
    assert normalization.has_kernel(x[:, :, 0, 0], *running, (0,)) == is_cpu
    assert not normalization.has_kernel(x, *running, (0, 1, 2))
    assert not normalization.has_kernel(x[:0], *running, (0, 2, 3))
    assert not normalization.has_kernel(x.astype("float64"), *running, (0, 2, 3))
    assert not normalization.has_kernel(x, running[0].astype("float64"), running[1], (0, 2, 3))
    with off():
        assert not normalization.has_kernel(x, *running, (0, 2, 3))
    monkeypatch.setattr(kernels, "ARE_BUILT", False)
    assert not normalization.has_kernel(x, *running, (0, 2, 3))


def test_both_modes_use_the_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalization, "has_kernel", lambda *_: True)
    x, weight, bias, *running = (
        a.astype("float32") for a in operands((2, 3, 7, 5), 3)
    )  # of no other test: not compiled yet
    assert "batch_norm[" in str(jax.make_jaxpr(lambda x: batch_norm_train.raw(x, *running, weight, bias))(x))
    seen = []
    alone = normalization.batch_norm_alone
    monkeypatch.setattr(
        normalization, "batch_norm_alone", lambda *a, **k: seen.append(scope.tracing()) or alone(*a, **k)
    )
    for run in (ms.jit, lambda fn: fn):
        run(lambda x: ops.batch_norm(x, *map(Tensor, (*running, weight, bias)), training=True))(Tensor(x))
    assert {*seen} == {True, False}


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_network_learns_the_same_in_both_modes(dtype: str) -> None:
    def losses(graph: bool) -> list[float]:
        ms.set_seed(3)
        norm = nn.BatchNorm2d(5)
        net = nn.SequentialCell(nn.Conv2d(3, 5, 3), norm, nn.ReLU(), nn.Flatten(), nn.Dense(5 * 36, 1))
        net.set_train()
        optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9)
        x = Tensor(np.random.default_rng(0).normal(size=(4, 3, 6, 6)).astype(dtype))
        net.to_float(getattr(ms, dtype))

        def forward(x: Tensor) -> Tensor:
            return ops.square(net(x).astype(ms.float32) - 1).mean()

        both = ms.value_and_grad(forward, None, optimizer.parameters)

        def step(x: Tensor) -> Tensor:
            value, gradients = both(x)
            optimizer(gradients)
            return value

        run = ms.jit(step) if graph else step
        values = [float(run(x)) for _ in range(5)]
        return [*values, *norm.moving_mean.asnumpy().tolist(), *norm.moving_variance.asnumpy().tolist()]

    tolerance = 1e-4 if dtype == "float32" else 2e-2
    np.testing.assert_allclose(losses(False), losses(True), rtol=tolerance, atol=tolerance)
