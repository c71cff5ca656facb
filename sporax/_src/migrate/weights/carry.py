"""Conversion of matched arrays into the other side's layout, and a row of the report for each name."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from sporax._src.migrate.weights.entries import Entries, Entry, Pair, Slot, plain_shape
from sporax._src.migrate.weights.match import Matching
from sporax._src.migrate.weights.report import Note, WeightsRow

Arrays = dict[str, np.ndarray]


@dataclass
class Carried:
    """The arrays of the target by name, and the rows of the report."""

    arrays: Arrays = field(default_factory=dict)
    rows: list[WeightsRow] = field(default_factory=list)


def carry(
    arrays: Mapping[str, np.ndarray],
    matching: Matching,
    source: Entries,
    target: Entries,
    own: Mapping[str, np.ndarray],
    notes: Mapping[str, Note],
) -> Carried:
    """Return the arrays of the target, and the outcome for every name of both sides.

    Args:
        arrays: The arrays of the source by name.
        matching: The pairs of slots of the source and the target.
        source, target: The entries of both sides.
        own: The current arrays of the target.
        notes: Earlier notes, by name of the source.
    """
    pairs = matching.pairs
    fitting = [(s, t) for s, t in pairs if s.shape == t.shape]
    done = Carried(assemble(arrays, fitting))
    shared = {name: Note("", f"the same array as {first}") for name, first in source.ties.items()}
    done.rows += _carried_rows(fitting, arrays, done.arrays, shared | dict(notes))
    done.rows += [_differs(s, t) for s, t in pairs if s.shape != t.shape]
    seen, filled = {s.name for s, _ in pairs}, {t.name for _, t in pairs}
    layers = matching.layers()
    left = [e for e in source.items if e.name not in seen], [e for e in target.items if e.name not in filled]
    done.rows += [_unmatched(e, arrays, source, seen, layers[0]) for e in left[0]]
    done.rows += [_fill(e, done.arrays, target, own, layers[1]) for e in left[1]]
    done.rows = [_with_candidates(row, *left) for row in done.rows]
    return done


def assemble(arrays: Mapping[str, np.ndarray], pairs: list[Pair]) -> Arrays:
    """Return the complete arrays of the target: cut, joined and in the layout in which it stores them.

    Args:
        arrays: The arrays of the source by name, some of which may be absent.
        pairs: The slots.
    """
    pieces: dict[str, dict[int, np.ndarray]] = {}
    layouts: dict[str, Slot] = {}
    for source, target in pairs:
        if source.name in arrays:
            pieces.setdefault(target.name, {})[target.part] = _plain(arrays[source.name], source)
            layouts[target.name] = target
    return {
        name: _stored([parts[i] for i in sorted(parts)], layouts[name])
        for name, parts in pieces.items()
        if len(parts) == layouts[name].parts
    }


def _plain(array: np.ndarray, slot: Slot) -> np.ndarray:
    """Return the array of a slot in torch's layout."""
    array = (array.T if slot.swapped else array).reshape(plain_shape(slot.entry))
    if slot.parts == 1:
        return array
    length = array.shape[0] // slot.parts
    return array[slot.part * length : (slot.part + 1) * length]


def _stored(parts: list[np.ndarray], slot: Slot) -> np.ndarray:
    """Return an array as the target stores it."""
    array = parts[0] if len(parts) == 1 else np.concatenate(parts)
    shape = slot.entry.shape
    return np.ascontiguousarray(array.reshape(shape[::-1]).T) if slot.swapped else array.reshape(shape)


# --- rows -----------------------------------------------------------------------------------------------------------


def _carried_rows(
    pairs: list[Pair], arrays: Mapping[str, np.ndarray], results: Arrays, notes: Mapping[str, Note]
) -> Iterator[WeightsRow]:
    for source, target in pairs:
        layout = _layout_change(source, target)
        note = notes.get(source.name, Note("", ""))
        reason = "; ".join(text for text in (note.text, layout) if text)
        status = note.status or ("reshaped" if layout else "carried" if source.name == target.name else "renamed")
        dtype = str(arrays[source.name].dtype)
        if target.name not in results:
            whole = f"only a part of it is in the source, which lacks the others of {target.parts}"
            yield WeightsRow(source.name, target.name, "missing", target.entry.shape, dtype, whole)
            continue
        yield WeightsRow(source.name, target.name, status, target.entry.shape, dtype, reason)


