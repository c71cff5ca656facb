"""A Model that each process trains on its part of the data (`data_parallel`)."""

import mindspore as ms
import numpy as np
from mindspore import context, dataset, nn
from mindspore.communication import get_group_size, get_rank, init

context.set_context(mode=context.GRAPH_MODE)
init()
context.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True)
network = nn.SequentialCell(nn.Dense(64, 128), nn.ReLU(), nn.Dense(128, 32))
draw = np.random.RandomState(0)
columns = {"x": draw.randn(256, 64).astype(np.float32), "y": draw.randn(256, 32).astype(np.float32)}
rows = dataset.NumpySlicesDataset(columns, num_shards=get_group_size(), shard_id=get_rank()).batch(8)
ms.Model(network, nn.MSELoss(), nn.Adam(network.trainable_params(), 1e-3)).train(1, rows)
