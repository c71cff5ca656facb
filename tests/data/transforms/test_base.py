"""Marks of operations."""

from data_tables import pipelines_of

from sporax.dataset import transforms

TestPipelines = pipelines_of("sporax._src.data.transforms.base")


def test_not_random_marks_a_function() -> None:
    def double(value: int) -> int:
        return value * 2

    assert transforms.not_random(double) is double and not double.random
