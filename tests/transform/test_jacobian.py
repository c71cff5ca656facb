"""Derivatives along directions, Jacobians and Hessians, in both modes."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, ops

MATRIX = Tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ms.vmap(3), RuntimeError, "must be a function"),
        (lambda: ms.vmap(lambda x: x, "a"), RuntimeError, "in_axes must be"),
        (lambda: ms.vmap(lambda x: x, None)(MATRIX), RuntimeError, "None for every argument"),
        (lambda: ms.vmap(lambda x: x, 3)(MATRIX), RuntimeError, "out of range"),
        (lambda: ms.vmap(lambda x: x, 0, "a"), RuntimeError, "out_axes must be"),
        (lambda: ms.vmap(lambda x: x, 0, 3)(MATRIX), RuntimeError, "out_axes gives axis 3 for a result of 1 axes"),
        (lambda: ms.vmap(lambda x: x, 0, (0, 0))(MATRIX), RuntimeError, r"out_axes gives \(0, 0\) for one Tensor"),
        (lambda: ms.vmap(lambda x, y: x, (0,))(MATRIX, MATRIX), RuntimeError, "1 entries for 2"),
        (lambda: ms.vmap(lambda x, y: x)(MATRIX, Tensor([1.0])), RuntimeError, "one size"),
        (lambda: ms.jvp(lambda x: x, MATRIX, Tensor([1.0])), ValueError, "its input's shape"),
        (lambda: ms.jvp(lambda x: x, MATRIX, MATRIX, 1), TypeError, "has_aux must be a bool, got int"),
        (lambda: ms.jvp(lambda x: x, MATRIX, MATRIX, True), ValueError, "jvp: has_aux=True needs a function with"),
        (lambda: ms.vjp(lambda x: x, MATRIX, has_aux="x"), TypeError, "has_aux must be a bool, got str"),
        (lambda: ms.vjp(lambda x: x, MATRIX, has_aux=True), ValueError, "vjp: has_aux=True needs a function with"),
        (lambda: ms.vjp(lambda x: x, 3), TypeError, "vjp: inputs must be Tensors, got 3"),
        (lambda: ms.vjp(lambda x: x, MATRIX)[1](3), TypeError, "vjp: sensitivities must be Tensors, got 3"),
        (lambda: ms.jacfwd(lambda x: x, 0, 1), TypeError, "has_aux must be a bool"),
        (lambda: ms.jacrev(lambda x: x, 0, True)(MATRIX), ValueError, "jacrev: has_aux=True needs a function with"),
        (lambda: ms.jacrev(lambda x: x, 2)(MATRIX), ValueError, "grad_position 2 is out of range for 1 arguments"),
        (lambda: ms.jacfwd(lambda x: x)(3), TypeError, "jacfwd: argument 0 must be a Tensor, got 3"),
        (lambda: ops.cond(Tensor(True), 1, 2), TypeError, "true_func must be a function"),
        (lambda: ops.scan(lambda c, x: (c, x), MATRIX, None), ValueError, "length"),
        (lambda: ms.mutable("x"), TypeError, "mutable"),
        (lambda: MATRIX.register_hook(1), TypeError, "hook_fn must be a function"),
    ],
)
def test_what_transforms_refuse(call, error, text) -> None:
    """Each misuse has one clear message."""
    with pytest.raises(error, match=text):
        call()


def test_jvp_and_vjp(mode) -> None:
    """Directional derivatives both ways, with aux outputs and weights."""
    _, tangent = ms.jvp(lambda a, b: a * b, (MATRIX, MATRIX), (MATRIX, MATRIX))
    np.testing.assert_array_equal(tangent.asnumpy(), 2 * MATRIX.asnumpy() ** 2)
    _, pull = ms.vjp(lambda a, b: a * b, MATRIX, Tensor(MATRIX.asnumpy()))
    by_a, by_b = pull(Tensor([1.0, 0.0, 2.0]))
    np.testing.assert_array_equal(by_a.asnumpy(), [1.0, 0.0, 6.0])
    np.testing.assert_array_equal(by_b.asnumpy(), [1.0, 0.0, 6.0])
    _, pull, _ = ms.vjp(lambda a: (a * a, a), MATRIX, has_aux=True)
    np.testing.assert_array_equal(pull(MATRIX)[0].asnumpy(), 2 * MATRIX.asnumpy() ** 2)
    w = Parameter(Tensor(2.0), name="w")
    by_input, by_weight = ms.vjp(lambda a: a * w, MATRIX, weights=w)[1](MATRIX)
    assert float(by_weight) == 14.0 and by_input[0].shape == (3,)


def test_linearize(mode) -> None:
    """The derivative along any direction, of a function that runs once."""
    runs, kept = [], Parameter(Tensor(0.0), name="kept")

    def fn(a, b):
        kept.set_data(a.sum())
        return a * b, a.sum()

    def counted(a, b):
        runs.append(1)
        return fn(a, b)

    (product, total), along = ops.linearize(counted, (MATRIX, MATRIX))
    for v in (MATRIX, Tensor([1.0, 0.0, 2.0])):
        _, (want, by_sum) = ms.jvp(fn, (MATRIX, MATRIX), (v, v))
        got = along((v, v))
        np.testing.assert_array_equal(got[0].asnumpy(), want.asnumpy())
        assert float(got[1]) == float(by_sum)
    assert product.asnumpy().tolist() == [1.0, 4.0, 9.0] and float(total) == float(kept) == 6.0
    before = len(runs)
    along((MATRIX, MATRIX))
    assert len(runs) == before
    with pytest.raises(ValueError, match="linearize: 2 inputs need as many directions, got 1"):
        along(MATRIX)


@pytest.mark.parametrize("jacobian", [ms.jacfwd, ms.jacrev])
def test_jacobians(jacobian, mode) -> None:
    """The Jacobian of x² is diagonal; positions and several outputs nest."""
    np.testing.assert_array_equal(jacobian(lambda a: a * a)(MATRIX).asnumpy(), np.diag([2.0, 4.0, 6.0]))
    one, two = jacobian(lambda a, b: a * b, (0, 1))(MATRIX, MATRIX * 2)
    np.testing.assert_array_equal(one.asnumpy(), np.diag([2.0, 4.0, 6.0]))
    np.testing.assert_array_equal(two.asnumpy(), np.diag([1.0, 2.0, 3.0]))
    rows, aux = jacobian(lambda a: (a * a, a + 1), has_aux=True)(MATRIX)
    assert rows.shape == (3, 3) and aux.shape == (3,)


def test_hessian(mode) -> None:
    """Forward over reverse."""
    hessian = ms.jacfwd(ms.grad(lambda a: (a * a * a).sum()))
    np.testing.assert_array_equal(hessian(MATRIX).asnumpy(), np.diag([6.0, 12.0, 18.0]))


def test_get_grad(mode) -> None:
    """A gradient by position, name or Parameter."""
    w = Parameter(Tensor(2.0), name="w")
    found = ms.grad(lambda a: a * w, 0, [w], return_ids=True)(Tensor(3.0))
    assert float(ms.get_grad(found, 0)) == 2.0
    assert float(ms.get_grad(found, "w")) == float(ms.get_grad(found, w)) == 3.0
    with pytest.raises(RuntimeError, match="no gradient of 'q'"):
        ms.get_grad(found, "q")


def test_the_same_tensor_twice(mode) -> None:
    """In PyNative mode it is one variable; a graph tells the positions apart, as in MindSpore."""
    pull = ms.vjp(lambda a, b: a * a * b, MATRIX, MATRIX)[1]
    for by_a, by_b in (ms.grad(lambda a, b: a * a * b, (0, 1))(MATRIX, MATRIX), pull(Tensor([1.0, 1.0, 1.0]))):
        one, other = (3, 3) if mode == ms.PYNATIVE_MODE else (2, 1)
        np.testing.assert_array_equal(by_a.asnumpy(), one * MATRIX.asnumpy() ** 2)
        np.testing.assert_array_equal(by_b.asnumpy(), other * MATRIX.asnumpy() ** 2)
