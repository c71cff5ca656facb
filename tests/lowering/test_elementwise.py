"""Chains of elementwise operations over groups of arrays."""

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.lowering.elementwise import Program, elementwise

# √(a + 2) - a · number, and its square
PROGRAM = Program(
    2, (2.0,), (("add", (0, 2)), ("sqrt", (3,)), ("mul", (0, 1)), ("sub", (4, 5)), ("mul", (6, 6))), (6, 7)
)
A, B = np.linspace(0, 3, 6, dtype=np.float32).reshape(2, 3), np.float32([5, 7, 11, 13])
NUMBERS = np.float32(3), np.float32(-1)


def of(a, number):
    root = np.sqrt(a + np.float32(2)) - a * number
    return root, root * root


def computed(*arrays, program=PROGRAM, reused=()):
    return elementwise(*map(jnp.asarray, arrays), program=program, reused=reused)


def test_each_group_has_its_results_in_turn():
    results = computed(A, NUMBERS[0], B, NUMBERS[1])
    expected = [*of(A, NUMBERS[0]), *of(B, NUMBERS[1])]
    assert [r.shape for r in results] == [(2, 3), (2, 3), (4,), (4,)]
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-6)


def test_its_derivatives_are_those_of_its_operations():
    gradient = jax.grad(lambda a: computed(a, NUMBERS[0])[1].sum())(jnp.asarray(A))
    root = of(A, NUMBERS[0])[0]
    np.testing.assert_allclose(gradient, 2 * root * (0.5 / np.sqrt(A + 2) - 3), rtol=1e-5)


def test_it_can_be_mapped():
    results = jax.vmap(lambda a: computed(a, NUMBERS[0]))(jnp.asarray(A))
    np.testing.assert_allclose(results[1], of(A, NUMBERS[0])[1], rtol=1e-6)


def test_other_dtypes_are_computed_by_their_own_operations():
    (result,) = computed(A.astype(np.float16), program=Program(1, (0.1,), (("mul", (0, 1)),), (2,)))
    np.testing.assert_array_equal(result, A.astype(np.float16) * np.float16(0.1))


def test_comparisons_choose_between_values():
    program = Program(1, (0.0,), (("gt", (0, 1)), ("neg", (0,)), ("select_n", (2, 3, 0))), (4,))
    (result,) = computed(A - 1, program=program)
    np.testing.assert_array_equal(result, np.abs(A - 1))
