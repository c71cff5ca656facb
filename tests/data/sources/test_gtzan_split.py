"""Which files of GTZAN are for training, validation and test."""

from collections import Counter

import pytest

from sporax._src.data.sources.gtzan_split import in_split

GENRES = "blues classical country disco hiphop jazz metal pop reggae rock".split()


def _names(genre: str) -> list[str]:
    return [f"{genre}.{i:05}.wav" for i in range(100)]


@pytest.mark.parametrize("usage, count", [("train", 443), ("valid", 197), ("test", 290)])
def test_sizes_are_those_of_the_publication(usage: str, count: int) -> None:
    assert sum(in_split(usage, genre, name) for genre in GENRES for name in _names(genre)) == count


def test_no_file_is_in_two_parts() -> None:
    parts = Counter(
        name
        for usage in ("train", "valid", "test")
        for genre in GENRES
        for name in _names(genre)
        if in_split(usage, genre, name)
    )
    assert set(parts.values()) == {1}


def test_ends_of_spans_belong_to_them() -> None:
    assert [i for i in range(52) if in_split("train", "blues", f"blues.{i:05}.wav")] == list(range(29, 50))
    assert in_split("train", "disco", "disco.00005.wav")
    assert not in_split("train", "disco", "disco.00006.wav")


def test_a_name_without_a_number_is_in_no_part() -> None:
    assert not in_split("train", "blues", "blues.copy.wav")
