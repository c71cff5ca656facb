"""Data-parallel training: on one device by `python`, on several by `sporax launch`, with the same results.

    python several_devices.py
    sporax launch -n 2 several_devices.py

Each process reads its share of every batch, and the gradients are averaged. It prints the number of devices and the loss.
"""

import numpy as np

import sporax as ms
from sporax import dataset, nn
from sporax.communication import get_group_size, get_rank, init


def main() -> None:
    """Train; nothing depends on the number of devices but the share of the rows."""
    init()  # without `sporax launch` there is one process
    rank, size = get_rank(), get_group_size()
    ms.set_seed(1)  # the same on all: the networks begin equal
    x = np.random.default_rng(0).uniform(-1, 1, (512, 2)).astype(np.float32)
    rows = dataset.NumpySlicesDataset(
        {"x": x, "y": x[:, :1] * x[:, 1:]}, shuffle=False, num_shards=size, shard_id=rank
    ).batch(64 // size)
    network = nn.SequentialCell(nn.Dense(2, 32, activation="tanh"), nn.Dense(32, 1))
    optimizer = nn.Adam(network.trainable_params(), learning_rate=0.01)
    loss_fn = nn.MSELoss()
    grad = ms.value_and_grad(lambda x, y: loss_fn(network(x), y), None, optimizer.parameters)
    average = nn.DistributedGradReducer(optimizer.parameters, mean=True)

    @ms.jit
    def step(x, y):
        loss, grads = grad(x, y)
        optimizer(average(grads))
        return loss

    for _ in range(20):
        for batch in rows.create_tuple_iterator(num_epochs=1):
            step(*batch)
    error = np.abs(
        network(ms.Tensor(x)).asnumpy() - x[:, :1] * x[:, 1:]
    ).mean()  # waits for the last step, on every process
    if rank == 0:
        print(f"{size} {'devices' if size > 1 else 'device'}: mean error {error:.4f}")


if __name__ == "__main__":
    main()
