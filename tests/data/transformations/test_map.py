"""`map`: the rows of the tables, and what a function raises."""

import inspect

import pytest
from data_tables import pipelines_of
from data_tables.pipeline_errors import fails, pair, read

TestPipelines = pipelines_of("sporax._src.data.transformations.map")


def test_programs_find_the_signature_of_mindspore():
    """mindcv and others ask whether there are keyword arguments: since there are, `column_order` is gone."""
    for method in (pair().map, pair().batch):
        assert "kwargs" in inspect.signature(method).parameters
        with pytest.raises(TypeError, match=r"Dataset\.\w+\(\) got an unexpected keyword argument 'wrong'"):
            method(3, wrong=1)


def test_the_users_exception_is_the_cause():
    with pytest.raises(RuntimeError) as raised:
        read(pair().map(fails, "a"))
    assert isinstance(raised.value.__cause__, KeyError)


def test_rows_before_the_exception_come_first():
    rows = iter(pair(9).map(lambda a: fails(a) if a == 6 else a, "a", num_parallel_workers=2))
    seen = []
    with pytest.raises(RuntimeError, match="row 6"):
        for row in rows:
            seen.append(row)
    assert len(seen) == 6
