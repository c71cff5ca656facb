"""Randomness is state: a Generator is a seed and a count of draws, both ordinary state that traces read and write."""

from __future__ import annotations

import secrets
import threading
import weakref
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.jax_compat import to_device
from sporax._src.base.typing import Array
from sporax._src.core.execution import CONSUMED, committing, current, returned, running
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, wrap

_MASK = 0xFFFFFFFF


class RandomState:
    """The uint32 triple (seed high, seed low, draws) of a Generator, read and written by scope."""

    __slots__ = ("_current", "_start")
    name = "random state"
    is_consumed = True
    _views = None  # it has no views

    def __init__(self, seed: int, draws: int = 0) -> None:
        self._start, self._current = (seed, draws), None

    @property
    def _value(self) -> Any:
        if self._current is None:  # created on first use: importing sporax starts no device
            self._current = _pack(*self._start)
        return self._current

    @_value.setter
    def _value(self, new: Array) -> None:
        self._current = new

    def concrete(self) -> Any:
        """Return the state held outside any trace."""
        value = self._value
        return value if value is not CONSUMED else returned(self)

    def commit(self, value: Array) -> None:
        """Take over the state after a trace."""
        self._value = value

    def adopt(self, value: Array) -> None:
        """Take over the state within the running trace, or outside of any."""
        self.value = value

    @property
    def value(self) -> Any:
        """The state as the running trace sees it."""
        scope = current.get().scope
        return self.concrete() if scope is None else scope.read(self)

    @value.setter
    def value(self, new: Array) -> None:
        now = current.get()
        if now.scope is not None:
            now.scope.write(self, new)
            return
        if now.journal is not None:
            now.journal.append((self, self._value))
        self._value = new


def _pack(seed: int, draws: int) -> jax.Array:
    with jax.ensure_compile_time_eval():  # a Generator made while a graph is captured outlives the trace
        return to_device(np.array([seed >> 32 & _MASK, seed & _MASK, draws & _MASK], np.uint32))


def key_of(state: jax.Array) -> jax.Array:
    """Return the JAX key of the next draw: the seed's key folded with the count of draws."""
    return jax.random.fold_in(jax.random.wrap_key_data(state[:2]), state[2])


def advance(state: jax.Array) -> jax.Array:
    """Return the state after one draw."""
    return state.at[2].add(jnp.uint32(1))


class Generator:
    """A source of random numbers with a state of its own.

    Examples:
        >>> import sporax as ms
        >>> ms.Generator().manual_seed(5).initial_seed()
        5
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = secrets.randbits(32) if seed is None else seed
        self.state = RandomState(self._seed)

    def manual_seed(self, seed: int) -> Generator:
        """Start the sequence of `seed` and return the Generator."""
        self._seed = _signed(check_seed(seed, -(2**63)))
        self.state.value = _pack(self._seed, 0)
        return self

    def seed(self) -> int:
        """Start the sequence of an unpredictable seed and return the seed."""
        self.manual_seed(secrets.randbits(32))
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed the sequence started from."""
        return self._seed

    def _step(self, step: Tensor) -> tuple[Tensor, Tensor]:
        """Return the seed and the number of draws so far, as int64 Tensors, and advance the count by `step`.

        Outside a trace they are Parameters, so a layer that stores them includes them in its checkpoints.
        """
        with committing:
            state = self.state.value
            self.state.value = state.at[2].add(step._data.reshape(()).astype(np.uint32))
        words = state.astype(np.int64)
        seed, offset = wrap((words[0] << 32) | words[1]), wrap(words[2])
        if current.get().scope is not None:
            return seed, offset
        return Parameter(seed, requires_grad=False), Parameter(offset, requires_grad=False)

    def get_state(self) -> Tensor:
        """Return the state as a uint8 Tensor."""
        return wrap(jax.lax.bitcast_convert_type(self.state.value, np.uint8).reshape(-1))

    def set_state(self, state: Tensor) -> None:
        """Continue from a state that `get_state` returned."""
        if not isinstance(state, Tensor) or state.shape != (12,) or state._data.dtype != np.uint8:
            raise TypeError("Generator.set_state: expected the uint8[12] Tensor that get_state returns.")
        value = jax.lax.bitcast_convert_type(state._data.reshape(3, 4), np.uint32)
        self.state.value = value
        high, low, _ = (int(v) for v in np.asarray(value))
        self._seed = _signed(high << 32 | low)


def _signed(seed: int) -> int:
    """Return a seed as MindSpore shows it: as an int64 of the same bits."""
    return seed - 2**64 if seed >= 2**63 else seed


def check_seed(seed: object, least: int = 0) -> int:
    """Return a seed; raises TypeError or ValueError if it is not an integer in [least, 2**64)."""
    if isinstance(seed, Tensor):
        seed = seed.item()
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed must be an integer, got {type(seed).__name__}: {seed!r}.")
    if not least <= seed < 2**64:
        raise ValueError(f"seed must be in [{'-2**63' if least else 0}, 2**64), got {seed}.")
    return int(seed)


