"""The placement of a pipeline stage's arrays: on the device of its single process, or on the devices of all its processes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.base.pieces import piece_here
from sporax._src.core.execution import committing
from sporax._src.processes.parallel_context import cutting
from sporax._src.processes.prime_mesh import prime_mesh
from sporax._src.processes.spmd import local_array, of_piece, on_mesh, values_of_first
from sporax._src.transform.parallel.state_sharding import state_shardings


class Arrays:
    """The arrays of a stage.

    Args:
        graph: The captured network (see `capture.Graph`).

    Attributes:
        whole: The sharding of replicated arrays; None if the stage has one device.
    """

    def __init__(self, graph: Any) -> None:
        how = cutting()
        self._mesh = None if how is None else prime_mesh(how.devices)
        self._states = graph.states
        self.whole = None if self._mesh is None else NamedSharding(self._mesh, PartitionSpec())
        self._shardings = (
            [None] * len(graph.states)
            if how is None or self._mesh is None
            else state_shardings(graph.optimized, graph.states, self._mesh, how)[0]
        )

    def between(self, aval: Any) -> NamedSharding | None:
        """Return the sharding of a value between stages: its first axis over all devices, if that is divisible."""
        if self._mesh is None or not aval.shape or aval.shape[0] % self._mesh.size:
            return self.whole
        return NamedSharding(self._mesh, PartitionSpec(self._mesh.axis_names))

    def here(self, x: Any) -> Any:
        """Return a replicated array as a local array of this process."""
        return local_array(x)

    def piece(self, x: object) -> np.ndarray:
        """Return this process's part of an array, for a message."""
        return np.asarray(piece_here(x))

    def joined(self, piece: np.ndarray, aval: Any) -> Any:
        """Return the array between stages from the part that this process received."""
        sharding = self.between(aval)
        return jnp.asarray(piece) if sharding is None else of_piece(sharding, aval.shape, piece)

    def full(self, aval: Any, value: float) -> Any:
        """Return a replicated array filled with `value`."""
        return self._on_each(jnp.full(aval.shape, value, aval.dtype))

    def zeros(self, i: int) -> Any:
        """Return the zero gradient of a state."""
        value = self._states[i].concrete()
        return self._on_each(jnp.zeros(value.shape, value.dtype))

    def _on_each(self, x: object) -> Any:
        return x if self.whole is None else on_mesh(x, self.whole)

    def state(self, i: int, value: object = None) -> Any:
        """Return the value of a state, or another value for it, in the sharding of the stage."""
        value, sharding = self._states[i].concrete() if value is None else value, self._shardings[i]
        return value if sharding is None else on_mesh(value, sharding)

    def agree(self, owned: Sequence[int]) -> None:
        """Broadcast states from the first device to the others."""
        if self._mesh is None:
            return
        with committing:
            for i in owned:
                self._states[i]._value = values_of_first(self._states[i].concrete(), self._shardings[i])  # type: ignore[arg-type]

    def set_piece(self, i: int, piece: np.ndarray) -> None:
        """Set a state from the part that this process received."""
        local, sharding = jnp.asarray(piece), self._shardings[i]
        if sharding is not None and not sharding.is_fully_replicated:
            local = of_piece(sharding, self._states[i].concrete().shape, piece)
        with committing:
            self._states[i]._value = local

    def parts_of(self, x: Any, micros: int) -> list[Any]:
        """Return the parts of a batch, sharded like values between stages."""
        if not x.shape:
            return [self._on_each(x)] * micros
        aval = jax.ShapeDtypeStruct((x.shape[0] // micros, *x.shape[1:]), x.dtype)
        return _split(micros, self.between(aval))(self._on_each(x) if x.is_fully_addressable else x)

    def whole_parts_of(self, x: Any, micros: int) -> list[Any]:
        """Return the parts of a batch as local arrays of this process."""
        if not x.shape:
            return [local_array(x)] * micros
        return [local_array(part) for part in _split(micros, self.whole)(x)]


@functools.lru_cache(maxsize=64)
def _split(micros: int, sharding: NamedSharding | None) -> Any:
    return jax.jit(lambda x: jnp.split(x, micros), out_shardings=[sharding] * micros)
