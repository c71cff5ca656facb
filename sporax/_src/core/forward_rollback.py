"""Forward rollback: undoes the writes of a Cell's forward run when a gradient runs the Cell again, so that they happen once."""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableMapping, Set
from typing import Any, NamedTuple

_ABSENT = object()


class _Forward(NamedTuple):
    """A call of a Cell: its arguments, and the slice of the write log that it caused."""

    cell: Any  # a reference keeps its `id` from being reused
    structure: Any
    arrays: list[Any]
    start: int
    end: int


class ForwardRollback:
    """The write log of a trace in order, and the calls of Cells that wrote.

    The step `loss = net(x)`, `grads = grad(net, weights)(x)` updates the statistics of the layers once, as in MindSpore's graphs:
    `grad` undoes the writes of the first run. In MindSpore every run counts if there are more than two. A Cell that
    runs once more therefore becomes `repeated`, and the function is traced again with that Cell in `counted`.

    Attributes:
        counted: The Cells, by `id`, of which every run counts.
        repeated: The Cells, by `id`, that ran again after the writes of their first run were undone.
    """

    __slots__ = ("_forwards", "_log", "_rolled_back", "_runs", "counted", "repeated")

    def __init__(self, counted: Set[int] = frozenset()) -> None:
        self.counted = counted
        self.repeated: set[int] = set()
        self._log: list[tuple[int, Any, Any]] = []  # the `id` of the state, its old value and its previous write
        self._forwards: dict[int, _Forward] = {}  # the last run of each Cell, by `id`
        self._runs: Counter[int] = Counter()
        self._rolled_back: set[int] = set()

    def position(self) -> int:
        """Return how many writes there have been."""
        return len(self._log)

    def note_write(self, key: int, values: MutableMapping[int, Any], writes: MutableMapping[int, Any]) -> None:
        """Record the value of a state before it is written."""
        self._log.append((key, values.get(key, _ABSENT), writes.get(key, _ABSENT)))

    def note_forward(self, cell: object, structure: object, arrays: list[Any], start: int) -> None:
        """Record that a Cell has run on arguments and made the writes from position `start` on."""
        key = id(cell)
        self._forwards[key] = _Forward(cell, structure, arrays, start, len(self._log))
        self._runs[key] += 1
        if key in self._rolled_back:
            self.repeated.add(key)

    def roll_back(
        self,
        cell: object,
        structure: object,
        arrays: list[Any],
        values: MutableMapping[int, Any],
        writes: MutableMapping[int, Any],
    ) -> None:
        """Undo the writes of the only run of `cell`, if it had these arguments and nothing has been written since."""
        key = id(cell)
        if key in self._rolled_back:
            self.repeated.add(key)
        if self._runs[key] != 1 or key in self.counted or key in self._rolled_back:
            return
        forward = self._forwards.pop(key)
        same = forward.structure == structure and [*map(id, forward.arrays)] == [*map(id, arrays)]
        if forward.end != len(self._log) or not same:
            return
        self._rolled_back.add(key)
        while len(self._log) > forward.start:
            state, *before = self._log.pop()
            for mapping, item in zip((values, writes), before, strict=True):
                if item is _ABSENT:
                    mapping.pop(state, None)
                else:
                    mapping[state] = item

    def clear(self) -> None:
        """Forget the writes and the runs; which Cells are repeated stays known."""
        self._log.clear()
        self._forwards.clear()
