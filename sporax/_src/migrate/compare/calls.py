"""The calls of the layers on both sides, their inner calls, and the call in which a difference begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sporax._src.migrate.compare.measure import tolerance
from sporax._src.migrate.compare.recorder import Recording

GROWTH = 30.0  # how much a layer may enlarge the rounding of its inputs
NOISE = 1e-8
Sides = tuple[Recording, Recording]


@dataclass(frozen=True)
class Call:
    """One call of a layer on both sides."""

    path: str
    other: str
    number: int
    depth: int
    inputs: tuple[list[np.ndarray], list[np.ndarray]]
    outputs: tuple[list[np.ndarray], list[np.ndarray]]
    gradients: tuple[list[np.ndarray | None], list[np.ndarray | None]]
    dtypes: tuple[list[str], list[str]]
    input_dtypes: tuple[list[str], list[str]]
    random: bool

    @property
    def name(self) -> str:
        """The path, with the number of the call if it is not the first."""
        return self.path if self.number == 1 else f"{self.path} (call {self.number})"


def calls_of_both(sides: Sides, layers: Mapping[str, str], name: str) -> list[Call]:
    """Return the calls of one pass that both sides have, in the order in which they end."""
    ours, theirs = (side.about["passes"].get(name, []) for side in sides)
    positions = {(call["path"], call["call"]): i for i, call in enumerate(theirs)}
    pairs = []
    for i, call in enumerate(ours):
        j = positions.get((layers.get(call["path"]), call["call"]))
        if j is not None:
            pairs.append(one_call(sides, name, (i, j), (call, theirs[j])))
    return pairs


def one_call(sides: Sides, name: str, at: tuple[int, int], both: tuple[dict[str, Any], dict[str, Any]]) -> Call:
    """Return a call from its positions in both recordings."""

    def arrays(what: str, side_of: str) -> Any:
        return tuple(
            [side.arrays.get(f"{name}/{i}/{what}/{k}") for k in range(len(call[side_of]))]
            for side, i, call in zip(sides, at, both, strict=True)
        )

    return Call(
        path=both[0]["path"],
        other=both[1]["path"],
        number=both[0]["call"],
        depth=both[0]["depth"],
        inputs=arrays("inputs", "inputs"),
        outputs=arrays("outputs", "outputs"),
        gradients=arrays("gradients", "outputs"),
        dtypes=(both[0]["outputs"], both[1]["outputs"]),
        input_dtypes=(both[0]["inputs"], both[1]["inputs"]),
        random=both[1]["random"] and not both[0]["random"],
    )


def children(calls: Sequence[Call], i: int) -> list[int]:
    """Return the calls made directly by a call, in order."""
    indices: list[int] = []
    for j in range(i - 1, -1, -1):
        if calls[j].depth <= calls[i].depth:
            break
        if calls[j].depth == calls[i].depth + 1:
            indices.insert(0, j)
    return indices


def begins_in(
    stage: str,
    calls: Sequence[Call],
    errors: Sequence[tuple[float | None, float | None]],
    i: int,
    status: str,
) -> bool:
    """Return whether the difference of a call began in its own code, not in its inputs or its inner layers."""
    call, (entering, leaving) = calls[i], errors[i]
    if status == "dtype":
        return call.input_dtypes[0] == call.input_dtypes[1]
    if entering is None and call.path:
        return False
    allowed = tolerance(stage, *call.dtypes[0], *call.dtypes[1])
    known = max(entering or 0.0, NOISE)
    for j in children(calls, i):
        inside, outside = errors[j]
        if inside is None or inside > max(allowed, GROWTH * known):
            return inside is not None or leaving is None or leaving > allowed
        if outside is None or outside > max(allowed, GROWTH * max(known, inside)):
            return False  # found when that call was looked at
        known = max(known, inside, outside)
    return leaving is None or leaving > max(allowed, GROWTH * known)


def called_inside(side: Recording, stage: str, path: str, number: int) -> tuple[list[str], set[str]]:
    """Return the layers that a call runs directly, in order, and those of them that change their inputs."""
    run = side.about["passes"][stage]
    end = next(i for i, c in enumerate(run) if (c["path"], c["call"]) == (path, number))
    inner: list[str] = []
    busy: set[str] = set()
    for i in range(end - 1, -1, -1):
        if run[i]["depth"] <= run[end]["depth"]:
            break
        if run[i]["depth"] == run[end]["depth"] + 1:
            inner.insert(0, run[i]["path"])
            received, left = (side.arrays.get(f"{stage}/{i}/{what}/0") for what in ("inputs", "outputs"))
            if received is None or left is None or not np.array_equal(received, left):
                busy.add(run[i]["path"])
    return inner, busy
