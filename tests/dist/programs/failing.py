"""A process of two that ends in the way named on the command line while the other waits for it."""

import os
import signal
import sys
import time
from pathlib import Path

import sporax as ms
from sporax import ops
from sporax.communication import get_rank, init

init()
print("this is", get_rank(), flush=True)
x = ms.Tensor([1.0])
ops.AllReduce()(x).asnumpy()
if sys.argv[1] == "busy":
    (Path(sys.argv[2]) / str(os.getpid())).touch()
if sys.argv[1] == f"kill {get_rank()}":
    os.kill(os.getpid(), signal.SIGKILL)
if get_rank() == 1:
    match sys.argv[1]:
        case "raise":
            raise ValueError("no luck")
        case "exit":
            sys.exit(3)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop" | "stop, and the sum is divided":
            time.sleep(5)  # its reports have begun
            os.kill(os.getpid(), signal.SIGSTOP)
        case "return":
            sys.exit(0)
        case "sleep":
            time.sleep(15)
        case "wait":
            ms.mint.distributed.TCPStore("127.0.0.1", 1).get("never")  # here
        case "busy":
            while True:
                pass
if sys.argv[1].endswith("divided"):
    (ops.AllReduce()(x) / 2).asnumpy()
ops.AllReduce()(x).asnumpy()  # waited for
