"""A program that asks for no other process, though `sporax launch` starts two; a process that it starts is not of the run."""

import subprocess
import sys

import sporax as ms

TOLD = "from sporax._src.processes.world import is_joined; print('is joined:', is_joined(), flush=True)"

exec(TOLD)
subprocess.run(
    [sys.executable, "-c", "import sporax; from sporax.communication import init; init();" + TOLD], check=True
)
net = ms.nn.Dense(4, 4)
step = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), ms.nn.SGD(net.trainable_params()))
step(ms.ops.ones((8, 4)), ms.ops.ones((8, 4)))
