"""Steps of data parallel training in JAX by hand: `processes_jax.py RANK SIZE PORT CORE MODEL ROUNDS SECONDS FILE`.

Arrays of all processes, the batch cut and the state not, go through the step that one process compiles: XLA adds the exchange.
"""

import os
import sys
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from bench.models.jax_models import initial_state, load_input, training_step
from bench.rounds import write_rounds
from bench.specs import SPECS


def step_of(model: str):
    """Return a training step of a model that takes the number of a batch."""
    spec, mesh = SPECS[model], Mesh(np.array(jax.devices()), "processes")
    whole, cut = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("processes"))
    put: Any = jax.make_array_from_process_local_data
    state = jax.tree.map(lambda a: put(whole, np.asarray(a)), initial_state(spec.weights(), spec.optimizer))
    batches = [(put(cut, np.asarray(load_input(x))), put(cut, y)) for x, y in spec.batches()]
    compiled = training_step(model, spec.optimizer, spec.lr)

    def step(i: int) -> jax.Array:
        nonlocal state
        state, loss = compiled(state, *batches[i % 2])
        return loss

    return step


def main(rank: int, size: int, port: int, core: int, model: str, rounds: int, seconds: float, file: Path) -> None:
    """Time rounds of about so many seconds each, in all processes alike."""
    os.sched_setaffinity(0, {core})
    if size > 1:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(f"127.0.0.1:{port}", size, rank)
    write_rounds(
        step_of(model), jax.block_until_ready, lambda took: float(np.max(process_allgather(np.float32(took)))),
        rounds, seconds, file if rank == 0 else None,
    )  # fmt: skip


if __name__ == "__main__":
    rank, size, port, core = map(int, sys.argv[1:5])
    main(rank, size, port, core, sys.argv[5], int(sys.argv[6]), float(sys.argv[7]), Path(sys.argv[8]))
