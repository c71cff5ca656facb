"""One process sends and ends at once, the other receives later and sends what nobody receives: run by `sporax launch`.

With the argument `raise` or `exit`, the first one ends by an error, or with a status, and leaves the other waiting.
"""

import sys
import time

import numpy as np

import sporax as ms
from sporax.communication import comm_func, get_rank, init

init()
large = ms.Tensor(np.arange(1 << 20, dtype=np.float32))
if get_rank() == 0:
    comm_func.send(large, 1)
    if "raise" in sys.argv:
        raise ValueError("no luck")
    if "exit" in sys.argv:
        sys.exit(3)
elif sys.argv[1:]:
    comm_func.recv(large, 0, tag=1)
else:
    time.sleep(2)
    np.testing.assert_array_equal(comm_func.recv(large, 0).asnumpy(), large.asnumpy())
    comm_func.send(large, 0)
    print("all right")
