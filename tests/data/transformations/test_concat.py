"""`concat`: the rows of the tables, shares, samplers."""

import numpy as np
import pytest
from data_tables import pipelines_of
from dataset_rows import values

import sporax.dataset as ds

TestPipelines = pipelines_of("sporax._src.data.transformations.concat")


def joined():
    return ds.NumpySlicesDataset(np.arange(5), shuffle=False) + ds.GeneratorDataset(
        lambda: ((i,) for i in range(5, 12)), ["column_0"]
    )


def test_shares_of_a_concatenation_hold_every_row_once():
    data, found = joined(), []
    for shard in range(5):
        data.use_sampler(ds.DistributedSampler(5, shard, shuffle=False))
        share = values(data)
        assert len(share) == data.get_dataset_size()
        found += share
    assert sorted(found) == list(range(12))
    data = joined()
    data.use_sampler(ds.RandomSampler())
    first, second = values(data, 2)
    assert first != second
    assert sorted(first) == sorted(second) == list(range(12))


@pytest.mark.parametrize("sampler, kind, text", [
    (ds.SequentialSampler(), TypeError, "expected a DistributedSampler or a RandomSampler"),
    (ds.DistributedSampler(2, 0), ValueError, "must not be shuffled"),
    (ds.RandomSampler(True), ValueError, "must not draw with replacement"),
    (ds.RandomSampler(num_samples=3), ValueError, "must not limit the rows, got num_samples=3"),
])  # fmt: skip
def test_concatenations_refuse_other_samplers(sampler, kind, text):
    with pytest.raises(kind, match=text):
        (ds.NumpySlicesDataset([1]) + ds.NumpySlicesDataset([2])).use_sampler(sampler)


@pytest.mark.parametrize("second, kind, text", [
    (ds.NumpySlicesDataset([1, 2]).batch(2), TypeError, "number 1 has batches; share the rows out before `batch`"),
    (ds.NumpySlicesDataset([1, 2], num_samples=1), ValueError, "number 1 has a sampler that limits its rows to 1"),
])  # fmt: skip
def test_what_cannot_be_shared_out(second, kind, text):
    with pytest.raises(kind, match=text):
        (ds.NumpySlicesDataset([1]) + second).use_sampler(ds.DistributedSampler(2, 0, False))


def test_a_position_in_rows_that_chance_mixes():
    def data():
        made = joined()
        made.use_sampler(ds.RandomSampler())
        return made.repeat(2)

    ds.config.set_seed(3)
    rows = data().create_tuple_iterator(num_epochs=3, output_numpy=True)
    whole = [[int(row[0]) for row in rows] for _ in range(3)]
    for epoch, step in ((0, 17), (2, 5)):
        again = data().create_tuple_iterator(num_epochs=3, output_numpy=True)
        again.set_state({**again.get_state(), "epoch": epoch, "step": step})
        assert [int(row[0]) for row in again] == whole[epoch][step:]


def of_changing_size():
    """Return a dataset of as many rows as a filter leaves, other ones in every epoch."""
    data = ds.NumpySlicesDataset(np.arange(40), ["x"], shuffle=True).take(9)
    return data.filter(lambda x: x % 3 == 0, "x")


def test_positions_hold_where_the_number_of_rows_changes():
    whole = of_changing_size() + ds.NumpySlicesDataset(np.arange(100, 105), ["x"], shuffle=False) + of_changing_size()
    for data in (whole, of_changing_size().repeat(3), whole.repeat(2)):
        rows = data.create_tuple_iterator(output_numpy=True)
        for epoch in range(3):
            seed = rows.get_state()["seed"]
            read = [row[0].item() for row in rows]
            for step in range(len(read) + 1):
                again = data.create_tuple_iterator(output_numpy=True)
                again.set_state({"seed": seed, "epoch": epoch, "step": step})
                assert [row[0].item() for row in again] == read[step:]
    assert len({len(found) for found in values(of_changing_size(), 6)}) > 1


def test_an_endless_part_comes_first():
    data = ds.NumpySlicesDataset(np.arange(3), ["x"], shuffle=False).repeat()
    data = data + ds.NumpySlicesDataset(np.arange(3), ["x"], shuffle=False)
    rows = data.create_tuple_iterator(output_numpy=True)
    rows.set_state({"seed": 1, "epoch": 0, "step": 4})
    assert next(rows)[0].item() == 1
