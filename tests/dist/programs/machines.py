"""A process on one of two machines, which exchanges values for some seconds."""

import os
import time

from sporax import ops
from sporax.communication import get_group_size, get_local_rank, get_local_rank_size, get_rank, init

init()
print(f"rank {get_rank()} of {get_group_size()}, local rank {get_local_rank()} of {get_local_rank_size()}", flush=True)
is_ended = os.environ["HOW"] in ("cut", "killed") or (
    os.environ["HOW"] == "fewer" and os.environ["SPORAX_RESTARTS"] == "0"
)
total, size = ops.AllReduce(), 100_000 if os.environ["HOW"] == "dropped" else 1
for step in range(1000 if is_ended else 5):
    assert (total(ops.ones((size,))).asnumpy() == get_group_size()).all()
    print("step", step, flush=True)
    time.sleep(0.2)
