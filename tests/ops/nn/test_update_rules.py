"""Formulas of optimizers' steps, on numbers worked out by hand."""

import numpy as np
import pytest

from sporax._src.ops.nn import update_rules as rules


def test_parts_of_formulas() -> None:
    x = np.array([3.0, -1.0, 0.5])
    assert rules.shrink(x, 1.0).tolist() == [2.0, 0.0, 0.0]
    assert rules.moving_average(1.0, 3.0, 0.75) == 1.5
    np.testing.assert_allclose(rules.root_mean_square(np.array([3.0, 4.0])), 12.5**0.5)
    np.testing.assert_allclose(rules.bias_correction(0.9, 0.75), 0.5 / 0.1)


@pytest.mark.parametrize(
    ("step", "want"),
    [
        (lambda: rules.gradient_descent(2.0, 0.5, 3.0), [0.5]),
        (lambda: rules.proximal_gradient_descent(2.0, 0.5, 1.0, 2.0, 3.0), [0.0]),
        (lambda: rules.proximal_gradient_descent(4.0, 0.5, 1.0, 2.0, 3.0), [1.0]),
        (lambda: rules.momentum(2.0, 1.0, 0.1, 3.0, 0.5), [1.65, 3.5]),
        (lambda: rules.momentum(2.0, 1.0, 0.1, 3.0, 0.5, True), [1.525, 3.5]),
        (lambda: rules.adagrad(2.0, 7.0, 0.5, 3.0), [1.625, 16.0]),
        (lambda: rules.adagrad(2.0, 9.0, 0.5, 3.0, False), [1.5, 9.0]),
    ],
)
def test_steps(step, want: list[float]) -> None:
    np.testing.assert_allclose(np.array([float(v) for v in step()]), want, rtol=1e-6)
