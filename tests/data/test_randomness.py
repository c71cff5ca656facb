"""The draws of a row depend on the seed, the operation, the epoch and the row."""

from sporax._src.data import randomness


def _draws(key: tuple[int, int, int], row: int) -> list[int]:
    with randomness.rows_of(key) as draws:
        draws.at(row)
        return randomness.generator().integers(0, 2**62, 4).tolist()


def test_the_order_of_rows_does_not_matter() -> None:
    assert _draws((3, 1, 0), 5) == _draws((3, 1, 0), 5)
    with randomness.rows_of((3, 1, 0)) as draws:
        draws.at(4)
        randomness.generator().random(7)
        draws.at(5)
        assert randomness.generator().integers(0, 2**62, 4).tolist() == _draws((3, 1, 0), 5)


def test_each_part_of_the_key_and_the_row_matter() -> None:
    keys = [((3, 1, 0), 5), ((4, 1, 0), 5), ((3, 2, 0), 5), ((3, 1, 1), 5), ((3, 1, 0), 6)]
    assert len({tuple(_draws(*key)) for key in keys}) == len(keys)


def test_a_block_within_another_restores_its_row() -> None:
    with randomness.rows_of((1, 0, 0)) as draws:
        draws.at(2)
        outer = randomness.generator()
        _draws((9, 9, 9), 0)
        assert randomness.generator() is outer


def test_outside_of_a_pipeline_draws_follow_the_seed() -> None:
    randomness.seed_eager(7)
    first = randomness.generator().integers(0, 2**62, 4).tolist()
    randomness.seed_eager(7)
    assert randomness.generator().integers(0, 2**62, 4).tolist() == first
