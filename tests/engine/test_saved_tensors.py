"""Packing of what a backward keeps: numbers stay as they are, and a graph saves what PyNative mode saves."""

import jax
import jax.numpy as jnp
import numpy as np

from sporax import Tensor
from sporax._src.engine.saved_tensors import pack, run_packed


def test_numbers_are_not_packed():
    seen: list[list[float]] = []

    def keep(tensor):
        seen.append(tensor.asnumpy().tolist())
        return tensor.asnumpy()

    arrays = [jnp.asarray(np.ones(2, np.float32)), jnp.asarray(3.0), np.zeros(1, np.float32)]
    unpack = pack((keep, Tensor), arrays)
    assert seen == [[1.0, 1.0], [0.0]]
    first, number, last = unpack()
    assert first.tolist() == [1.0, 1.0] and number is arrays[1] and last.tolist() == [0.0]


def test_a_function_in_a_trace():
    hooks = (lambda t: (t + 1, "text"), lambda packed: packed[0])

    def f(x, i):
        return run_packed(lambda x, i: (x * x, i), hooks, x, i)[0].sum()

    value, grad = jax.jit(jax.value_and_grad(f))(np.array([1.0, 2.0], np.float32), np.array([1, 0]))
    assert value == 5 and grad.tolist() == [4.0, 6.0]  # x is saved as x + 1
