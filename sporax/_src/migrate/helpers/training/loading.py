"""Samplers of indices, and the loader that makes batches of samples."""

import itertools
import math

import numpy as np

import sporax as mindspore
from sporax import ops
from sporax._src.migrate.helpers.training.datasets import _IterableDataset, _random_state


class _Sampler:
    """The base of samplers: iterates indices."""

    def __init__(self, data_source=None):
        pass

    def __class_getitem__(cls, item):
        return cls

    def __iter__(self):
        raise NotImplementedError


class _SequentialSampler(_Sampler):
    """The indices in their order."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class _RandomSampler(_Sampler):
    """The indices in random order, or drawn with replacement."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples < 0:
            raise ValueError(f"num_samples should be a non-negative integer value, but got {num_samples}")

    @property
    def num_samples(self):
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        count, state = len(self.data_source), _random_state(self.generator)
        if self.replacement:
            for first in range(0, self.num_samples, 1024):
                yield from state.randint(0, count, min(1024, self.num_samples - first)).tolist()
        else:
            rounds = -(-self.num_samples // count) if count else 0
            orders = (state.permutation(count).tolist() for _ in range(rounds))
            yield from itertools.islice(itertools.chain.from_iterable(orders), self.num_samples)

    def __len__(self):
        return self.num_samples


class _SubsetRandomSampler(_Sampler):
    """The given indices in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in _random_state(self.generator).permutation(len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class _WeightedRandomSampler(_Sampler):
    """Indices drawn in proportion to weights."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        weights = weights.asnumpy() if isinstance(weights, mindspore.Tensor) else np.asarray(list(weights))
        self.weights = mindspore.Tensor(weights.astype(np.float64))
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        weights = self.weights.asnumpy()
        state = _random_state(self.generator)
        drawn = state.choice(len(weights), self.num_samples, self.replacement, weights / weights.sum())
        yield from drawn.tolist()

    def __len__(self):
        return self.num_samples


class _BatchSampler(_Sampler):
    """Lists of the indices of another sampler."""

    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


class _DistributedSampler(_Sampler):
    """The indices of one process out of several."""

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        self.num_replicas = mindspore.communication.get_group_size() if num_replicas is None else num_replicas
        self.rank = mindspore.communication.get_rank() if rank is None else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {self.num_replicas - 1}]")
        self.dataset, self.shuffle, self.seed, self.drop_last, self.epoch = dataset, shuffle, seed, drop_last, 0
        count = len(dataset)
        if drop_last and count % self.num_replicas:
            self.num_samples = math.ceil((count - self.num_replicas) / self.num_replicas)
        else:
            self.num_samples = math.ceil(count / self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self):
        order = np.arange(len(self.dataset))
        if self.shuffle:
            order = np.random.RandomState(self.seed + self.epoch).permutation(order)
        return iter(np.resize(order, self.total_size)[self.rank :: self.num_replicas].tolist())

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        self.epoch = epoch


def _default_collate(batch):
    """Return a list of samples as one batch: Tensors stacked, numbers made Tensors, dicts and tuples item by item."""
    first = batch[0]
    if isinstance(first, mindspore.Tensor):
        return ops.stack(list(batch), 0)
    if isinstance(first, (np.ndarray, np.number, np.bool_)):
        return mindspore.Tensor(np.stack(batch))
    if isinstance(first, float):
        return mindspore.Tensor(batch, mindspore.float64)
    if isinstance(first, (bool, int)):
        return mindspore.Tensor(np.array(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, dict):
        return type(first)({key: _default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(_default_collate(list(values)) for values in zip(*batch, strict=True)))
    if isinstance(first, (tuple, list)):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [_default_collate(list(values)) for values in zip(*batch, strict=True)]
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


def _default_convert(data):
    """Return a sample with its arrays as Tensors."""
    if isinstance(data, (np.ndarray, np.number, np.bool_)):
        return mindspore.Tensor(data)
    if isinstance(data, dict):
        return type(data)({key: _default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(_default_convert(value) for value in data))
    if isinstance(data, (tuple, list)):
        return [_default_convert(value) for value in data]
    return data


class _DataLoader:
    """Batches of the samples of a dataset."""

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        drop_last=False,
        timeout=0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        in_order=True,
        pin_memory=False,
        prefetch_factor=None,
        persistent_workers=False,
        pin_memory_device="",
    ):
        self.dataset, self.generator = dataset, generator
        self.num_workers, self.timeout, self.worker_init_fn = num_workers, timeout, worker_init_fn
        self.pin_memory, self.prefetch_factor = pin_memory, prefetch_factor
        self.persistent_workers = persistent_workers
        self.drop_last = drop_last
        self._is_iterable = hasattr(dataset, "__iter__") and not hasattr(type(dataset), "__len__")
        self._is_iterable = self._is_iterable or isinstance(dataset, _IterableDataset)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None and self._is_iterable:
            sampler = itertools.repeat(None)
        elif sampler is None:
            sampler = _RandomSampler(dataset, generator=generator) if shuffle else _SequentialSampler(dataset)
        if batch_size is not None and not self._is_iterable:
            batch_sampler = _BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.sampler, self.batch_sampler = batch_size, sampler, batch_sampler
        batched = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (_default_collate if batched else _default_convert)

    def __class_getitem__(cls, item):
        return cls

    def __iter__(self):
        if self._is_iterable:
            yield from self._streamed()
        elif self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
        else:
            for indices in self.batch_sampler:
                fetch = getattr(self.dataset, "__getitems__", None)
                yield self.collate_fn(fetch(indices) if fetch else [self.dataset[i] for i in indices])

    def _streamed(self):
        samples = iter(self.dataset)
        if self.batch_size is None:
            yield from map(self.collate_fn, samples)
            return
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def __len__(self):
        if not self._is_iterable:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
