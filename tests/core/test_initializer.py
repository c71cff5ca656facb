"""Initializers: first values of Parameters, by name or by class."""

import numpy as np
import pytest

import sporax as ms
from sporax.common import initializer as init


@pytest.mark.parametrize(
    ("what", "want"),
    [("zeros", [[0, 0], [0, 0]]), ("ones", [[1, 1], [1, 1]]), (init.Constant(3), [[3, 3], [3, 3]]),
     (init.Identity(), [[1, 0], [0, 1]]), (5, [[5, 5], [5, 5]])],
)  # fmt: skip
def test_known_values(what, want) -> None:
    got = init.initializer(what, [2, 2], ms.float32)
    assert got.init_data().tolist() == want and got.dtype == ms.float32


@pytest.mark.parametrize(
    ("what", "limit"),
    [(init.Uniform(0.1), 0.1), (init.XavierUniform(), (6 / 60) ** 0.5), (init.HeUniform(), (6 / 40) ** 0.5)],
)
def test_uniform_values_reach_their_limit(what, limit: float) -> None:
    found = init.initializer(what, [20, 40], ms.float32).init_data().asnumpy()
    assert 0.9 * limit < np.abs(found).max() <= limit * (1 + 1e-6)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing_of_this_name"):
        init.initializer("nothing_of_this_name", [2], ms.float32)
