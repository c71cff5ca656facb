"""Methods and operators of sparse Tensors."""

import numpy as np
import pytest

import sporax as ms
from sporax import COOTensor, CSRTensor, Tensor

DENSE = np.array([[0, 2, 0], [3, 0, 4]], np.float32)


def _coo() -> COOTensor:
    return COOTensor(Tensor([[0, 1], [1, 0], [1, 2]], ms.int32), Tensor([2.0, 3.0, 4.0]), (2, 3))


def _csr() -> CSRTensor:
    return _coo().to_csr()


def test_forms_convert_to_each_other() -> None:
    csr = _csr()
    assert csr.indptr.asnumpy().tolist() == [0, 1, 3]
    assert csr.indices.asnumpy().tolist() == [1, 0, 2]
    for dense in (_coo().to_dense(), csr.to_dense(), csr.to_coo().to_dense()):
        assert dense.asnumpy().tolist() == DENSE.tolist()


@pytest.mark.parametrize("make", [_coo, _csr], ids=["COO", "CSR"])
def test_values_change_and_indices_stay(make) -> None:
    for changed, want in ((-make(), -DENSE), ((-make()).abs(), DENSE), (make().astype(ms.float16), DENSE)):
        assert type(changed) is type(make())
        assert changed.to_dense().asnumpy().tolist() == want.tolist()
    assert make().astype(ms.float16).dtype == ms.float16


def test_products() -> None:
    vector, matrix = Tensor([[1.0], [2.0], [3.0]]), Tensor(np.eye(3, 2, dtype=np.float32))
    assert _csr().mv(vector).asnumpy().tolist() == [[4.0], [15.0]]
    assert _csr().mm(matrix).asnumpy().tolist() == (DENSE @ np.eye(3, 2)).tolist()
    square = CSRTensor(Tensor([0, 1, 2, 3]), Tensor([2, 0, 1]), Tensor([1.0, 1.0, 1.0]), (3, 3))
    product = _csr().mm(square)
    assert isinstance(product, CSRTensor)
    assert product.to_dense().asnumpy().tolist() == (DENSE @ square.to_dense().asnumpy()).tolist()


def test_sums_of_sparse_and_dense_tensors() -> None:
    assert (_csr() + _csr()).to_dense().asnumpy().tolist() == (2 * DENSE).tolist()
    assert (_coo() - _coo()).to_dense().asnumpy().tolist() == (0 * DENSE).tolist()
    dense = _coo() + Tensor(np.ones((2, 3), np.float32))
    assert isinstance(dense, Tensor) and dense.asnumpy().tolist() == (DENSE + 1).tolist()


def test_factors_count_where_there_are_values() -> None:
    other = Tensor(np.full((2, 3), 2.0, np.float32))
    assert (_coo() * other).values.asnumpy().tolist() == [4.0, 6.0, 8.0]
    assert (_coo() / other).values.asnumpy().tolist() == [1.0, 1.5, 2.0]


def test_indices_that_occur_twice_become_one() -> None:
    twice = COOTensor(Tensor([[1, 1], [0, 0], [1, 1]], ms.int32), Tensor([1.0, 2.0, 3.0]), (2, 2)).coalesce()
    assert twice.indices.asnumpy().tolist() == [[0, 0], [1, 1]]
    assert twice.values.asnumpy().tolist() == [2.0, 4.0]


REFUSED = [
    (lambda: _csr() + 1, "CSRTensor + other: other must be a CSRTensor, got int: 1."),
    (lambda: _coo() + 1, "COOTensor + other: other must be a COOTensor or a Tensor, got int: 1."),
    (lambda: _coo() - 1, "COOTensor + other: other must be a COOTensor or a Tensor, got int: 1."),
    (lambda: _coo() * 2, "COOTensor * other: other must be a Tensor, got int: 2."),
    (lambda: _coo() / "a", "COOTensor / other: other must be a Tensor, got str: 'a'."),
]


@pytest.mark.parametrize("call, text", REFUSED, ids=[text for _, text in REFUSED])
def test_other_operands_are_refused(call, text: str) -> None:
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == text
