"""Matching of the arrays of two trees of layers, by dotted path, by order, and by roles and shapes."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sporax._src.migrate.weights.entries import Entries, Node, Pair, slot_of, tree_of
from sporax._src.migrate.weights.heads import heads_of, split_heads
from sporax._src.migrate.weights.names import without_wrappers

T = TypeVar("T")


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

    Layers of the same name below the same layer are paired first. The remaining layers are paired by order if their
    roles and shapes agree. Layers that are still left are paired at the end, over the whole tree, if attention, or
    layers of the same roles and shapes, occur equally often on both sides. Ambiguous layers are not paired.

    Args:
        source, target: The trees.
    """
    matching = Matching()
    _align(source, target, matching)
    for a, b in _in_order(*_left(source, target, matching, _attends), _heads_signature):
        _align(a, b, matching)
    for a, b in _in_order(*_left(source, target, matching, _holds), own_signature):
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
        for side, names in zip((without_wrappers(source), target), done, strict=True)
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
    return same + _in_order(rest_a, rest_b, lambda slot: (slot.shape, slot.entry.learned))


def _children(a: Node, b: Node) -> list[tuple[Node, Node]]:
    """Pair the layers below two layers: by name, else by order."""
    below_a, below_b = ({name: node for name, node in n.children.items() if node.counts} for n in (a, b))
    if not below_a or not below_b:
        return []
    named = [(below_a[name], below_b[name]) for name in below_a if name in below_b]
    by_name = not (_numbered(below_a) and _numbered(below_b)) and all(_agree([x], [y]) for x, y in named)
    if not by_name:
        if _agree(below_a.values(), below_b.values()):
            return list(zip(below_a.values(), below_b.values(), strict=True))
        if flat := _flattened(below_a.values(), below_b.values()):
            return flat
    if not named and (through := _through_wrapper(a, below_a, b, below_b)):
        return through
    rest_a = [node for name, node in below_a.items() if name not in below_b]
    rest_b = [node for name, node in below_b.items() if name not in below_a]
    if _agree(rest_a, rest_b):
        return named + list(zip(rest_a, rest_b, strict=True))
    return named + _in_order(rest_a, rest_b, signature)


def _flattened(a: Iterable[Node], b: Iterable[Node]) -> list[tuple[Node, Node]]:
    """Pair the layers at any depth below, if they are the same in the same order and only nested differently."""
    flat_a, flat_b = (
        [Node(n.path, n.kind, n.slots) for top in side for n in top.nodes() if n.slots] for side in (a, b)
    )
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


def _numbered(children: Iterable[str]) -> bool:
    return all(name.isdecimal() for name in children)


def _agree(a: Iterable[Node], b: Iterable[Node]) -> bool:
    return [signature(node) for node in a] == [signature(node) for node in b]


def _in_order(a: Sequence[T], b: Sequence[T], key: Callable[[T], Hashable]) -> list[tuple[T, T]]:
    """Pair items with the same key, in order, if the key occurs equally often on both sides."""
    groups: dict[Hashable, tuple[list[T], list[T]]] = defaultdict(lambda: ([], []))
    for side, items in enumerate((a, b)):
        for item in items:
            groups[key(item)][side].append(item)
    return [
        pair for left, right in groups.values() if len(left) == len(right) for pair in zip(left, right, strict=True)
    ]


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
