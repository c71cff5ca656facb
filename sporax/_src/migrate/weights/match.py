"""Matching of the arrays of two trees of layers, by dotted path, by roles and shapes, and by the numbers in paths.

A pair is certain if both sides have the same name, or if roles and shapes allow one assignment only. Where they allow
several, the numbers in the names decide if they give both sides one order: the layers of a list, or `conv1` and `conv2`.
Nothing else is paired. The order in which a net lists its layers does not count.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sporax._src.migrate.weights.entries import Entries, Node, Pair, Slot, slot_of, tree_of
from sporax._src.migrate.weights.heads import heads_of, split_heads
from sporax._src.migrate.weights.names import with_hook_names, without_wrappers

T = TypeVar("T", Node, Slot)
_NUMBERED = re.compile(r"(.*?)(\d+)")


@dataclass
class Matching:
    """The pairs.

    Attributes:
        pairs: Slots of the source and the target.
        alone: Layers of the source, and of the target, whose counterparts have no arrays at all.
    """

    pairs: list[Pair] = field(default_factory=list)
    alone: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))

    def layers(self) -> list[set[str]]:
        """Return the layers of the source, and of the target, that have a counterpart."""
        return [{pair[i].entry.layer for pair in self.pairs} | self.alone[i] for i in range(2)]


def match(source: Node, target: Node) -> Matching:
    """Return the pairs of corresponding slots of two trees.

    Layers of the same name below the same layer are paired first. The remaining layers are paired where roles, shapes
    and numbers allow one assignment only. Layers that are still left are paired at the end in the same way, over the
    whole tree. Ambiguous layers are not paired.

    Args:
        source, target: The trees.
    """
    matching = Matching()
    _align(source, target, matching)
    for a, b in _certain(*_left(source, target, matching, _attends), _heads_signature, _path):
        _align(a, b, matching)
    for a, b in _certain(*_left(source, target, matching, _holds), own_signature, _path):
        matching.pairs += _slots(a, b)
    return matching


def match_entries(source: Entries, target: Entries, renamed: Collection[str] = ()) -> Matching:
    """Return the pairs of arrays of both sides; names from rules take precedence over the layers.

    Args:
        source, target: The entries of both sides.
        renamed: The names of the source that a rule has renamed.
    """
    by_path = {e.path: e for e in source.items if e.name in renamed}
    pinned = [(slot_of(by_path[e.name]), slot_of(e)) for e in target.items if e.name in by_path]
    done = {s.name for s, _ in pinned}, {t.name for _, t in pinned}
    left = [
        dataclasses.replace(side, items=[e for e in side.items if e.name not in names])
        for side, names in zip((without_wrappers(source), with_hook_names(target)), done, strict=True)
    ]
    matching = match(tree_of(left[0]), tree_of(left[1]))
    return dataclasses.replace(matching, pairs=pinned + matching.pairs)


def _align(a: Node, b: Node, matching: Matching) -> None:
    """Pair the slots of two layers, and of those below."""
    parts = split_heads(a, b) or [(a, b)]
    for part in parts:
        matching.pairs += _slots(*part)
    for i, (node, other) in enumerate(((a, b), (b, a))):
        if other.kind and other.kind.idle and not other.slots:
            matching.alone[i].update(slot.entry.layer for slot in node.slots.values())
    for child_a, child_b in _children(*parts[-1]):
        _align(child_a, child_b, matching)


def _slots(a: Node, b: Node) -> list[Pair]:
    same = [(a.slots[role], b.slots[role]) for role in a.slots if role in b.slots]
    roles = {slot.role for slot, _ in same}
    rest_a, rest_b = ([s for s in node.slots.values() if s.role not in roles] for node in (a, b))
    return same + _certain(rest_a, rest_b, lambda slot: (slot.shape, slot.entry.learned), lambda slot: slot.role)


def _children(a: Node, b: Node) -> list[tuple[Node, Node]]:
    """Pair the layers below two layers: by name, else where only one assignment is possible."""
    below_a, below_b = ({name: node for name, node in n.children.items() if node.counts} for n in (a, b))
    if not below_a or not below_b:
        return []
    named = [(below_a[name], below_b[name]) for name in _common(below_a, below_b)]
    if not named or not all(signature(x) == signature(y) for x, y in named):
        found = _certain([*below_a.values()], [*below_b.values()], signature, _last)
        if len(found) == len(below_a) == len(below_b):
            return found
        if flat := _flattened(a, b):
            return flat
    if not named and (through := _through_wrapper(a, below_a, b, below_b)):
        return through
    done = {id(node) for pair in named for node in pair}
    rest_a, rest_b = ([node for node in below.values() if id(node) not in done] for below in (below_a, below_b))
    return named + _certain(rest_a, rest_b, signature, _last)


def _common(a: Iterable[str], b: Iterable[str]) -> list[str]:
    """Return the names that both sides have.

    A name with a number counts only if the numbers of its stem begin alike on both sides: layers without arrays, or
    another first number, shift all those that follow.
    """
    numbers: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
    for side, names in enumerate((a, b)):
        for match in filter(None, map(_NUMBERED.fullmatch, names)):
            numbers[side].setdefault(match[1], []).append(int(match[2]))
    shifted = {stem for stem, own in numbers[0].items() if not _begin_alike(own, numbers[1].get(stem, []))}
    both = [name for name in a if name in set(b)]
    return [name for name in both if not ((match := _NUMBERED.fullmatch(name)) and match[1] in shifted)]


def _begin_alike(a: list[int], b: list[int]) -> bool:
    return all(x == y for x, y in zip(sorted(a), sorted(b), strict=False))


def _flattened(a: Node, b: Node) -> list[tuple[Node, Node]]:
    """Pair the layers at any depth of two lists, if they are the same in the same order and only nested differently."""
    flat_a, flat_b = (
        [Node(n.path, n.kind, n.slots) for n in node.nodes() if n.slots and n is not node] for node in (a, b)
    )
    for node, flat in ((a, flat_a), (b, flat_b)):
        if not all(n.path.removeprefix(f"{node.path}.").replace(".", "").isdecimal() for n in flat):
            return []
    alike = list(map(own_signature, flat_a)) == list(map(own_signature, flat_b))
    return list(zip(flat_a, flat_b, strict=True)) if alike else []


def own_signature(node: Node) -> tuple[Any, ...]:
    """Return the roles and shapes of a layer's learned arrays, which two layers must share to be paired.

    A layer with vectors of only one length, such as a norm, may have more or fewer vectors on the other side.

    Args:
        node: The layer.
    """
    learned = sorted((s.role, s.shape) for s in node.slots.values() if s.entry.learned)
    lengths = {shape for _, shape in learned}
    vectors = len(lengths) == 1 and not node.children and all(len(shape) == 1 for shape in lengths)
    return ("vectors", *lengths) if vectors else tuple(learned)


def signature(node: Node) -> tuple[Any, ...]:
    """Return the signatures of a layer and of those below it; attention has the same in each of its forms.

    Args:
        node: The layer.
    """
    heads, rest = heads_of(node)
    below = tuple(signature(child) for child in rest.children.values() if child.counts)
    return tuple(map(own_signature, heads)), own_signature(rest), below


def _through_wrapper(a: Node, below_a: dict[str, Node], b: Node, below_b: dict[str, Node]) -> list[tuple[Node, Node]]:
    """Skip a layer that only wraps another one on one of the sides."""
    wraps_a, wraps_b = (len(below) == 1 and not node.slots for node, below in ((a, below_a), (b, below_b)))
    if wraps_a and wraps_b:
        return [(next(iter(below_a.values())), next(iter(below_b.values())))]
    if wraps_a:
        return [(next(iter(below_a.values())), b)]
    return [(a, next(iter(below_b.values())))] if wraps_b else []


def _certain(
    a: Sequence[T], b: Sequence[T], key: Callable[[T], Hashable], name: Callable[[T], str]
) -> list[tuple[T, T]]:
    """Pair items with the same key where only one assignment is possible, or where the numbers in their names tell it."""
    groups: dict[Hashable, tuple[list[T], list[T]]] = defaultdict(lambda: ([], []))
    for side, items in enumerate((a, b)):
        for item in items:
            groups[key(item)][side].append(item)
    pairs = []
    for left, right in groups.values():
        if len(left) == len(right) == 1:
            pairs += zip(left, right, strict=True)
        elif len(left) == len(right):
            pairs += _by_stored_shape(left, right) or _by_number(left, right, name)
    return pairs


def _by_stored_shape(a: Sequence[T], b: Sequence[T]) -> list[tuple[T, T]]:
    """Pair items of which each has stored shapes that no other one of its side has; axes of length 1 count here."""
    of_a, of_b = ({_stored_shapes(item): item for item in items} for items in (a, b))
    if len(of_a) < len(a) or of_a.keys() != of_b.keys():
        return []
    return [(item, of_b[shapes]) for shapes, item in of_a.items()]


def _stored_shapes(item: Node | Slot) -> tuple[Any, ...]:
    slots = [slot for node in item.nodes() for slot in node.slots.values()] if isinstance(item, Node) else [item]
    return tuple(sorted(slot.entry.shape for slot in slots if slot.entry.learned))


def _by_number(a: Sequence[T], b: Sequence[T], name: Callable[[T], str]) -> list[tuple[T, T]]:
    """Pair items in the order of the numbers in their names, if these differ in numbers only and are nested alike."""
    if any(len({re.sub(r"\d+", "*", name(item)) for item in items}) > 1 for items in (a, b)):
        return []
    a, b = (sorted(items, key=lambda item: _numbers(name(item))) for items in (a, b))
    alike = _nesting([_numbers(name(item)) for item in a]) == _nesting([_numbers(name(item)) for item in b])
    return list(zip(a, b, strict=True)) if alike else []


def _nesting(rows: list[list[int]]) -> list[int]:
    """Return the level at which each row of numbers differs from the one before, without the levels of one number only."""
    levels = [column for column in zip(*rows, strict=True) if len(set(column)) > 1]
    return [next(i for i, column in enumerate(levels) if column[k] != column[k - 1]) for k in range(1, len(rows))]


def _numbers(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]


def _path(node: Node) -> str:
    return node.path


def _last(node: Node) -> str:
    return node.path.rpartition(".")[2]


def _left(
    source: Node, target: Node, matching: Matching, names: Callable[[Node], set[str]]
) -> tuple[list[Node], list[Node]]:
    """Return the layers on both sides without pairs; `names` are their arrays."""
    sides = []
    for side, tree in enumerate((source, target)):
        done = {pair[side].name for pair in matching.pairs}
        sides.append([node for node in tree.nodes() if (own := names(node)) and not own & done])
    return sides[0], sides[1]


def _holds(node: Node) -> set[str]:
    return {slot.name for slot in node.slots.values()}


def _attends(node: Node) -> set[str]:
    return {name for below in node.nodes() for name in _holds(below)} if heads_of(node)[0] else set()


def _heads_signature(node: Node) -> tuple[Any, ...]:
    return tuple(map(own_signature, heads_of(node)[0]))
