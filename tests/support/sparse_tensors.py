"""Sparse Tensors for tests: of the goldens' expressions, drawn at random, of SciPy's matrices."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from house import ROOT
from scipy import sparse

import sporax as ms
from sporax import COOTensor, CSRTensor, RowTensor, SparseTensor, Tensor, nn, ops

GOLDENS = json.loads((ROOT / "tests" / "goldens" / "sparse.json").read_text(encoding="utf-8"))


NAMES = {
    "ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor, "CSRTensor": CSRTensor, "COOTensor": COOTensor,
    "RowTensor": RowTensor, "SparseTensor": SparseTensor,
}  # fmt: skip


def evaluate(text: str) -> Any:
    """Return the value of an expression of the goldens."""
    return function_of_values(text)(Tensor([1.0, -2.0, 3.0]))


def function_of_values(text: str) -> Callable[[Tensor], Any]:
    """Return an expression of the goldens as a function of the values v that its sparse Tensors c and o have."""
    names = dict(NAMES)
    for name, made in GOLDENS["make"]:
        names[name] = eval(made, names)
    p, i, ij = names["p"], names["i"], names["ij"]
    return lambda v: eval(text, names | {"v": v, "c": CSRTensor(p, i, v, (2, 4)), "o": COOTensor(ij, v, (2, 4))})


RNG = np.random.default_rng(0)


def drawn(rows: int, columns: int, dtype: Any = np.float32) -> Any:
    """Return a random matrix of SciPy, three tenths of it held."""
    return sparse.random_array((rows, columns), density=0.3, rng=RNG, dtype=dtype).tocsr()


def csr(matrix: Any) -> CSRTensor:
    """Return the CSRTensor of a matrix of SciPy."""
    return CSRTensor(Tensor(matrix.indptr), Tensor(matrix.indices), Tensor(matrix.data), matrix.shape)


def coo(matrix: Any) -> COOTensor:
    """Return the COOTensor of a matrix of SciPy."""
    matrix = matrix.tocoo()
    return COOTensor(Tensor(np.stack(matrix.coords, 1)), Tensor(matrix.data), matrix.shape)


def close(got: Tensor, want: np.ndarray) -> None:
    """Compare a Tensor with an array."""
    assert got.shape == want.shape
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-6)
