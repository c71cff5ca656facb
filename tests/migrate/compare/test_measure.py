"""How far two arrays are apart, and how far they may be."""

import numpy as np
import pytest
import torch

from sporax import nn
from sporax._src.migrate.compare.measure import Distance, close, distance, error, flat, judged, same_but_ones, tolerance
from sporax.migrate import compare


def test_measures() -> None:
    result = compare(torch.nn.LeakyReLU(), nn.LeakyReLU(), np.array([[-1.0, 1.0, 2.0, 0.0]], np.float32))
    row = next(row for row in result.rows if row.stage == "forward")
    want, got = np.array([-0.01, 1, 2, 0]), np.array([-0.2, 1, 2, 0])
    assert (
        row.max == pytest.approx(0.19) and row.mean == pytest.approx(0.19 / 4) and row.relative == pytest.approx(0.095)
    )
    assert row.cosine == pytest.approx(want @ got / np.linalg.norm(want) / np.linalg.norm(got))
    assert row.status == "different" and row.shape == "[1, 4]"


def test_the_distance_of_two_arrays() -> None:
    apart = distance(np.array([3.0, 4.0]), np.array([3.0, 5.0]))
    assert (apart.max, apart.mean, apart.relative, apart.finite) == (1.0, 0.5, 0.2, True)
    assert apart.cosine == pytest.approx(29 / (5 * 34**0.5))
    assert distance(np.zeros(2), np.zeros(2)) == Distance() == distance(np.ones(0), np.ones(0))
    assert distance(np.array([1.0, 9.0]), np.array([1.0, 0.0]), np.array([True, False])) == Distance()


def test_complex_numbers_count_as_two() -> None:
    assert flat(np.array([[1 + 2j]])).tolist() == [1.0, 2.0]
    assert distance(np.array([2j]), np.array([1j])).max == 1.0


@pytest.mark.parametrize(
    ("theirs", "finite"),
    [([1.0, np.nan, np.inf], True), ([1.0, np.nan, -np.inf], False), ([np.nan, np.nan, np.inf], False)],
)
def test_what_is_no_number_must_be_at_the_same_places(theirs: list[float], finite: bool) -> None:
    apart = distance(np.array([1.0, np.nan, np.inf]), np.array(theirs))
    assert apart.finite is finite and apart.max == 0.0


def test_tolerances_are_those_of_the_stage_and_of_short_floats() -> None:
    assert tolerance("forward", "float32") == 1e-5
    assert tolerance("gradients", "float32", "float16") == 2e-2 and tolerance("metric", "bfloat16") == 1e-1


def test_a_distance_is_judged() -> None:
    apart = Distance(max=0.5, relative=0.1)
    assert [judged(apart, *bounds) for bounds in ((0.1,), (0.01,), (0.01, 0.5))] == ["same", "different", "rounding"]
    assert judged(Distance(finite=False), 1.0) == "not a number"


def test_shapes_and_values_that_are_close() -> None:
    assert same_but_ones(np.ones((2, 1, 3)), np.ones((2, 3))) and not same_but_ones(np.ones((2, 3)), np.ones((3, 2)))
    assert close(np.ones(2), np.ones(2) + 1e-5) and not close(np.ones(2), np.ones(2) + 1e-3)
    assert not close(np.ones(2), np.ones((2, 1))) and not close(np.ones(0), np.ones(0))


def test_the_error_of_several_arrays_is_the_largest() -> None:
    ones = [np.ones(2), np.ones(2)]
    assert error(ones, [np.ones(2), np.array([1.0, 0.5])]) == 0.5
    assert error(ones, [np.ones(2), np.array([1.0, np.nan])]) == np.inf
    assert error([], []) == 0.0
    assert error(ones, ones[:1]) is error(ones, [np.ones(2), np.ones(3)]) is None
