"""Rows that a model reads: Tensors alone."""

import numpy as np

from sporax import Model, Tensor, nn


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
