"""A trace with variables for sizes computes what a trace for each size computes, or is not used."""

from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sporax as ms
from sporax import ops
from sporax._src.engine import numpy_fallback
from sporax._src.engine.any_size import AnySize, Scope, sizes_of, variables, varying
from sporax._src.engine.numpy_programs import NotInNumPy, Program

pytestmark = pytest.mark.of_cpus("NumPy computes for CPUs")


def test_sizes_that_change_together_have_one_name():
    assert varying(((8, 20, 4), (20, 20)), ((8, 31, 4), (31, 31))) == ((8, "n0", 4), ("n0", "n0"))
    assert varying(((8, 20), (20,)), ((9, 31), (32,))) == (("n0", "n1"), ("n2",))
    assert varying(((8, 20),), ((8, 20, 1),)) is None


def test_a_pattern_fits_shapes_of_its_sizes():
    pattern = ((8, "n0"), ("n0", "n1"))
    assert sizes_of(pattern, ((8, 5), (5, 7))) == {"n0": 5, "n1": 7}
    assert sizes_of(pattern, ((8, 5), (6, 7))) is None
    assert sizes_of(pattern, ((9, 5), (5, 7))) is None
    assert sizes_of(pattern, ((8, 5), (5, 7, 1))) is None


def traced(fn, *arrays, pattern):
    scope = Scope.of(pattern, tuple(a.shape for a in arrays))
    return AnySize(fn, variables(arrays, pattern, scope), scope)


def serves(any_size, n, wanted, *others):
    """Return whether a trace is used for n ones; it must give the result. A cache of JAX may have compared a size with n."""
    try:
        program = any_size.at({"n0": n})
    except NotInNumPy:
        return False
    np.testing.assert_array_equal(program([np.ones(n, np.float32), *others])[0], wanted)
    return True


FUNCTIONS = {
    "softmax": lambda x: jax.nn.softmax(x, 0),
    "mean and variance": lambda x: (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-3),
    "counts": lambda x: jnp.cumsum(x, 0) / jnp.arange(1, x.shape[0] + 1, dtype=np.float32)[:, None],
    "halves": lambda x: jax.lax.slice_in_dim(x, 0, x.shape[0] // 2),
    "outer product": lambda x: jnp.einsum("ni,mi->nm", x, x),
    "gradient": lambda x: jax.vjp(lambda y: jnp.tanh(y @ y.T).sum(1), x)[1](jnp.ones(x.shape[0], np.float32)),
    "padding": lambda x: jnp.pad(x, ((1, 2), (0, 0))),
    "reshaped": lambda x: x.reshape(-1, 1),
}


@pytest.mark.parametrize("fn", FUNCTIONS.values(), ids=FUNCTIONS)
def test_one_trace_serves_all_sizes(fn):
    rows = np.random.default_rng(0).standard_normal((40, 3)).astype(np.float32)
    any_size = traced(fn, rows, pattern=(("n0", 3),))
    served = 0
    for n in (2, 7, 16, 33):
        try:
            program = any_size.at({"n0": n})
        except NotInNumPy:  # a cache of JAX has compared the size with this number
            continue
        served += 1
        wanted = Program(jax.make_jaxpr(fn)(rows[:n]))([rows[:n]])
        for result, value in zip(program([rows[:n]]), wanted, strict=True):
            assert result.dtype == value.dtype
            np.testing.assert_array_equal(result, value)
    assert served >= 2


def test_a_trace_is_not_used_where_a_comparison_of_sizes_had_another_result():
    def fn(x):
        if x.shape[0] % 2 == 0:
            return x * 2
        return x + (1 if x.shape[0] == 5 else 3)

    any_size = traced(fn, np.ones(3, np.float32), pattern=(("n0",),))
    assert any(serves(any_size, n, np.full(n, 4)) for n in (7, 9, 11, 13))
    for n in (4, 5, 10):
        with pytest.raises(NotInNumPy):
            any_size.at({"n0": n})


def test_a_size_that_is_compared_with_another_argument():
    fn = lambda x, y: x + y if x.shape == y.shape else x.sum() + y
    x, y = np.ones(3, np.float32), np.ones(4, np.float32)
    any_size = traced(fn, x, y, pattern=(("n0",), (4,)))
    assert any(serves(any_size, n, np.full(4, n + 1), y) for n in (5, 6, 7, 8))
    with pytest.raises(NotInNumPy):
        any_size.at({"n0": 4})


def test_a_trace_is_used_where_the_same_size_is_the_larger():
    any_size = traced(lambda x: x * 2 if x.shape[0] > 5 else x, np.ones(9, np.float32), pattern=(("n0",),))
    assert any(serves(any_size, n, np.full(n, 2)) for n in (6, 17, 18, 19))
    for n in (4, 5):
        with pytest.raises(NotInNumPy):
            any_size.at({"n0": n})


def test_a_function_that_needs_its_sizes_has_no_such_trace():
    with pytest.raises(NotInNumPy):
        traced(lambda x: sum(x[i] for i in range(x.shape[0])), np.ones(3, np.float32), pattern=(("n0",),))


# --- operators ------------------------------------------------------------------------------------------------------------

NETWORKS = {
    "attention": lambda x: ops.matmul(ops.softmax(ops.matmul(x, x.swapaxes(1, 2)) / x.shape[1], -1), x),
    "layer norm": lambda x: ops.layer_norm(x, (4,), ops.ones(4), ops.zeros(4)),
    "statistics": lambda x: ops.concat(
        (x.mean(1, keep_dims=True), x.max(1, keepdims=True), x.std(1, keepdims=True)), 1
    ),
    "rows": lambda x: ops.gather(x, ops.arange(x.shape[1] - 1, -1, -1), 1) * x[:, :1],
    "images": lambda x: ops.max_pool2d(ops.conv2d(x.expand_dims(1), ops.ones((2, 1, 2, 2))), 2),
    "reshaped": lambda x: ops.tanh(x.reshape(-1, 2)).reshape(x.shape),
    "sorted": lambda x: ops.sort(x, 1)[0] * ops.cumsum(x, 1),
    "triangle": lambda x: ops.tril(ops.matmul(x, x.swapaxes(1, 2))),
    "padded": lambda x: ops.pad(x, [0, 0, 1, 1]) ** 2,
}


@pytest.mark.parametrize("name", NETWORKS)
@settings(max_examples=3, deadline=None)
@given(sizes=st.lists(st.integers(3, 60), min_size=4, max_size=8, unique=True), seed=st.integers(0, 99))
def test_new_sizes_change_no_result(name, sizes, seed):
    random, net = np.random.default_rng(seed), NETWORKS[name]
    gradient = ms.value_and_grad(lambda x: (net(x) * 0.1).sum())
    inputs = [random.standard_normal((2, n, 4)).astype(np.float32) for n in (61, 62, 63, *sizes)]

    def results():
        return [tuple(t.asnumpy() for t in gradient(ms.Tensor(x))) for x in inputs]

    computed = Counter()

    def counting(program, arrays):
        computed["programs"] += 1
        return on_device(program, arrays)

    on_device = Program.on_device
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numpy_fallback, "USUAL", 0)
        patch.setattr(Program, "on_device", counting)
        found = results()
    assert computed["programs"] >= 2 * len(sizes)
    ms.set_deterministic(True)
    try:
        wanted = results()
    finally:
        ms.set_deterministic(False)
    for pair, expected in zip(found, wanted, strict=True):
        for result, value in zip(pair, expected, strict=True):
            np.testing.assert_allclose(result, value, rtol=1e-4, atol=1e-5)
