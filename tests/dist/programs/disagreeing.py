"""Two processes that exchange different things, in ways that are told, and then the same; `disagreeing.py graph|pynative`."""

import sys

import numpy as np

import sporax as ms
from sporax import ops
from sporax._src.processes import collective_check
from sporax.communication import get_rank, init

init()
mode, rank = sys.argv[1], get_rank()
ms.set_context(mode={"graph": ms.GRAPH_MODE, "pynative": ms.PYNATIVE_MODE}[mode])
reduce, gather = ops.AllReduce(), ops.AllGather()


class Net(ms.nn.Cell):
    """Exchanges something else in the second process."""

    def construct(self, x):
        if how == "order" and rank == 1:
            return reduce(gather(x))
        x = reduce(x)
        return x if how == "number" and rank == 1 else gather(x)


def told(how: str, x: ms.Tensor) -> None:
    """Print the error of a call."""
    try:
        Net()(x).asnumpy()
    except RuntimeError as error:
        print(f"{how}: {error}")


for how in ("shape", "dtype", "order", "number"):
    if how == "number" and mode == "pynative":
        continue  # an operation at a time, the first process waits for what the second does next
    shape, dtype = (3 if how == "shape" and rank else 2), (ms.float16 if how == "dtype" and rank else ms.float32)
    told(how, ms.Tensor(np.ones(shape), dtype))

how, x, net = "nothing", ms.Tensor(np.ones(5, np.float32)), Net()
counts = [collective_check.comparisons]
for call in [lambda: net(x), lambda: ms.grad(lambda x: net(x).sum())(x)] * 2:
    call().asnumpy()
    counts.append(collective_check.comparisons)
print("compared", *np.diff(counts))
