"""`scipy.linalg`, against SciPy and what MindSpore 2.7.0 answered."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from scipy_results import A, assert_same, plain

import sporax as ms
from sporax import Tensor

B = np.array([[1.0, 2], [3, 4], [5, 6]], np.float32)


linalg, optimize = ms.scipy.linalg, ms.scipy.optimize


SAME = {
    "inv": ((A,), {}),
    "cholesky": ((A,), {}),
    "cholesky lower": ((A,), {"lower": True}),
    "lu_factor": ((A[::-1].copy(),), {}),
    "lu": ((A[::-1].copy(),), {}),
    "lu wide": ((B.T.copy(),), {}),
    "lu permuted": ((A[::-1].copy(),), {"permute_l": True}),
    "block_diag": ((A, B, np.array([7.0, 8.0], np.float32)), {}),
    "eigh": ((A,), {"eigvals_only": True}),
    "eigh upper": ((np.triu(A), None), {"lower": False, "eigvals_only": True}),
    "solve_triangular": ((A, B), {}),
    "solve_triangular vector": ((A, B[:, 0]), {"lower": True}),
    "solve_triangular T": ((A, B), {"trans": "T", "unit_diagonal": True}),
    "solve_triangular 1": ((A, B), {"trans": 1, "lower": True}),
}


@pytest.mark.parametrize("case", SAME)
def test_as_scipy(case: str, mode: int) -> None:
    name, (args, options) = case.split()[0], SAME[case]
    got = getattr(linalg, name)(*[Tensor(a) if isinstance(a, np.ndarray) else a for a in args], **options)
    assert_same(got, getattr(scipy.linalg, name)(*args, **options))


def test_eigenvectors(mode: int) -> None:
    a = np.array([[2, 1j], [-1j, 3]], np.complex64)
    for matrix in (A, a):
        values, vectors = plain(linalg.eigh(Tensor(matrix)))
        assert values.dtype == vectors.dtype == matrix.dtype
        np.testing.assert_allclose(matrix @ vectors, vectors * values, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("lower", [False, True])
def test_solving_with_a_cholesky_factor(lower: bool, mode: int) -> None:
    factor = linalg.cho_factor(Tensor(A), lower=lower)
    assert factor[1] is lower
    for b in (B, B[:, 0]):
        assert_same(linalg.cho_solve(factor, Tensor(b)), np.linalg.solve(A, b))


@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelsd", "gelss"])
def test_least_squares(driver: str | None) -> None:
    b = A[:, :2]
    x, residuals, rank, s = plain(linalg.lstsq(Tensor(B), Tensor(b), driver=driver))
    expected = scipy.linalg.lstsq(B, b, lapack_driver="gelsd")
    np.testing.assert_allclose(x, expected[0], rtol=1e-4)
    # the parts that the driver leaves empty, as MindSpore returns them
    tall = expected[1] if driver not in (None, "gelsy") else []
    np.testing.assert_allclose(residuals, tall, rtol=1e-4)
    np.testing.assert_array_equal(rank, np.zeros(0, int) if driver == "gels" else 2)
    np.testing.assert_allclose(s, expected[3] if driver in ("gelsd", "gelss") else [], rtol=1e-4)


def test_least_squares_of_deficient_and_stacked_matrices() -> None:
    assert_same(linalg.lstsq(Tensor(np.ones((3, 2), np.float32)), Tensor(A[:, 0]))[::2], (np.full(2, 7 / 6), 1))
    x, _, rank, _ = plain(linalg.lstsq(Tensor(np.stack([B, B])), Tensor(np.stack([A, A]))))
    assert x.shape == (2, 2, 3) and rank.tolist() == [2, 2]
    wide = plain(linalg.lstsq(Tensor(B.T.copy()), Tensor(A[:2]), driver="gelsd"))
    np.testing.assert_allclose(B.T @ wide[0], A[:2], rtol=1e-4, atol=1e-5)
    assert wide[1].size == 0


def test_integers_are_computed_in_float64() -> None:
    assert linalg.inv(Tensor(A.astype(np.int32))).dtype == ms.float64
    ints = linalg.solve_triangular(Tensor(A.astype(np.int32)), Tensor(B.astype(np.int32)))
    assert ints.dtype == ms.float32
    assert linalg.block_diag().shape == (1, 0)


def test_gradients() -> None:
    def solved(a: Tensor, b: Tensor) -> Tensor:
        return linalg.cho_solve(linalg.cho_factor(a), b).sum()

    by_b = ms.grad(solved, 1)(Tensor(A), Tensor(B))
    assert_same(by_b, np.broadcast_to(np.linalg.inv(A).sum(0)[:, None], (3, 2)))
    inverse = np.linalg.inv(A)
    assert_same(ms.grad(lambda a: linalg.inv(a).sum())(Tensor(A)), -np.outer(inverse.sum(0), inverse.sum(1)))


ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: linalg.inv(A), TypeError, r"For 'inv', the type of 'a' should be Tensor, but got float32\[3, 3\]"),
    (lambda: linalg.inv(Tensor(A), 1), TypeError, "For 'inv', the type of 'overwrite_a' should be bool, but got 1"),
    (lambda: linalg.inv(Tensor(A.astype(np.float16))), TypeError, "the data type of 'a' should be one of"),
    (lambda: linalg.inv(Tensor(B)), ValueError, r"should be a square matrix like \(N, N\), but got \(3, 2\)"),
    (lambda: linalg.cholesky(Tensor(A[0])), ValueError, "For 'cholesky', the dimension of 'a' should be 2, but got 1"),
    (lambda: linalg.lu(Tensor(B)), ValueError, "must be row less or equal to col"),
    (lambda: linalg.eigh(Tensor(A), Tensor(A)), ValueError, "currently only case b=None"),
    (lambda: linalg.eigh(Tensor(A), type=1.5), TypeError, "the type of 'type' should be int, but got 1.5"),
    (lambda: linalg.block_diag(Tensor(A[None])), ValueError, "must have at most 2 dimensions"),
    (lambda: linalg.cho_solve((Tensor(A), True), Tensor(B[:2])), ValueError, "rows of the matrix and 'b'"),
    (lambda: linalg.cho_solve((Tensor(A), True), B), TypeError, "the type of 'b' should be Tensor"),
    (lambda: linalg.solve_triangular(Tensor(A), Tensor(B), "X"), ValueError, "trans must be one of .*got 'X'"),
    (
        lambda: linalg.solve_triangular(Tensor(B), Tensor(B)),
        ValueError,
        "the last two dimensions of 'a' should be the same",
    ),
    (lambda: linalg.solve_triangular(A, B), TypeError, "the matrix should be a Tensor of two axes or more"),
    (lambda: linalg.lstsq(Tensor(B), Tensor(A), driver="x"), ValueError, "driver must be .*got 'x'"),
    (
        lambda: linalg.lstsq(Tensor(B), Tensor(A.astype(np.float64))),
        TypeError,
        "the dtypes of the operands must be the same",
    ),
    (lambda: optimize.minimize(1, Tensor([0.0])), ValueError, "You must specify a solver"),
    (lambda: optimize.minimize(1, Tensor([0.0]), method="BFGS"), TypeError, "minimize: expected a function, got 1"),
    (lambda: optimize.minimize(abs, Tensor([0.0]), 3, "BFGS"), TypeError, "must be a tuple, got 3"),
    (lambda: optimize.minimize(abs, Tensor([0.0]), method="cg"), ValueError, "Method cg not recognized"),
    (
        lambda: optimize.minimize(abs, Tensor([0.0]), method="BFGS", options={"eps": 1}),
        TypeError,
        r"unknown options \['eps'\]",
    ),
    (
        lambda: optimize.line_search(1, Tensor([0.0]), Tensor([1.0])),
        TypeError,
        "line_search: expected a function, got 1",
    ),
    (lambda: optimize.linear_sum_assignment(A, True), TypeError, "expected a Tensor and a bool"),
    (lambda: optimize.linear_sum_assignment(Tensor(A[0]), True), ValueError, "the rank must be equal to 2"),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS)
def test_error_texts(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()
