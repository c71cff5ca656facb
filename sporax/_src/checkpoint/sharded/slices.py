"""Checkpoints of several devices, each with its pieces: which files have a piece, and how pieces are cut again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from sporax._src.base.errors import shown
from sporax._src.sharding.parameter_file import Strategies, read_strategies
from sporax._src.sharding.parameter_layout import Box, Cut, whole_cut

Pieces = dict[str, dict[int, np.ndarray]]  # of each Parameter, by device
Cuts = dict[str, Cut] | None  # None: Parameters are whole


class Layouts:
    """The layouts of a run's Parameters in all pipeline stages; without a file of strategies, Parameters are whole.

    Args:
        path: The file of strategies, or None.
        caller: The prefix of an error.

    Raises:
        TypeError, ValueError: If the file cannot be read (see `read_strategies`), or holds no Parameter.
    """

    def __init__(self, path: object, caller: str) -> None:
        self.is_whole = path is None
        self.file = Strategies() if path is None else read_strategies(path, caller)
        self._cuts = self.file.by_stage()
        if path is not None and not self._cuts:
            raise ValueError(f"{caller}: the file of strategies {shown(path)} names no Parameter.")
        stages = {stage for by_stage in self._cuts.values() for stage in by_stage}
        self.stages = max(1, len(stages))
        if stages and stages != set(range(len(stages))):
            raise ValueError(f"{caller}: {shown(path)} must hold all stages of a pipeline, got {sorted(stages)}.")
        first = next(iter(self._cuts.values()), {0: whole_cut(0)})
        self.devices = first[min(first)].devices
        """How many devices a stage has."""

    @property
    def names(self) -> set[str]:
        """The names of the Parameters."""
        return set(self._cuts)

    def stages_of(self, name: str) -> Iterable[int]:
        """Return the stages that have a Parameter."""
        return self._cuts[name]

    def cuts(self, stage: int | None = None) -> Cuts:
        """Return the layouts of the Parameters of a stage; for None those of all stages, each from its first stage."""
        if self.is_whole:
            return None
        found = {}
        for name, by_stage in self._cuts.items():
            if stage is None:
                found[name] = by_stage[min(by_stage)]
            elif stage in by_stage:
                found[name] = by_stage[stage]
        return found


def cuts_for(rank: int, source: Layouts, target: Layouts, caller: str) -> tuple[Cuts, Cuts]:
    """Return the layouts of a process's Parameters, in the existing files and in the process.

    Parameters that only other stages of the target have are in neither.

    Args:
        rank: The number of the process.
        source, target: The layouts of both runs.
        caller: The prefix of an error.

    Raises:
        ValueError: If the target has no such process.
    """
    if target.is_whole:
        return source.cuts(), None
    stage = rank // target.devices
    own, found = target.cuts(stage), source.cuts()
    if not own:
        raise ValueError(f"{caller}: rank {rank} is of stage {stage}, and there are {target.stages}.")
    if found is not None:
        found = {name: cut for name, cut in found.items() if name in own or name not in target.names}
    return found, own


def needed_devices(device: int, source: Cuts, target: Cuts) -> set[int]:
    """Return the devices whose pieces make up those of a device, including the device at its position."""
    needed = set()
    for name, cut in (source or {}).items():
        if target is not None and name not in target:
            continue
        other = whole_cut(len(cut.counts)) if target is None else target[name]
        if len(other.counts) == len(cut.counts):
            whole = tuple(map(math.lcm, cut.counts, other.counts))
            needed |= {holder for holder, _ in cut.overlapping(other.box(device, whole), whole, device)}
        needed.add(device % cut.devices)
    return needed


def put_together(
    name: str, cut: Cut, pieces: Mapping[int, np.ndarray], target: Cut, device: int, caller: str
) -> np.ndarray:
    """Return a device's piece of a Parameter, from pieces that were cut in another way.

    Args:
        name: The Parameter's.
        cut, pieces: How the pieces were cut, and the pieces by device.
        target, device: The layout of the piece, and its device.
        caller: The prefix of an error.

    Raises:
        ValueError: If a piece is missing, or pieces do not fit each other or their layout.
    """
    first_device, first = next(iter(pieces.items()))
    for other, piece in pieces.items():
        if (piece.shape, piece.dtype) != (first.shape, first.dtype):
            raise ValueError(
                f"{caller}: the pieces of '{shown(name)}' are not of one layout: {first.dtype}{list(first.shape)} of rank "
                f"{first_device}, and {piece.dtype}{list(piece.shape)} of rank {other}."
            )
    try:
        if len(cut.counts) != first.ndim:
            raise ValueError(f"its strategy has {len(cut.counts)} axes")
        whole = cut.whole(first.shape)
        box = target.box(device, whole)
        return _filled(box, cut, whole, pieces, device)
    except _Missing as missing:
        raise ValueError(
            f"{caller}: the piece of '{shown(name)}' that rank {missing} has is needed for rank {device}, and missing."
        ) from None
    except ValueError as error:
        raise ValueError(
            f"{caller}: '{shown(name)}' {first.dtype}{list(first.shape)} does not fit the files of strategies: {error}."
        ) from None


class _Missing(Exception):
    """A device's piece is not there."""


def _filled(box: Box, cut: Cut, whole: tuple[int, ...], pieces: Mapping[int, np.ndarray], near: int) -> np.ndarray:
    result = np.empty([s.stop - s.start for s in box], next(iter(pieces.values())).dtype)
    for holder, place in cut.overlapping(box, whole, near):
        # Of devices with equal pieces one may have saved it for all.
        device = holder if holder in pieces else next((d for d in pieces if cut.index(d) == cut.index(holder)), None)
        if device is None:
            raise _Missing(holder)
        both = [slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(box, place, strict=True)]
        into = tuple(slice(s.start - b.start, s.stop - b.start) for s, b in zip(both, box, strict=True))
        out_of = tuple(slice(s.start - p.start, s.stop - p.start) for s, p in zip(both, place, strict=True))
        result[into] = pieces[device][out_of]
    return result


def recut(pieces: Pieces, source: Cuts, target: Cuts, device: int, caller: str) -> dict[str, np.ndarray]:
    """Return all values of a device, cut in another way.

    Values that one of the two layouts does not name, such as a learning rate or a count of steps, come from the device
    at the same position.

    Args:
        pieces: The pieces, by Parameter and device.
        source, target: The old layouts and the new ones.
        device: The device.
        caller: The prefix of an error.

    Raises:
        ValueError: If both layouts have no common name, or pieces are missing or do not fit.
    """
    found, devices = {}, 0
    for name, by_device in pieces.items():
        if (source is not None and name not in source) or (target is not None and name not in target):
            continue
        axes = next(iter(by_device.values())).ndim
        cut = whole_cut(axes) if source is None else source[name]
        devices = cut.devices
        found[name] = put_together(
            name, cut, by_device, whole_cut(axes) if target is None else target[name], device, caller
        )
    if not devices:
        raise ValueError(f"{caller}: none of the Parameters of the checkpoint is in the files of strategies.")
    for name, by_device in pieces.items():
        if name not in found:
            if device % devices not in by_device:
                raise ValueError(f"{caller}: '{shown(name)}' of rank {device % devices} is needed, and missing.")
            found[name] = by_device[device % devices]
    return found
