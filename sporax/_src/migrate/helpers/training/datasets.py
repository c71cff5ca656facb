"""Datasets of single samples, their subsets and their concatenations."""

import itertools

import numpy as np


class _Dataset:
    """A dataset whose samples are read by index."""

    def __class_getitem__(cls, item):
        return cls

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return _ConcatDataset([self, other])


class _IterableDataset(_Dataset):
    """A dataset that is iterated."""

    def __add__(self, other):
        return _ChainDataset([self, other])

    def __iter__(self):
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class _TensorDataset(_Dataset):
    """A dataset of the rows of Tensors of equal length."""

    def __init__(self, *tensors):
        assert all(tensors[0].shape[0] == tensor.shape[0] for tensor in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]


class _StackDataset(_Dataset):
    """Datasets of equal length side by side: a sample is a tuple or dict of theirs."""

    def __init__(self, *args, **kwargs):
        if bool(args) == bool(kwargs):
            raise ValueError("Supported either `tuple`- (via `args`) or `dict`- (via `kwargs`) like input/output")
        self.datasets = args or kwargs
        self._length = len(next(iter(self._parts())))
        if any(len(part) != self._length for part in self._parts()):
            raise ValueError("Size mismatch between datasets")

    def _parts(self):
        return self.datasets.values() if isinstance(self.datasets, dict) else self.datasets

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: part[index] for name, part in self.datasets.items()}
        return tuple(part[index] for part in self.datasets)

    def __len__(self):
        return self._length


class _ConcatDataset(_Dataset):
    """The concatenation of datasets."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        assert len(self.datasets) > 0, "datasets should not be an empty iterable"
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        at = int(np.searchsorted(self.cumulative_sizes, index, side="right"))
        return self.datasets[at][index - (self.cumulative_sizes[at - 1] if at else 0)]


class _ChainDataset(_IterableDataset):
    """The concatenation of iterable datasets."""

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        return itertools.chain.from_iterable(self.datasets)

    def __len__(self):
        return sum(len(d) for d in self.datasets)


class _Subset(_Dataset):
    """The samples of a dataset at some indices."""

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def _random_split(dataset, lengths, generator=None):
    """Split a dataset at random into parts of given lengths, or of given fractions of its length."""
    count = len(dataset)
    if abs(sum(lengths) - 1) < 1e-5 and sum(lengths) <= 1 + 1e-5:
        if any(not 0 <= fraction <= 1 for fraction in lengths):
            raise ValueError("Fraction at index is not between 0 and 1")
        lengths = [int(np.floor(count * fraction)) for fraction in lengths]
        for i in range(count - sum(lengths)):
            lengths[i % len(lengths)] += 1
    if sum(lengths) != count:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = _random_state(generator).permutation(count).tolist()
    ends = list(itertools.accumulate(lengths))
    return [_Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


def _random_state(generator):
    """Return NumPy's random generator for a generator, which it advances; without one, NumPy's own."""
    if generator is None:
        return np.random
    state = np.random.RandomState(generator.initial_seed() % 2**32)
    generator.manual_seed(int(state.randint(2**31 - 1)))
    return state