def _layout_change(source: Slot, target: Slot) -> str:
    if source.parts > 1 and target.parts == 1:
        return f"part {source.part + 1} of {source.parts} of the source"
    if target.parts > 1 and source.parts == 1:
        return f"part {target.part + 1} of {target.parts} of the target"
    if source.swapped != target.swapped:
        return "transposed"
    if source.entry.shape != target.entry.shape:
        return f"reshaped from {list(source.entry.shape)}"
    return ""


def _differs(source: Slot, target: Slot) -> WeightsRow:
    shapes = [list(s.entry.shape if s.parts == 1 else s.shape) for s in (source, target)]
    reason = f"the source has shape {shapes[0]}, {target.name} of the target has {shapes[1]}"
    return WeightsRow(source.name, target.name, "differs", target.entry.shape, reason=reason)


def _unmatched(
    entry: Entry, arrays: Mapping[str, np.ndarray], source: Entries, seen: set[str], layers: set[str]
) -> WeightsRow:
    """Return the reason why an array of the source is not used."""
    array = arrays[entry.name]
    status, reason = "dropped", ""
    idle = _idle(entry, layers)
    if entry.leaf == "num_batches_tracked":
        reason = "the target's batch normalisation counts no batches"
    elif not entry.learned:
        reason = "whole numbers (an index or a mask) that the target does not hold"
    elif idle is not None and (array == idle).all():
        reason = f"all {idle:g}: the target's layer has none"
    elif twin := _twin(entry, arrays, source, seen):
        status, reason = "tied", f"the same array as {twin}"
    else:
        status, reason = "unexpected", "nothing in the target takes it"
    return WeightsRow(entry.name, "", status, array.shape, str(array.dtype), reason)


def _with_candidates(row: WeightsRow, source: list[Entry], target: list[Entry]) -> WeightsRow:
    """Return the row of a name without a counterpart with the names of the other side that have its shape."""
    if row.status not in ("missing", "unexpected") or (row.source and row.target):
        return row
    own, other, side = (source, target, "target's") if row.source else (target, source, "source's")
    entry = next(e for e in own if e.name == (row.source or row.target))
    names = [e.name for e in other if e.learned and plain_shape(e) == plain_shape(entry)]
    if not names:
        return row
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    reason = f"shape and order do not tell whether it is the {side} {shown}; use the same name, or a rule"
    return dataclasses.replace(row, reason=reason)


def _idle(entry: Entry, layers: set[str]) -> float | None:
    """Return the value with which an array of these layers has no effect, None if there is no such value."""
    kind = entry.kind if entry.layer in layers else None
    return kind.idle.get(kind.role(entry.leaf)) if kind else None


def _twin(entry: Entry, arrays: Mapping[str, np.ndarray], source: Entries, seen: set[str]) -> str:
    """Return a carried name that shares the array: a known tie, or an equal matrix."""
    first = source.ties.get(entry.name, entry.name)
    for name in seen:
        if source.ties.get(name, name) == first:
            return name
    array = arrays[entry.name]
    if array.ndim < 2 or array.size == 0 or (array == array.flat[0]).all():
        return ""
    alike = (name for name in seen if arrays[name].shape == array.shape and arrays[name].dtype == array.dtype)
    return next((name for name in alike if np.array_equal(arrays[name], array)), "")


def _fill(entry: Entry, arrays: Arrays, target: Entries, own: Mapping[str, np.ndarray], layers: set[str]) -> WeightsRow:
    """Set an array of the target that the source does not have, if its value is known."""
    first = target.ties.get(entry.name, entry.name)
    if twin := next((name for name in arrays if target.ties.get(name, name) == first), ""):
        value, status, reason = arrays[twin], "tied", f"the same array as {twin}"
    elif (idle := _idle(entry, layers)) is not None:
        value = np.full(entry.shape, idle, own[entry.name].dtype)
        status, reason = "derived", f"{idle:g}: the source's layer has none"
    elif not entry.learned:
        value, status, reason = (
            own[entry.name],
            "derived",
            "whole numbers (an index or a mask) that the target has made itself",
        )
    else:
        return WeightsRow("", entry.name, "missing", entry.shape, reason="the source has no array for it")
    arrays[entry.name] = value
    return WeightsRow("", entry.name, status, entry.shape, str(value.dtype), reason)
