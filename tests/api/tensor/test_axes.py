"""Methods of Tensor on axes, in both modes."""

import numpy as np
import pytest
from operands import counted

import sporax as ms

X = counted(2, 3)
CALLS = {
    "permute": (lambda x: x.permute(1, 0), lambda a: a.T),
    "transpose of pairs": (lambda x: x.transpose(0, 1), lambda a: a.T),
    "tile": (lambda x: x.tile(dims=(2, 1)), lambda a: np.tile(a, (2, 1))),
    "repeat": (lambda x: x.repeat(2, 1), lambda a: np.tile(a, (2, 1))),
    "roll": (lambda x: x.roll(1, 1), lambda a: np.roll(a, 1, 1)),
    "view": (lambda x: x.view(3, 2), lambda a: a.reshape(3, 2)),
    "reshape": (lambda x: x.reshape(-1), lambda a: a.reshape(-1)),
    "swapaxes": (lambda x: x.swapaxes(0, -1), lambda a: a.T),
    "flatten": (lambda x: x.flatten(), lambda a: a.reshape(-1)),
    "squeeze": (lambda x: x.expand_dims(0).squeeze(0), lambda a: a),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_numpy(name: str) -> None:
    ours, numpys = CALLS[name]
    want = numpys(X.asnumpy())
    np.testing.assert_array_equal(ours(X).asnumpy(), want)
    np.testing.assert_array_equal(ms.jit(ours, fullgraph=True)(X).asnumpy(), want)


def test_pieces() -> None:
    assert [t.tolist() for t in X.split(2, 1)] == [[[0, 1], [3, 4]], [[2], [5]]]
    assert [t.shape for t in X.chunk(2, 0)] == [(1, 3), (1, 3)]
