"""Rows that a model reads: Tensors alone, and those of datasets and loaders of other packages."""

import itertools

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset, TensorDataset

from sporax import Model, Tensor, nn, train
from sporax._src.train.rows import dataset_of, is_loader, is_unsized, size_of
from sporax.dataset import NumpySlicesDataset, from_source


def test_rows_that_are_a_tensor_alone() -> None:
    """A row of one input may come without a tuple around it."""

    class Inputs:
        def create_tuple_iterator(self, num_epochs: int = 1, do_copy: bool = True):
            return iter([Tensor(np.ones((4, 2), np.float32))] * 2)

        def get_dataset_size(self) -> int:
            return 2

    class Summed(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(2, 1, weight_init="zeros", bias_init="zeros")

        def construct(self, x: Tensor) -> Tensor:
            return self.dense(x).sum()

    net = Summed()
    Model(net, optimizer=nn.SGD(net.trainable_params(), 0.5)).train(1, Inputs(), dataset_sink_mode=False)
    assert net.dense.bias.item() == -4.0


X = np.random.default_rng(0).random((6, 3), np.float32)
Y = X.sum(1, keepdims=True)


def loader() -> DataLoader:
    return DataLoader(TensorDataset(torch.from_numpy(X), torch.from_numpy(Y)), batch_size=2)


class Endless(IterableDataset):
    """A stream without a length and without an end."""

    def __iter__(self):
        return ((torch.full((3,), float(k)), torch.ones(1)) for k in itertools.count())


def built() -> tuple[Model, nn.Cell]:
    net = nn.Dense(3, 1, weight_init="zeros", bias_init="zeros")
    return Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01), metrics={"mae"}), net


def test_a_loader_trains_as_a_dataset_does() -> None:
    weights, metrics, kept = [], [], []
    for source in (NumpySlicesDataset((X, Y), shuffle=False).batch(2), loader()):
        model, net = built()
        history = train.History()
        model.fit(2, source, source, callbacks=history)
        weights.append(net.weight.asnumpy())
        metrics.append(model.eval(source))
        kept.append(history.history["net_output"])
        model.build(source, source)
    np.testing.assert_array_equal(*weights)
    assert metrics[0] == metrics[1] and kept[0] == kept[1]


def test_predictions_of_a_loader_are_a_list() -> None:
    model, net = built()
    net.bias.set_data(Tensor([2.0]))
    for source in (loader(), from_source(loader())):
        assert [out.asnumpy().ravel().tolist() for out in model.predict(source)] == [[2.0, 2.0]] * 3
    alone = Model(net).predict(DataLoader(TensorDataset(torch.from_numpy(X)), batch_size=6))
    assert [out.shape for out in alone] == [(6, 1)]
    assert [len(x) for x in train.ProgressBar().track(loader())] == [2] * 3


@pytest.mark.parametrize("target", ["CPU", "GPU"])
def test_epochs_of_a_stream_without_an_end(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`sink_size` says how many steps an epoch has; the next epoch goes on where it ended."""
    from sporax._src.train import model as module

    real = module.config.get_context
    monkeypatch.setattr(module.config, "get_context", lambda name: target if name == "device_target" else real(name))
    seen = []

    class Kept(train.Callback):
        def on_train_step_end(self, run_context) -> None:
            args = run_context.original_args()
            seen.append((args.cur_epoch_num, args.batch_num, args.train_dataset_element[0].asnumpy()[0, 0].item()))

    model, _ = built()
    model.train(2, DataLoader(Endless(), batch_size=2), callbacks=Kept(), sink_size=2)
    assert seen == [(1, 2, 0), (1, 2, 2), (2, 2, 4), (2, 2, 6)]


def test_what_counts_as_a_loader() -> None:
    assert is_loader(loader()) and not is_loader(torch.ones(2)) and not is_loader(Tensor([1.0])) and not is_loader([1])
    data = dataset_of("here", DataLoader(Endless()))
    assert is_unsized(data) and size_of(data, 7) == 7 and is_unsized(data.batch(2))
    assert size_of(dataset_of("here", loader()), 7) == 3
    with pytest.raises(TypeError, match=r"here: expected a dataset, or what dataset\.from_source takes, got 1"):
        dataset_of("here", 1)
    with pytest.raises(ValueError, match="Model: the dataset is empty: there is no batch to run"):
        size_of(dataset_of("here", DataLoader(TensorDataset(torch.ones(1)), batch_size=2, drop_last=True)))
