"""The base of samplers: chains, a program's own, states."""

import threading

import numpy as np
from dataset_rows import values

import sporax.dataset as ds


def test_samplers_chain_and_replace():
    data = ds.NumpySlicesDataset(np.arange(10), sampler=ds.SubsetSampler([9, 8, 7, 6]))
    data.add_sampler(ds.SequentialSampler(1, 2))
    assert values(data) == [8, 7]
    assert data.sampler.get_num_samples() == 2
    assert data.sampler.get_child().get_num_samples() == 4
    data.use_sampler(ds.DistributedSampler(2, 0, shuffle=False))
    assert values(data) == [9, 7]
    assert data.is_sharded()
    assert not data.is_shuffled()


def test_user_samplers():
    resets = []

    class Reverse(ds.Sampler):
        def __init__(self):  # without super().__init__()
            self.state = 0

        def reset(self):
            self.state += 1
            resets.append(self.state)

        def __iter__(self):
            yield from range(self.dataset_size - 1, -1, -1)

    class Plain:
        def __iter__(self):
            return iter([2, 0])

        def __len__(self):
            return 2

    sampler = Reverse()
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=sampler), 2) == [[6, 5, 4]] * 2
    assert resets[-2:] == [1, 2]
    assert sampler.state == 0  # every iterator reads a copy
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=Plain())) == [6, 4]
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=[2, 1], num_samples=1)) == [6]
    assert values(ds.NumpySlicesDataset([4, 5, 6], sampler=1)) == [5]


def test_samplers_with_state_resume():
    class Shuffler:
        def __init__(self):
            self.rng, self.groups = np.random.default_rng(0), [[0, 1], [2], [3, 4]]

        def __iter__(self):
            self.rng.shuffle(self.groups)
            return iter(self.groups)

    data = ds.GeneratorDataset(list(range(5)), "a", batch_sampler=Shuffler())
    whole = values(data, 3)
    assert values(data, 3) == whole
    data.set_init_step(4)
    rows = data.create_tuple_iterator(num_epochs=3, output_numpy=True)
    assert [row[0].tolist() for row in rows] == whole[1][1:]


def test_samplers_that_cannot_be_copied_are_read_themselves():
    class Held(ds.Sampler):
        def __init__(self):
            super().__init__()
            self.lock = threading.Lock()

        def __iter__(self):
            return iter([1, 0])

    assert values(ds.NumpySlicesDataset([5, 6], sampler=Held())) == [6, 5]
