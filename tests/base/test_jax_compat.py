"""The only door to private or version-dependent JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.base import jax_compat

X = np.arange(4, dtype=np.float32)


def test_tracers_of_the_running_trace() -> None:
    seen = []

    def outer(x: jax.Array) -> jax.Array:
        def inner(y: jax.Array) -> jax.Array:
            seen.append((jax_compat.is_tracer(x), jax_compat.is_of_current_trace(x), jax_compat.is_of_current_trace(y)))
            return x + y

        return jax.jit(inner)(x * 2)

    jax.make_jaxpr(outer)(X)
    assert seen == [(True, False, True)]
    assert not jax_compat.is_tracer(jnp.ones(1))


def test_weak_types_come_and_go() -> None:
    strong = jnp.asarray(X)
    weak = jax_compat.weakly_typed(strong)
    assert weak.aval.weak_type and weak.tolist() == X.tolist()
    assert not jax_compat.remove_weak_type(weak).aval.weak_type
    assert jax_compat.remove_weak_type(strong) is strong


def test_arrays_go_to_the_device() -> None:
    array = jax_compat.to_device(X)
    assert isinstance(array, jax.Array) and array.tolist() == X.tolist()
    assert jax.jit(lambda: jax_compat.to_device(X) + 1)().tolist() == (X + 1).tolist()


def test_a_one_is_made_once_for_each_dtype() -> None:
    first = jax_compat.one(np.float32)
    assert jax_compat.one(np.dtype("float32")) is first and first.dtype == np.float32 and first.item() == 1
    assert jax_compat.one(np.float16).dtype == np.float16
    assert jax.make_jaxpr(lambda x: x + jax_compat.one(np.float32))(1.0).out_avals[0].shape == ()


def test_room_is_aligned() -> None:
    for size in (1, 3, 1000):
        copy = jax_compat.aligned(np.arange(size, dtype=np.int16), np.dtype(np.float64))
        assert copy.ctypes.data % 64 == 0
        assert copy.dtype == np.float64 and copy.tolist() == list(range(size))


def test_options_apply_outside_of_traces_only() -> None:
    assert jax_compat.jit_with({"xla_cpu_enable_fast_math": False}, jnp.sum)(X) == 6
    own = jax_compat.jit_with({"xla_cpu_enable_fast_math": False}, lambda x: x * 2)
    assert jax.jit(lambda x: own(x) + 1)(X).tolist() == [1.0, 3.0, 5.0, 7.0]
    assert jax_compat.jit_with(None, jnp.sum)(X) == 6
    own.clear_cache()


def test_inputs_that_results_need() -> None:
    closed = jax.make_jaxpr(lambda a, b, c: (a + c, b))(1.0, 2.0, 3.0)
    assert jax_compat.needed_inputs(closed) == [True, True, True]
    fewer = jax_compat.without_output(closed, 0)
    assert jax_compat.needed_inputs(fewer) == [False, True, False]
    assert jax_compat.jaxpr_as_fun(fewer)(1.0, 2.0, 3.0) == [2.0]


def test_constants_become_inputs() -> None:
    kept, lifted = jnp.asarray(X), jnp.asarray(X * 10)
    closed = jax.make_jaxpr(lambda a: (a + kept, a + lifted))(X)
    graph = jax_compat.constants_as_inputs(closed, [c is lifted for c in closed.consts])
    outs = jax_compat.jaxpr_as_fun(graph)(X, X * 100)
    assert [out.tolist() for out in outs] == [(2 * X).tolist(), (101 * X).tolist()]


def test_operations_of_a_graph() -> None:
    def body(total: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        return total + x, total

    eqns = jax.make_jaxpr(lambda x: jax.lax.scan(body, 0.0, x, reverse=True))(X).jaxpr.eqns
    scan = next(eqn for eqn in eqns if eqn.primitive.name == "scan")
    assert jax_compat.scan_counts(scan.params) == (0, 1)
    assert [name for name, _ in jax_compat.jaxprs_in(scan)] == ["jaxpr"]
    assert jax_compat.inner_jaxpr(scan) is None
    total, sums = jax_compat.evaluate(scan, [jnp.float32(0), X], reverse=False)
    assert (total, sums.tolist()) == (6, [0, 0, 1, 3])


def test_what_a_call_only_wraps() -> None:
    (eqn,) = jax.make_jaxpr(jax.jit(lambda x: x + 1))(X).jaxpr.eqns
    inner = jax_compat.inner_jaxpr(eqn)
    assert [e.primitive.name for e in inner.jaxpr.eqns] == ["add"]
    operands = inner.jaxpr.eqns[0].invars
    assert [jax_compat.is_literal(a) for a in operands] == [False, True]


def test_where_an_operation_comes_from() -> None:
    def named(x: jax.Array) -> jax.Array:
        with jax.named_scope("outer"), jax.named_scope("inner"):
            return x + 1

    (eqn,) = jax.make_jaxpr(named)(X).jaxpr.eqns
    assert jax_compat.scopes_of(eqn) == (["outer", "inner"], [])
    line = named.__code__.co_firstlineno + 2
    assert (__file__, line) in jax_compat.frames_of(eqn)


def test_a_recomputed_part_for_some_of_its_results() -> None:
    both = jax.checkpoint(lambda a, b: (jnp.sin(a), jnp.cos(b)))
    (eqn,) = jax.make_jaxpr(both)(1.0, 2.0).jaxpr.eqns
    assert eqn.primitive.name in jax_compat.RECOMPUTED
    less = jax_compat.for_results(eqn, [False, True])
    assert less.invars == eqn.invars[1:] and less.outvars == eqn.outvars[1:]
    assert [e.primitive.name for e in less.params["jaxpr"].eqns] == ["cos"]


def test_custom_calls_of_an_exported_graph() -> None:
    def exported(fn) -> set[str]:
        return jax_compat.custom_calls(jax.export.export(jax.jit(fn))(jax.ShapeDtypeStruct((2, 2), np.float32)))

    assert exported(lambda x: x + 1) == set()
    assert any(
        "potrf" in name or "holesky" in name
        for name in exported(lambda x: jnp.linalg.qr(x)[0] + jnp.linalg.cholesky(x))
    )


def test_a_process_that_has_not_joined_others() -> None:
    assert not jax_compat.is_connected() and jax_compat.shared_table() is None


def test_what_no_graph_contains() -> None:
    for fn in (bool, int, np.asarray):
        with pytest.raises(jax_compat.UNTRACEABLE):
            jax.make_jaxpr(fn)(1.0)


def test_a_lowering_names_one_platform() -> None:
    with pytest.raises(ValueError, match="'gpu' stands for several of JAX's platforms; name 'cuda' or 'rocm'"):
        jax_compat.replace_lowering(None, "gpu", lambda: True, None, lambda: True)
