"""What is known of the operations of a trace before NumPy runs them."""

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.engine.numpy_equations import OF_A_CALL, has_variables, needed, sized, work_of
from sporax._src.engine.numpy_programs import Program

X = np.ones((4, 8), np.float32)


def operations(fn, *arrays):
    return jax.make_jaxpr(fn)(*arrays).jaxpr.eqns


def test_unused_operations_are_left_out():
    graph = jax.make_jaxpr(lambda x: (jnp.tanh(x).sum(), jnp.exp(x))[0])(X).jaxpr
    assert [e.primitive.name for e in needed(graph)] == ["tanh", "reduce_sum"]


def test_variables_get_values():
    (rows,) = jax.export.symbolic_shape("n")
    (eqn,) = operations(lambda x: jnp.broadcast_to(x, (3, *x.shape)), jax.ShapeDtypeStruct((rows, 8), np.float32))
    assert has_variables(eqn) and not has_variables(operations(jnp.tanh, X)[0])
    now = sized(eqn, {"n": 5})
    assert now.outvars[0].aval.shape == (3, 5, 8) == now.params["shape"]


def test_work_grows_with_products_and_loops():
    (product,) = operations(lambda x: jax.lax.dot(x, np.ones((8, 16), np.float32)), X)
    assert work_of(product) == 4 * 16 * 8 // 16
    assert work_of(operations(jnp.tanh, X)[0]) == 32 + OF_A_CALL
    once = Program(jax.make_jaxpr(jnp.tanh)(X)).work
    often = Program(jax.make_jaxpr(lambda x: jax.lax.fori_loop(0, 50, lambda _, v: jnp.tanh(v), x))(X)).work
    assert often > 40 * once


def test_slow_runs_are_fewer():
    program = Program(jax.make_jaxpr(jnp.tanh)(X))
    assert program.most_runs(64) == 64
    program.work = 2**29
    assert program.most_runs(64) == 8
    program.work = 2**40
    assert program.most_runs(64) == 2
