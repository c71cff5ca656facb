"""Normalization over the batch by the kernels in C++: values and gradients against float64, shapes of all kinds, special values."""

import os
import shutil
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.lowering import off
from sporax._src.lowering.normalization import batch_norm, batch_norm_alone, batch_norm_of_last, gradient_of_last

pytestmark = [
    pytest.mark.of_cpus("the kernels are for CPUs"),
    pytest.mark.skipif(
        shutil.which("c++") is None and not kernels.ARE_BUILT, reason="the wheel was built without a compiler"
    ),
]
EPS, MOMENTUM = 1e-5, 0.1
SHAPES = [
    (4, 3, 5, 7), (2, 24, 16, 16), (3, 2, 1, 1), (5, 70), (33, 16), (300, 5), (1, 3, 4, 4), (1, 2), (7, 1), (9, 1, 3, 3),
    (3, 37, 3, 3), (2, 130, 1, 2), (3, 9, 15), (3, 2, 16), (2, 3, 17), (1, 2, 70, 71), (2, 3, 2, 3, 4), (70, 2, 3, 11),
]  # fmt: skip


def operands(shape: tuple[int, ...], offset: float = 0.3) -> list[np.ndarray]:
    """Return x, weight, bias, running mean and variance."""
    rng = np.random.default_rng(0)
    return [
        (rng.normal(size=s) + o).astype(np.float32)
        for s, o in zip((shape, *[shape[1:2]] * 4), (offset, 1, 0, 0, 2), strict=True)
    ]


def fixed(x: Any) -> dict[str, Any]:
    return {"axes": (0, *range(2, x.ndim)), "eps": EPS, "momentum": MOMENTUM}


@jax.jit
def by_kernels(ct: Any, *arrays: Any) -> Any:
    """Return the results, and the gradients of x, weight and bias."""

    def fn(*moving: Any) -> Any:
        outs = batch_norm_alone(*moving, *arrays[3:], **fixed(arrays[0]))
        return outs[0], outs

    _, pull, outs = jax.vjp(fn, *arrays[:3], has_aux=True)
    return outs, pull(ct)


@jax.jit
def by_kernels_of_last(ct: Any, x: Any, weight: Any, *others: Any) -> Any:
    """Return the same as `by_kernels`, computed with the channels last."""
    last, first = (lambda a: jnp.moveaxis(a, 1, -1)), (lambda a: jnp.moveaxis(a, -1, 1))
    y, mean, var, *new = batch_norm_of_last(last(x), weight, *others, eps=EPS, momentum=MOMENTUM)
    of_x, *of_others = gradient_of_last(last(x), weight, mean, var, last(ct), eps=EPS)
    return [first(y), mean, var, *new], [first(of_x), *of_others]


FORMS = pytest.mark.parametrize("compute", [by_kernels, by_kernels_of_last], ids=["first", "last"])


def exactly(ct: np.ndarray, *arrays: np.ndarray) -> Any:
    """Return the same in float64, by NumPy."""
    ct, x, weight, bias, running_mean, running_var = (a.astype(np.float64) for a in (ct, *arrays))
    axes, wide = (0, *range(2, x.ndim)), (-1, *[1] * (x.ndim - 2))
    count = x.size / weight.size
    mean, var = x.mean(axes), x.var(axes)
    root = np.sqrt(var + EPS).reshape(wide)
    unit, scale = (x - mean.reshape(wide)) / root, weight.reshape(wide) / root
    moved = [0.9 * running_mean + 0.1 * mean, 0.9 * running_var + 0.1 * var * count / max(count - 1, 1)]
    of_weight, of_bias = (ct * unit).sum(axes), ct.sum(axes)
    of_x = scale * (ct - of_bias.reshape(wide) / count - unit * of_weight.reshape(wide) / count)
    return [unit * weight.reshape(wide) + bias.reshape(wide), mean, var, *moved], [of_x, of_weight, of_bias]


def close(got: Any, expected: Any, tolerance: float = 2e-6) -> None:
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(float(np.abs(b).max(initial=0)), 1))


@pytest.mark.parametrize(
    ("compute", "kind"), [(by_kernels, ""), (by_kernels_of_last, "_factors")], ids=["first", "last"]
)
def test_the_kernels_are_used(compute: Any, kind: str) -> None:
    x, *others = operands((4, 3, 2, 2))
    text = compute.lower(x, x, *others).as_text()
    for name in (f"@sporax_batch_norm{kind}_f32", f"@sporax_batch_norm_gradient{kind}_f32"):
        assert text.count(name) == 1
    with off():
        assert "sporax_" not in compute.lower(x, x, *others).as_text()


@FORMS
@pytest.mark.parametrize("shape", [*SHAPES, (3, 70, 40, 41)], ids=str)
def test_values_and_gradients(compute: Any, shape: tuple[int, ...]) -> None:
    ct = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    tolerance = (
        2e-6 if np.prod(shape) > 4 * shape[1] else 1e-3
    )  # few numbers may lie close together, as two that are divided by √eps
    close(compute(ct, *operands(shape)), exactly(ct, *operands(shape)), tolerance)


