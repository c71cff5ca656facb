"""Calls for the rows of a task."""

from sporax._src.data import randomness
from sporax._src.data.row_calls import call_rows


def test_rows_before_an_error_are_kept() -> None:
    begun = []
    answer = call_rows(lambda number, item: number // item, (1, 0, 0), 4, [2, 1, 0, 3], lambda *row: begun.append(row))
    assert answer.results == [2, 5] and isinstance(answer.error, ZeroDivisionError)
    assert begun == [(4, 2), (5, 1), (6, 0)] and answer.seconds >= 0


def test_draws_are_those_of_the_row() -> None:
    def drawn(number: int, item: int) -> int:
        return int(randomness.generator().integers(1 << 40))

    all_rows = call_rows(drawn, (1, 0, 0), 0, [0] * 5).results
    assert call_rows(drawn, (1, 0, 0), 3, [0, 0]).results == all_rows[3:]
