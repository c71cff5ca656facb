"""Which sampler a source uses, by its arguments."""

import numpy as np
import pytest

from sporax._src.data.samplers.base import IterSampler, Shuffle
from sporax._src.data.samplers.chosen import SubsetSampler
from sporax._src.data.samplers.random import DistributedSampler, RandomSampler, SequentialSampler
from sporax._src.data.samplers.select import check_shards, select_sampler

CHOSEN = [
    ((None, None, None, None, None), RandomSampler),
    ((None, None, True, None, None), RandomSampler),
    ((None, None, Shuffle.GLOBAL, None, None), RandomSampler),
    ((None, None, False, None, None), SequentialSampler),
    ((None, 3, Shuffle.FALSE, None, None), SequentialSampler),
    ((None, None, None, 2, 1), DistributedSampler),
    (([2, 0], None, None, None, None), SubsetSampler),
    ((np.array([2, 0]), 1, None, None, None), SubsetSampler),
    ((iter([2, 0]), None, None, None, None), IterSampler),
]


@pytest.mark.parametrize("arguments, kind", CHOSEN)
def test_the_kind_of_the_sampler(arguments: tuple, kind: type) -> None:
    assert type(select_sampler("Numbers", *arguments)) is kind


def test_a_number_of_samples_is_drawn_with_replacement() -> None:
    assert not select_sampler("Numbers", None, None, True, None, None).replacement
    assert select_sampler("Numbers", None, 3, True, None, None).replacement


def test_a_sampler_stays() -> None:
    own = SequentialSampler(1)
    assert select_sampler("Numbers", own, None, None, None, None) is own


REFUSED = [
    ((None, None, 1, None, None), TypeError, "Numbers: shuffle must be a bool or a Shuffle, got 1."),
    ((None, -1, None, None, None), ValueError, "num_samples must be in [0, 9223372036854775807], got -1."),
    (("abc", None, None, None, None), TypeError, "sampler must be a Sampler or an iterable of row numbers, got 'abc'."),
    (([1], None, None, 2, 0), RuntimeError, "Numbers: sampler cannot be given with num_shards or shard_id"),
    ((SequentialSampler(), 3, None, None, None), RuntimeError, "sampler=SequentialSampler, num_samples=3"),
]


@pytest.mark.parametrize("arguments, kind, text", REFUSED)
def test_arguments_that_exclude_each_other(arguments: tuple, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as error:
        select_sampler("Numbers", *arguments)
    assert text in str(error.value)


@pytest.mark.parametrize(
    "number, shard, kind, text",
    [
        (2, None, KeyError, "need to be passed in together, got num_shards=2, shard_id=None"),
        (2, 2, ValueError, "Numbers: shard_id must be less than num_shards=2, got 2."),
        (2, -1, ValueError, "shard_id must be in"),
        (0, 0, ValueError, "num_shards must be in"),
        (2.0, 0, TypeError, "num_shards must be an int"),
    ],
)
def test_shards_that_do_not_exist(number: object, shard: object, kind: type[Exception], text: str) -> None:
    """The class of the first error is the caller's choice."""
    with pytest.raises(kind, match=text):
        check_shards("Numbers", number, shard, KeyError)
