"""Where the arrays of a stage of a pipeline are: on the device of its one process, or on the devices of all that it has."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.base.jax_compat import piece_here
from sporax._src.core.execution import committing
from sporax._src.processes.parallel_context import cutting
from sporax._src.processes.prime_mesh import prime_mesh
from sporax._src.processes.spmd import on_mesh, values_of_first
from sporax._src.transform.parallel.state_sharding import places_of


class Arrays:
    """The arrays of a stage.

    Args:
        graph: The captured network (see `capture.Graph`).

    Attributes:
        whole: How something is placed that each device has; None if there is one.
    """

    def __init__(self, graph: Any) -> None:
        how = cutting()
        self._mesh = None if how is None else prime_mesh(how.devices)
        self._states = graph.states
        self.whole = None if self._mesh is None else NamedSharding(self._mesh, PartitionSpec())
        self._places = (
            [None] * len(graph.states)
            if how is None or self._mesh is None
            else places_of(graph.optimized, graph.states, self._mesh, how)[0]
        )

    def between(self, aval: Any) -> NamedSharding | None:
        """Return how a value between stages is cut: over all devices along its first axis, if that can be cut so."""
        if self._mesh is None or not aval.shape or aval.shape[0] % self._mesh.size:
            return self.whole
        return NamedSharding(self._mesh, PartitionSpec(self._mesh.axis_names))

    def here(self, x: Any) -> Any:
        """Return an array of this process alone from one that each device has."""
        return piece_here(x)

    def piece(self, x: Any) -> np.ndarray:
        """Return what this process has of an array, for a message."""
        return np.asarray(piece_here(x))

    def joined(self, piece: np.ndarray, aval: Any) -> Any:
        """Return the array between stages of which each process has got a piece."""
        place = self.between(aval)
        local = jnp.asarray(piece)
        return local if place is None else jax.make_array_from_single_device_arrays(aval.shape, place, [local])

    def full(self, aval: Any, value: float) -> Any:
        """Return an array that is `value` everywhere, on each device."""
        return self._on_each(jnp.full(aval.shape, value, aval.dtype))

    def zeros(self, i: int) -> Any:
        """Return the gradient by a state before anything is added."""
        value = self._states[i].concrete()
        return self._on_each(jnp.zeros(value.shape, value.dtype))

    def _on_each(self, x: Any) -> Any:
        return x if self.whole is None else on_mesh(x, self.whole)

    def state(self, i: int, value: Any = None) -> Any:
        """Return the value of a state, or another value for it, as the stage computes with it."""
        value, place = self._states[i].concrete() if value is None else value, self._places[i]
        return value if place is None else on_mesh(value, place)

    def agree(self, owned: Sequence[int]) -> None:
        """Have the devices take over states from the first of them."""
        if self._mesh is None:
            return
        states, places = [self._states[i] for i in owned], [self._places[i] for i in owned]
        with committing:
            values = values_of_first([s.concrete() for s in states], places)  # type: ignore[arg-type]
            for state, value in zip(states, values, strict=True):
                state._value = value

    def set_piece(self, i: int, piece: np.ndarray) -> None:
        """Give a state the value of which this process has got a piece."""
        local, place = jnp.asarray(piece), self._places[i]
        if place is not None and not place.is_fully_replicated:
            local = jax.make_array_from_single_device_arrays(self._states[i].concrete().shape, place, [local])
        with committing:
            self._states[i]._value = local

    def parts_of(self, x: Any, micros: int) -> list[Any]:
        """Return the parts of a batch, placed as values between stages are."""
        if not x.shape:
            return [self._on_each(x)] * micros
        aval = jax.ShapeDtypeStruct((x.shape[0] // micros, *x.shape[1:]), x.dtype)
        return _split(micros, self.between(aval))(self._on_each(x) if x.is_fully_addressable else x)

    def whole_parts_of(self, x: Any, micros: int) -> list[Any]:
        """Return the parts of a batch as arrays of this process alone."""
        if not x.shape:
            return [piece_here(x)] * micros
        return [piece_here(part) for part in _split(micros, self.whole)(x)]


@functools.lru_cache(maxsize=64)
def _split(micros: int, place: NamedSharding | None) -> Any:
    return jax.jit(lambda x: jnp.split(x, micros), out_shardings=[place] * micros)