default_generator = Generator(0)
_global_seed: int | None = None
_StreamKey = tuple[str, int, int]
_shared: dict[_StreamKey, Generator] = {}
_seeded: weakref.WeakKeyDictionary[Generator, _StreamKey] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def set_seed(seed: int) -> None:
    """Seed the framework, NumPy and the datasets.

    Args:
        seed: A non-negative integer.

    Raises:
        TypeError: If `seed` is not an integer.
        ValueError: If `seed` is negative, or 2**32 or more.

    Examples:
        >>> import sporax as ms
        >>> ms.set_seed(1)
    """
    global _global_seed
    seed = check_seed(seed)
    if seed >= 2**32:  # NumPy and the datasets take no more
        raise ValueError(f"seed must be in [0, 2**32), got {seed}.")
    _global_seed = seed
    with _lock:
        seeded = list(_seeded.items())
    for generator, key in seeded:  # compiled graphs hold on to these: start them again, don't replace them
        generator.manual_seed(_mixed(key))
    np.random.seed(_global_seed)
    default_generator.manual_seed(_global_seed)
    for listener in _seed_listeners:
        listener(_global_seed)


_seed_listeners: list[Any] = []


def on_set_seed(listener: Callable[[int], None]) -> None:
    """Have `listener(seed)` called by every `set_seed`, and now if there has been one."""
    _seed_listeners.append(listener)
    if _global_seed is not None:
        listener(_global_seed)


def get_seed() -> int | None:
    """Return the seed given to `set_seed`, or None."""
    return _global_seed


def _get_graph_seed(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """Return the seed of the program and one for a random operator: its own at first, another at each later call.

    Args:
        op_seed: The seed given to the operator; 0 or None if none was.
        kernel_name: The name of the operator.
    """
    key = (kernel_name, _global_seed or 0, op_seed or 0)
    if not any(key[1:]):
        return 0, 0
    with _lock:
        _graph_seeds[key] = count = _graph_seeds.get(key, 0) + 1
    return key[1], key[2] if count == 1 else int(np.random.default_rng([*key[1:], count]).integers(2**31))


_graph_seeds: dict[tuple[str, int, int], int] = {}


def manual_seed(seed: int) -> Generator:
    """Seed the default Generator and return it."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seed the default Generator unpredictably and return the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed of the default Generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """Return the state of the default Generator."""
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    """Set the state of the default Generator."""
    default_generator.set_state(state)


def state_for(op: str, seed: int | Generator | None = None, seed2: int | None = 0) -> RandomState:
    """Return the state an operator draws from: one per (operator, seed) in `streams`, else the default Generator's."""
    if isinstance(seed, Generator):
        return seed.state
    if not seed and not seed2:
        return default_generator.state
    key = (op, check_seed(seed or 0), check_seed(seed2 or 0))
    own = current.get().streams
    streams_of = _shared if own is None else own
    if key not in streams_of:
        with _lock:  # two threads that create it at once share one stream
            if key not in streams_of:
                generator = Generator(_mixed(key))
                _seeded[generator] = key
                streams_of[key] = generator
    return streams_of[key].state


def stream_states(own: dict[_StreamKey, Generator]) -> list[list[Any]]:
    """Return the states of seeded operators: rows of operator, seed, seed2 and the three words of the state."""
    return [[*key, *np.asarray(generator.state.concrete()).tolist()] for key, generator in own.items()]


def set_stream_states(own: dict[_StreamKey, Generator], states: list[list[Any]]) -> None:
    """Restore the states of seeded operators that `stream_states` returned; the streams of others start again."""
    saved = {(op, seed, seed2): words for op, seed, seed2, *words in states}
    with _lock:
        for key in saved.keys() - own.keys():
            own[key] = Generator(_mixed(key))
            _seeded[own[key]] = key
        for key, generator in own.items():  # compiled graphs refer to these objects
            generator.state.commit(_words(saved[key])) if key in saved else generator.manual_seed(_mixed(key))


def random_states() -> dict[str, Any]:
    """Return all random states of the framework as plain numbers and strings."""
    return {
        "seed": _global_seed,
        "default": np.asarray(default_generator.state.concrete()).tolist(),
        "streams": stream_states(_shared),
        "operators": [[*key, count] for key, count in _graph_seeds.items()],
    }


def set_random_states(states: dict[str, Any]) -> None:
    """Restore the random states that `random_states` returned."""
    global _global_seed
    _global_seed = states["seed"]
    high, low, _ = states["default"]
    default_generator._seed = high << 32 | low
    default_generator.state.commit(_words(states["default"]))
    set_stream_states(_shared, states["streams"])
    _graph_seeds.clear()
    _graph_seeds.update({(name, seed, seed2): count for name, seed, seed2, count in states["operators"]})


def _words(words: list[int]) -> jax.Array:
    return jnp.asarray(np.array(words, np.uint32))


def streams(own: dict[_StreamKey, Generator]) -> running:
    """Let seeded operators draw from the Generators in `own` within the block; missing ones are created."""
    return running(streams=own)


def _mixed(key: tuple[str, int, int]) -> int:
    op, seed, seed2 = key
    mixed = np.random.SeedSequence([_global_seed or 0, seed, seed2, *op.encode()]).generate_state(2)
    return int(mixed[0]) << 32 | int(mixed[1])
