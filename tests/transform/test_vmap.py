"""`vmap`, in both modes."""

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn
from sporax._src.transform import capture

MATRIX = Tensor([1.0, 2.0, 3.0])


def test_vmap_axes(mode) -> None:
    """Axes in and out, whole arguments, nested arguments."""
    rows = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(ms.vmap(lambda a, b: (a * b).sum(), (0, None))(rows, MATRIX).asnumpy(), [8.0, 26.0])
    np.testing.assert_array_equal(ms.vmap(lambda a: a.sum(), 1)(rows).asnumpy(), [3.0, 5.0, 7.0])
    assert ms.vmap(lambda a: a * 2, 0, 1)(rows).shape == (3, 2)
    first, second = ms.vmap(lambda p: (p[0] + p[1], p[0]), ((0, 0),))((rows, rows))
    assert first.shape == second.shape == (2, 3)


def test_vmap_of_numbers(mode) -> None:
    """A number among the results is the same for every sample, or stays a number."""
    y, n, m = ms.vmap(lambda a: (a * 2, 3, 1.5), 0, (0, 0, None))(MATRIX)
    assert n.dtype == ms.int64 and n.asnumpy().tolist() == [3, 3, 3]
    assert m == 1.5 and y.shape == (3,)


def test_vmap_nests_and_is_differentiable(mode) -> None:
    """vmap of vmap, gradient of vmap, vmap of gradient."""
    m = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    np.testing.assert_array_equal(ms.vmap(ms.vmap(lambda v: v * v))(m).asnumpy(), m.asnumpy() ** 2)
    np.testing.assert_array_equal(
        ms.grad(lambda a: ms.vmap(lambda b: b * b)(a).sum())(MATRIX).asnumpy(), [2.0, 4.0, 6.0]
    )
    np.testing.assert_array_equal(ms.vmap(ms.grad(lambda b: b * b * b))(MATRIX).asnumpy(), [3.0, 12.0, 27.0])


def test_vmap_compiles_once() -> None:
    """The second call reuses the graph."""
    fn = ms.vmap(lambda a: a + 1)
    fn(MATRIX)
    before = capture.compilations
    fn(MATRIX)
    assert capture.compilations == before


def test_vmap_of_a_list_of_cells(mode) -> None:
    """An ensemble: every Cell of the list gets a slice, with its own Parameters, which it may write and be differentiated by."""

    class Counting(nn.Cell):
        def __init__(self, w):
            super().__init__()
            self.w = Parameter(Tensor([w, w]), name="w")
            self.calls = Parameter(Tensor(0.0), name="calls", requires_grad=False)

        def construct(self, x):
            self.calls += x.sum()
            return self.w * x

    models = nn.CellList([Counting(1.0), Counting(10.0), Counting(100.0)])
    batch = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    run = ms.vmap(models)
    want = [[1, 2], [30, 40], [500, 600]]
    assert run(batch).asnumpy().tolist() == want
    assert [float(m.calls) for m in models] == [3, 7, 11]
    assert ms.vmap(models, None)(batch[0]).asnumpy().tolist() == [[1, 2], [10, 20], [100, 200]]
    assert ms.grad(lambda x: run(x).sum())(batch).asnumpy().tolist() == [[1, 1], [10, 10], [100, 100]]
    weights = [m.w for m in models]
    by_weight = ms.grad(lambda x: run(x).sum(), None, weights)(batch)
    assert [g.asnumpy().tolist() for g in by_weight] == batch.asnumpy().tolist()
    with pytest.raises(RuntimeError, match="one size"):
        run(batch[:2])
    with pytest.raises(ValueError, match="Cells of a CellList must be of one class, with Parameters of equal shapes"):
        ms.vmap(nn.CellList([nn.Dense(2, 1), nn.Dense(2, 2)]))(batch)
