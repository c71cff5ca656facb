"""A program whose processes are started by hand: one as MS_SCHED, two as MS_WORKER, without numbers of their own."""

import mindspore as ms
from mindspore import ops
from mindspore.communication import get_group_size, get_rank, init

init()
total = ops.AllReduce()(ms.Tensor([float(get_rank() + 1)])).asnumpy()
line = f"process {get_rank()} of {get_group_size()} {total.tolist()}\n"
print(line, end="")  # in one piece: processes may share their output without a buffer
