"""A process of two on two machines, which exchanges values for some seconds."""

import os
import time

import sporax as ms
from sporax import ops
from sporax.communication import get_group_size, get_local_rank, get_local_rank_size, get_rank, init

init()
print(f"rank {get_rank()} of {get_group_size()}, local rank {get_local_rank()} of {get_local_rank_size()}", flush=True)
total = ops.AllReduce()
for step in range(5 if os.environ["HOW"] == "good" else 1000):
    assert total(ms.Tensor([1.0])).asnumpy().tolist() == [2.0]
    print("step", step, flush=True)
    time.sleep(0.2)
