"""Numbers that stand for any value in a graph."""

import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.core.traced_number import Range, TracedNumber, is_number


def test_to_python_it_is_the_number_that_it_stands_for() -> None:
    assert isinstance(TracedNumber(jnp.asarray(1.0), float), float)
    assert isinstance(TracedNumber(jnp.asarray(1), int), int)


@pytest.mark.parametrize("ask", [hash, str, repr, "{}".format])
def test_its_value_cannot_be_asked_for(ask) -> None:
    with pytest.raises(TypeError, match="the value of a number is requested while a graph is built for any value"):
        ask(TracedNumber(jnp.asarray(1), int))


def test_numbers() -> None:
    assert is_number(1) and is_number(1.5)
    assert not any(map(is_number, (True, np.float64(1), "1", TracedNumber(jnp.asarray(1), int))))


def test_a_graph_is_valid_within_the_range_of_its_slices() -> None:
    values = Range()
    first = TracedNumber(jnp.asarray(1), int, values)
    second = first.plus(3, jnp.asarray(4))
    assert second.distance(first) == 3 and first.distance(second) == -3
    assert second.distance(TracedNumber(jnp.asarray(1), int, Range())) is None and second.distance(1) is None
    first.must_be(0, 9)
    second.must_be(0, 9)
    assert [v in values for v in (-1, 0, 6, 7)] == [False, True, True, False]
