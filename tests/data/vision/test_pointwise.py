"""Operations pixel by pixel: the rows of the tables, floats."""

import numpy as np
import pytest
from data_tables import operations_of

from sporax.dataset import vision

TestOperations = operations_of("sporax._src.data.vision.pointwise")


def test_negatives_of_floats_are_taken_from_255_and_powers_end_at_1() -> None:
    image = np.array([[[0.5, 2.0, 300.0]]], np.float32)
    assert vision.Invert()(image).tolist() == [[[254.5, 253.0, -45.0]]]
    assert vision.AdjustGamma(2.0, 0.5)(image).tolist() == [[[0.0625, 1.0, 1.0]]]


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "int32", "int64", "bool"])
def test_gamma_takes_other_integers_as_bytes(dtype: str) -> None:
    image = np.array([[[0, 1, 100]]]).astype(dtype)
    got = vision.AdjustGamma(0.5)(image)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, vision.AdjustGamma(0.5)(image.astype(np.uint8)).astype(dtype))


@pytest.mark.parametrize(("dtype", "value"), [("int16", -4), ("uint16", 256), ("int32", 65535)])
def test_gamma_needs_the_range_of_bytes(dtype: str, value: int) -> None:
    with pytest.raises(
        RuntimeError, match=rf"vision.AdjustGamma: expected values of \[0, 255\] for {dtype}, got {dtype}"
    ):
        vision.AdjustGamma(0.5)(np.full((2, 2, 3), value, dtype))


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_gamma_of_floats_gives_float32(dtype: str) -> None:
    got = vision.AdjustGamma(0.5)(np.full((1, 1, 3), 0.25, dtype))
    assert got.dtype == np.float32 and (got == 0.5).all()


def test_solarize_from_one_threshold_has_no_upper_end() -> None:
    solarize = vision.RandomSolarize((100, 100))
    assert solarize(np.array([[50, 200, 300]], np.float32)).tolist() == [[50, 55, -45]]
    assert solarize(np.array([[50, 200, 300]], np.uint16)).tolist() == [[50, 55, 0]]
    assert solarize(np.array([[50, 200, 255]], np.uint8)).tolist() == [[50, 55, 0]]
