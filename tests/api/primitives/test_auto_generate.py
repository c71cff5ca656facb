"""Classes of `ops.auto_generate` that take the arguments of PyTorch, or those of a function."""

import numpy as np
import pytest
import scipy.fft

import sporax as ms
from sporax import Tensor, ops

AUTO = ops.auto_generate
X = np.array([[3.0, 1.0, 2.0], [1.0, 4.0, 4.0]], np.float32)


def test_sorting_gives_indices_of_64_bits() -> None:
    values, indices = AUTO.SortExt()(Tensor(X), 1, True)
    assert values.asnumpy().tolist() == [[3, 2, 1], [4, 4, 1]]
    assert indices.dtype == ms.int64 and indices.asnumpy().tolist() == [[0, 2, 1], [1, 2, 0]]


def test_an_index_of_several_tensors() -> None:
    assert AUTO.Index()(Tensor(X), (Tensor([0, 1]), Tensor([2, 0]))).asnumpy().tolist() == [2.0, 1.0]


@pytest.mark.parametrize("axes", [2, 3])
def test_a_convolution_of_ones_sums(axes: int) -> None:
    image = Tensor(np.ones((1, 1, *[3] * axes), np.float32))
    kernel = Tensor(np.ones((1, 1, *[2] * axes), np.float32))
    assert np.unique(AUTO.Convolution()(image, kernel).asnumpy()).tolist() == [2.0**axes]


def test_a_transposed_convolution_spreads() -> None:
    kernel = np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    out = AUTO.Convolution()(Tensor(np.ones((1, 1, 1, 1), np.float32)), Tensor(kernel), None, 1, 0, 1, True)
    assert out.asnumpy().tolist() == kernel.tolist()


@pytest.mark.parametrize(
    "driver, sizes", [(None, (0, 1, 0)), ("gels", (1, 0, 0)), ("GELSD", (1, 1, 2)), ("gelss", (1, 1, 2))]
)
def test_least_squares_and_the_statistics_of_a_driver(driver: str | None, sizes: tuple[int, ...]) -> None:
    """The residue, the rank and the singular values, empty where LAPACK's driver computes none."""
    a = np.array([[1, 0], [0, 2], [0, 0]], np.float32)
    x, residue, rank, singular = AUTO.LstsqV2()(Tensor(a), Tensor(np.array([[3], [4], [5]], np.float32)), driver)
    np.testing.assert_allclose(x.asnumpy(), [[3], [2]], rtol=1e-6)
    assert (residue.size, rank.size, singular.size) == sizes
    for got, want in ((residue, [25]), (rank, 2), (singular, [2, 1])):
        if got.size:
            np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5)


def test_an_unknown_driver() -> None:
    with pytest.raises(ValueError, match=r"LstsqV2: driver must be one of gels, gelsy, gelsd, gelss, got 'qr'\.$"):
        AUTO.LstsqV2()(Tensor(X), Tensor(X), "qr")


def test_a_triangular_matrix_is_solved() -> None:
    a, b = Tensor(np.array([[2, 1], [0, 4]], np.float32)), Tensor(np.array([4, 8], np.float32))
    assert AUTO.SolveTriangular()(a, b).asnumpy().tolist() == [1.0, 2.0]
    assert AUTO.SolveTriangular()(a, b, 1).asnumpy().tolist() == [2.0, 1.5]


@pytest.mark.parametrize("name", ["DCT", "IDCT", "DCTN", "IDCTN"])
def test_cosine_transforms(name: str) -> None:
    reference = getattr(scipy.fft, name.lower())
    transform = getattr(AUTO, name)()
    np.testing.assert_allclose(transform(Tensor(X)).asnumpy(), reference(X, norm="ortho"), rtol=1e-5, atol=1e-6)
    both = transform(Tensor(X + 2j * X)).asnumpy()
    np.testing.assert_allclose(both.imag, 2 * reference(X, norm="ortho"), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match=rf"ops.{name}: type must be 2, got 1"):
        transform(Tensor(X), 1)
