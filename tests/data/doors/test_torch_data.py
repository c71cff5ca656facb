"""Loaders and datasets of PyTorch: the batches are those of the loader, in its order, from its workers."""

import numpy as np
import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    TensorDataset,
)

import sporax.dataset as ds


class Rows(Dataset):
    class_to_idx = {"even": 0, "odd": 1}

    def __len__(self) -> int:
        return 7

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int, str]:
        return torch.full((2, 3), float(index)), index % 2, f"row {index}"


class Stream(IterableDataset):
    def __iter__(self):
        return iter([{"x": torch.full((2,), float(k)), "boxes": {"left": k}} for k in range(5)])


def numbers(data: ds.Dataset, epochs: int = 1) -> list[list[list[float]]]:
    source = data.create_tuple_iterator(num_epochs=epochs, output_numpy=True)
    return [[row[0].reshape(len(row[0]), -1)[:, 0].tolist() for row in source] for _ in range(epochs)]


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_are_those_of_the_loader(workers: int) -> None:
    """Its order is the one that torch's seed gives in a program of torch; naming the columns draws nothing."""
    loader = DataLoader(Rows(), batch_size=3, shuffle=True, num_workers=workers)
    torch.manual_seed(0)
    want = [[batch[0][:, 0, 0].tolist() for batch in loader] for _ in range(2)]
    data = ds.from_source(loader)
    torch.manual_seed(0)
    assert data.get_dataset_size() == len(loader) and data.get_batch_size() == 3
    assert data.output_shapes() and data.get_col_names() == ["column_0", "column_1", "column_2"]
    torch.manual_seed(0)
    data = ds.from_source(loader)
    assert data.get_col_names() and numbers(data, 2) == want


def test_texts_and_names() -> None:
    data = ds.from_source(DataLoader(Rows(), batch_size=7), ["image", "label", "text"])
    row = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert row["image"].shape == (7, 2, 3) and row["text"].tolist() == [f"row {k}" for k in range(7)]
    tensors = next(data.create_dict_iterator(num_epochs=1))
    assert tensors["label"].asnumpy().tolist() == [0, 1, 0, 1, 0, 1, 0]


def test_a_batch_is_not_copied() -> None:
    batch = torch.arange(6.0)
    loader = DataLoader([0, 1], batch_size=2, collate_fn=lambda rows: (batch,))
    (values,) = next(iter(ds.from_source(loader)._rows(None, 0)))
    assert np.shares_memory(values, batch.numpy())


def test_streams_have_no_length() -> None:
    data = ds.from_source(DataLoader(Stream(), batch_size=2))
    assert data.get_col_names() == ["x", "boxes.left"] and data._static_size() is None and data._is_unsized()
    assert data.get_dataset_size() == 3 and numbers(data, 2) == [[[0, 1], [2, 3], [4]]] * 2
    assert ds.from_source(Stream(), ["boxes.left"]).batch(5).output_shapes() == [[5]]


def test_samplers_are_told_the_epoch() -> None:
    sampler = DistributedSampler(Rows(), 2, 0, shuffle=True)
    want = []
    for epoch in range(2):
        sampler.set_epoch(epoch)
        want.append([list(map(float, sampler))])
    assert numbers(ds.from_source(DataLoader(Rows(), batch_size=4, sampler=sampler)), 2) == want
    own = DataLoader(Rows(), batch_sampler=BatchSampler(RandomSampler(Rows()), 2, True))
    assert ds.from_source(own).get_batch_size() == -1


def test_tensors_are_columns() -> None:
    x, y = torch.arange(12.0).reshape(6, 2), torch.arange(6, dtype=torch.bfloat16)
    data = ds.from_source(TensorDataset(x, y), ["x", "y"])
    assert np.shares_memory(data._stacked()[0], x.numpy())
    assert numbers(data.batch(4)) == [[[0, 2, 4, 6], [8, 10]]]
    assert ds.from_source(x, "x").get_dataset_size() == 6
    with pytest.raises(ValueError, match=r"1 column_names for 2 columns: \['x'\]"):
        ds.from_source(TensorDataset(x, y), ["x"])


def test_numbered_rows() -> None:
    data = ds.from_source(Rows(), ["image", "label", "text"])
    assert data.get_class_indexing() == {"even": 0, "odd": 1} and data.num_classes() == 2
    assert numbers(data.batch(7)) == [[[0, 1, 2, 3, 4, 5, 6]]]
    row = next(data.create_tuple_iterator(output_numpy=True))
    assert row[2].item() == "row 0" and row[1].dtype == np.int64


def test_errors_of_workers() -> None:
    class Broken(Rows):
        def __getitem__(self, index: int) -> int:
            return 1 // (3 - index)

    with pytest.raises(RuntimeError, match="from_source: DataLoader raised ZeroDivisionError at row 1"):
        list(ds.from_source(DataLoader(Broken(), batch_size=2)))
