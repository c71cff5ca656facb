"""Schedules of pipelines: tables of the micro batches that each stage runs, as plain data.

A stage has `chunks` parts of the network: part `chunk` of stage s is part chunk · stages + s of the network. A unit is one
part on one micro batch, forward or backward. A table lists the units of each stage in order; a unit runs as soon as its
inputs have arrived.
"""

from __future__ import annotations

from typing import NamedTuple


class Unit(NamedTuple):
    """One part of the network on one micro batch.

    Attributes:
        forward: Whether it is the forward.
        micro: The number of the micro batch.
        chunk: The index of the part among those of its stage.
    """

    forward: bool
    micro: int
    chunk: int = 0

    def __str__(self) -> str:
        return f"{'F' if self.forward else 'B'}{self.micro}" + (f".{self.chunk}" if self.chunk else "")


def gpipe(stages: int, micros: int, chunks: int = 1) -> list[list[Unit]]:
    """Return the table in which all forwards come before all backwards (Huang et al., 2019).

    Examples:
        >>> [" ".join(map(str, units)) for units in gpipe(2, 2)]
        ['F0 F1 B0 B1', 'F0 F1 B0 B1']
    """
    forwards = [Unit(True, m, c) for c in range(chunks) for m in range(micros)]
    backwards = [Unit(False, m, c) for c in reversed(range(chunks)) for m in range(micros)]
    return [forwards + backwards for _ in range(stages)]


def one_forward_one_backward(stages: int, micros: int) -> list[list[Unit]]:
    """Return the table in which a backward follows each forward as soon as it can (Narayanan et al., 2019).

    Stage s has at most stages - s micro batches in flight.

    Examples:
        >>> [" ".join(map(str, units)) for units in one_forward_one_backward(2, 3)]
        ['F0 F1 B0 F2 B1 B2', 'F0 B0 F1 B1 F2 B2']
    """
    forwards, backwards = [Unit(True, m) for m in range(micros)], [Unit(False, m) for m in range(micros)]
    return [_alternating(forwards, backwards, stages - s - 1) for s in range(stages)]


def interleaved(stages: int, micros: int, chunks: int) -> list[list[Unit]]:
    """Return the table of one forward and one backward for stages of several parts (Narayanan et al., 2021).

    Micro batches run in groups of the size `stages`, the first with the remainder: all of a group run one part,
    then the next part.

    Examples:
        >>> [" ".join(map(str, units)) for units in interleaved(2, 2, 2)]
        ['F0 F1 F0.1 F1.1 B0.1 B1.1 B0 B1', 'F0 F1 F0.1 B0.1 F1.1 B1.1 B0 B1']
    """
    first = min(micros, stages + micros % stages)
    groups = [range(first), *(range(m, m + stages) for m in range(first, micros, stages))]
    forwards = [Unit(True, m, c) for group in groups for c in range(chunks) for m in group]
    backwards = [Unit(False, m, c) for group in groups for c in reversed(range(chunks)) for m in group]
    return [_alternating(forwards, backwards, 2 * (stages - s - 1) + (chunks - 1) * first) for s in range(stages)]


def _alternating(forwards: list[Unit], backwards: list[Unit], ahead: int) -> list[Unit]:
    """Return the units with `ahead` forwards before the first pair of a forward and a backward."""
    ahead = min(ahead, len(forwards))
    pairs = [u for pair in zip(forwards[ahead:], backwards, strict=False) for u in pair]
    return [*forwards[:ahead], *pairs, *backwards[len(forwards) - ahead :]]


def schedule(name: str, stages: int, micros: int, chunks: int) -> list[list[Unit]]:
    """Return the table of a scheduler by MindSpore's name for it.

    Args:
        name: `"gpipe"`, or `"1f1b"` or another; schedulers that also split sequences or weight gradients compute the same
            numbers, and run as 1F1B.
        stages, micros, chunks: The numbers of stages, of micro batches, and of parts of the network for each stage.
    """
    if name == "gpipe":
        return gpipe(stages, micros, chunks)
    return one_forward_one_backward(stages, micros) if chunks == 1 else interleaved(stages, micros, chunks)


def max_in_flight(units: list[Unit]) -> int:
    """Return the largest number of units of a stage in flight: forwards whose backward has not run yet.

    Examples:
        >>> [max_in_flight(units) for units in one_forward_one_backward(4, 8)], max_in_flight(gpipe(4, 8)[0])
        ([4, 3, 2, 1], 8)
    """
    in_flight = most = 0
    for unit in units:
        in_flight += 1 if unit.forward else -1
        most = max(most, in_flight)
    return most