@FORMS
def test_long_sums_and_large_means(compute: Any) -> None:
    tolerance = 2e-6 if compute is by_kernels else 3e-6  # of terms of 4 that cancel, which XLA rounds
    for shape in ((8, 2, 200, 200), (30000, 3)):
        ct = np.ones(shape, np.float32) + operands(shape)[0]
        close(compute(ct, *operands(shape)), exactly(ct, *operands(shape)), tolerance)
        with off():
            theirs = compute(ct, *operands(shape, 100.0))[0]
        ours, exact = compute(ct, *operands(shape, 100.0))[0], exactly(ct, *operands(shape, 100.0))[0]
        for one, other, true in zip(ours[1:3], theirs[1:3], exact[1:3], strict=True):
            error, usual = (np.abs(np.asarray(a, np.float64) - true).max() for a in (one, other))
            assert error <= usual + 1e-6 * np.abs(true).max()


def test_an_empty_batch() -> None:
    """XLA computes it."""
    x, *others = operands((0, 3, 2, 2))
    outs, (of_x, of_weight, of_bias) = by_kernels(x, x, *others)
    assert outs[0].shape == of_x.shape == x.shape and np.isnan(outs[1]).all()
    assert not of_weight.any() and not of_bias.any()


@FORMS
@pytest.mark.parametrize("shape", [(3, 4, 5, 5), (3, 4)], ids=str)
def test_special_values(compute: Any, shape: tuple[int, ...]) -> None:
    """NaN and infinity spread in their channel, as with XLA's operations."""
    x, *others = operands(shape)
    x[1, 0], x[2, 1], x[0, 2] = np.nan, np.inf, 1e30
    ct = np.ones(shape, np.float32)
    ct[1, 3] = np.nan
    got = compute(ct, x, *others)
    with off():
        expected = compute(ct, x, *others)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        assert np.array_equal(np.isfinite(a), np.isfinite(b)), (a, b)
        assert np.array_equal(np.isnan(a), np.isnan(b)), (a, b)


def test_other_derivatives() -> None:
    """Forward mode, second derivatives, `vmap`, and gradients through mean and variance."""
    x, *others = operands((4, 3, 5))

    def all_of(fn: Any, *arrays: jax.Array) -> Any:
        def total(x: Any, weight: Any) -> Any:
            outs = fn(x, weight, *arrays[2:], **fixed(x))
            return sum((o**3 * jnp.cos(jnp.arange(o.size)).astype(o.dtype).reshape(o.shape)).sum() for o in outs[:3])

        first = jax.grad(total, (0, 1))
        twice = jax.grad(lambda *p: sum((g * g).sum() for g in first(*p)), (0, 1))
        along = jnp.cos(arrays[0] * 3), jnp.cos(arrays[1])
        several = jax.vmap(first, (0, None))(jnp.stack([arrays[0], -(arrays[0] ** 2)]), arrays[1])
        return jax.jvp(total, arrays[:2], along), first(*arrays[:2]), twice(*arrays[:2]), several

    got = jax.jit(lambda *a: all_of(batch_norm_alone, *a))(x, *others)
    expected = jax.jit(lambda *a: all_of(batch_norm, *a))(*(a.astype(np.float64) for a in (x, *others)))
    close(got, expected, 1e-4)


THREADS = """
import sys, numpy as np, jax
import sporax
import test_normalization as t
for shape in [(4, 40, 17, 19), (70, 300), (9, 50, 3, 3), (2, 3, 40, 40), (4, 70, 30, 30)]:
    ct = np.cos(np.arange(np.prod(shape), dtype=np.float32)).reshape(shape)
    for compute in (t.by_kernels, t.by_kernels_of_last):
        for out in jax.tree.leaves(compute(ct, *t.operands(shape))):
            sys.stdout.buffer.write(np.asarray(out).tobytes())
"""


def test_the_number_of_threads_changes_no_bit() -> None:
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("processors are chosen on Linux only")
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    program = "import os; os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:{}])\n" + THREADS
    one, all_of_them = (
        subprocess.run(
            [sys.executable, "-c", program.format(count)],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            check=True,
        ).stdout
        for count in (1, "")
    )
    assert len(one) > 100_000 and one == all_of_them


def test_a_channel_has_the_same_bits_among_any_others() -> None:
    x, *others = operands((6, 40, 7, 9))
    ct = np.cos(x)
    whole = by_kernels(ct, x, *others)
    for begin, end in ((0, 2), (13, 29)):
        part = by_kernels(ct[:, begin:end], x[:, begin:end], *(a[begin:end] for a in others))
        for some, every in zip(jax.tree.leaves(part), jax.tree.leaves(whole), strict=True):
            assert np.array_equal(some, every[:, begin:end] if every.ndim > 1 else every[begin:end])


def test_divided_among_devices() -> None:
    """XLA divides its own operations; the kernel is for arrays that are on one device."""
    program = """
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec
import test_normalization as t
mesh = Mesh(np.array(jax.devices()), ("d",))
x, *others = t.operands((4, 3, 5))
expected = t.by_kernels(x, x, *others)
placed = [jax.device_put(a, NamedSharding(mesh, PartitionSpec("d") if a.ndim == 3 else PartitionSpec())) for a in (x, x, *others)]
assert "sporax_" not in t.by_kernels.lower(*placed).as_text()
t.close(t.by_kernels(*placed), expected, 1e-5)
"""
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    variables = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
