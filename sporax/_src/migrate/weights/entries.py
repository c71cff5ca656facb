"""Entries: the named arrays of a file or a net, each with the layer it belongs to; and the tree of their layers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sporax._src.migrate.weights.layers import Kind, Shape, guess, kind_of
from sporax._src.migrate.weights.torch_files import without_array


@dataclass(frozen=True)
class Entry:
    """One named array.

    Attributes:
        name: Its name in the file.
        path: Its position in the tree of layers: the names of attributes, with dots between them.
        shape: The shape that is stored.
        learned: Whether it contains floats; other arrays are counts, indices and masks.
        kind: The kind of its layer, None if that is not of the table.
        buffer: Whether it is known from a net that it is not a Parameter.
    """

    name: str
    path: str
    shape: Shape
    learned: bool = True
    kind: Kind | None = None
    buffer: bool = False

    @property
    def layer(self) -> str:
        """The path of its layer."""
        return self.path.rpartition(".")[0]

    @property
    def leaf(self) -> str:
        """The last part of its path."""
        return self.path.rpartition(".")[2]


@dataclass
class Entries:
    """The arrays of one side, with information from its net.

    Attributes:
        side: `"torch"` or `"cell"`.
        items: The entries, in the order of the layers.
        kinds: The kinds of layers by path, also of those without arrays.
        ties: For each name that shares its array with an earlier one: that one.
    """

    side: str
    items: list[Entry]
    kinds: dict[str, Kind] = field(default_factory=dict)
    ties: dict[str, str] = field(default_factory=dict)

    def names(self) -> dict[str, Entry]:
        """Return the entries by name."""
        return {entry.name: entry for entry in self.items}


@dataclass(frozen=True)
class Slot:
    """The unit of matching: an array in torch's layout, or one of `parts` equal parts of it along its first axis.

    Attributes:
        entry: The entry that holds it.
        role: Torch's name of it within its layer.
        shape: Its shape in torch's layout, without axes of length 1.
        part, parts: The index of the part of the array, and the number of parts.
    """

    entry: Entry
    role: str
    shape: Shape
    part: int = 0
    parts: int = 1

    @property
    def name(self) -> str:
        """The name in the file."""
        return self.entry.name

    @property
    def swapped(self) -> bool:
        """Whether the file stores it as (inputs, outputs)."""
        return is_swapped(self.entry)


Pair = tuple[Slot, Slot]


@dataclass
class Node:
    """A layer: its own slots and the layers below it."""

    path: str
    kind: Kind | None = None
    slots: dict[str, Slot] = field(default_factory=dict)
    children: dict[str, Node] = field(default_factory=dict)

    def nodes(self) -> Iterator[Node]:
        """Yield this layer and those below it, parents first."""
        yield self
        for child in self.children.values():
            yield from child.nodes()

    @property
    def counts(self) -> bool:
        """Whether there is anything to match at or below it."""
        return any(node.slots or (node.kind and node.kind.idle) for node in self.nodes())


def is_swapped(entry: Entry) -> bool:
    """Return whether an array is stored as (inputs, outputs)."""
    return entry.kind is not None and entry.kind.swapped and entry.leaf == "weight"


def plain_shape(entry: Entry) -> Shape:
    """Return the shape in torch's layout, without axes of length 1: the two sides may differ in these axes."""
    shape = entry.shape[::-1] if is_swapped(entry) else entry.shape
    return tuple(n for n in shape if n != 1) or (1,)


def role_of(entry: Entry) -> str:
    """Return torch's name of an array within its layer."""
    return entry.kind.role(entry.leaf) if entry.kind else entry.leaf


def tree_of(entries: Entries) -> Node:
    """Return the tree of layers; a Cell that only contains the Parameters of a layer does not count."""
    root = Node("")
    for path, kind in entries.kinds.items():
        _node(root, path).kind = kind
    leaves = {(entry.layer, entry.leaf) for entry in entries.items}
    for entry in entries.items:
        kind, path = entry.kind, entry.layer
        if kind and kind.inner and path.rpartition(".")[2] == kind.inner:
            path = path.rpartition(".")[0]
        node = _node(root, path)
        node.kind = kind or node.kind
        slot = slot_of(entry)
        if slot.role != entry.leaf and (entry.layer, slot.role) in leaves:
            slot = dataclasses.replace(slot, role=entry.leaf)  # a norm with a `gamma` of its own beside its `weight`
        node.slots[slot.role] = slot
    return root


def slot_of(entry: Entry) -> Slot:
    """Return the slot of a whole array."""
    return Slot(entry, role_of(entry), plain_shape(entry))


def _node(root: Node, path: str) -> Node:
    node = root
    for part in path.split(".") if path else ():
        node = node.children.setdefault(part, Node(f"{node.path}.{part}".lstrip(".")))
    return node


# --- from nets and names --------------------------------------------------------------------------------------------


def entries_of_names(side: str, arrays: Mapping[str, Any], ties: Mapping[str, str]) -> Entries:
    """Return the entries of a file whose net is not known: the kinds of layers are guessed from names and shapes."""
    items = [Entry(name, name, tuple(a.shape), is_learned(a)) for name, a in arrays.items()]
    return Entries(side, _with_guesses(side, items), ties=dict(ties))


def entries_of_torch(net: Any) -> Entries:
    """Return the entries of a torch module: the names in its `state_dict`, without buffers that have no array."""
    kinds = {path: kind for path, m in net.named_modules(remove_duplicate=False) if (kind := kind_of(m, "torch"))}
    buffers = {name for name, _ in net.named_buffers(remove_duplicate=False)}
    items, ties, first = [], {}, {}
    for name, tensor in net.state_dict(keep_vars=True).items():
        if name in buffers and without_array(tensor):
            continue
        kind = kinds.get(name.rpartition(".")[0])
        learned = tensor.is_floating_point() or tensor.is_complex()
        items.append(Entry(name, name, tuple(tensor.shape), learned, kind, name in buffers))
        if (earlier := first.setdefault(id(tensor), name)) != name:
            ties[name] = earlier
    return Entries("torch", _with_guesses("torch", items), kinds, ties)


def entries_of_cell(net: Any) -> Entries:
    """Return the entries of a Cell: its Parameters by their names, and its buffers.

    Raises:
        ValueError: If two of them have one name.
    """
    kinds = {path: kind for path, cell in net.cells_and_names() if (kind := kind_of(cell, "cell"))}
    inner = {f"{path}.{kind.inner}".lstrip("."): kind for path, kind in kinds.items() if kind.inner}
    every = kinds | inner
    items = [_entry_of_cell(path, p.name, p, every) for path, p in net.parameters_and_names()]
    state = net.state_dict()
    for path, buffer in net.named_buffers():
        if path in state:
            items.append(dataclasses.replace(_entry_of_cell(path, path, buffer, every), buffer=True))
    _check_names(net, items)
    shown = {path: kind for path, kind in kinds.items() if path not in inner}
    return Entries("cell", _with_guesses("cell", items), shown)


def _check_names(net: Any, items: Iterable[Entry]) -> None:
    paths: dict[str, list[str]] = {}
    for entry in items:
        paths.setdefault(entry.name, []).append(entry.path)
    if shared := [f"'{name}' is the name of {' and '.join(own)}" for name, own in paths.items() if len(own) > 1]:
        more = f"; and {len(shared) - 8} more" if len(shared) > 8 else ""
        raise ValueError(
            f"{type(net).__name__}: several Parameters have one name: {'; '.join(shared[:8])}{more}. "
            "Rename them first, for example: for path, p in net.parameters_and_names(): p.name = path."
        )


def _entry_of_cell(path: str, name: str, value: Any, kinds: Mapping[str, Kind]) -> Entry:
    learned = value.dtype.is_floating_point or value.dtype.is_complex
    return Entry(name, path, tuple(value.shape), learned, kinds.get(path.rpartition(".")[0]))


def entries_of_file(net: Entries, names: Mapping[str, str], ties: Mapping[str, str]) -> Entries:
    """Return the entries of a net that a file holds, also under a name that shares the array; the file's own ties count too.

    Args:
        net: The entries of the net.
        names: The names in the file by those in the net.
        ties: The names of the file that share an array.
    """
    twins: dict[str, str] = {}
    for name, held_name in names.items():
        twins.setdefault(net.ties.get(name, name), held_name)
    matches = {e.name: names.get(e.name) or twins.get(net.ties.get(e.name, e.name)) for e in net.items}
    entries = [dataclasses.replace(e, name=name) for e in net.items if (name := matches[e.name])]
    known = {names[n]: names[first] for n, first in net.ties.items() if n in names and first in names}
    return Entries(net.side, entries, net.kinds, {**ties, **known})


def _with_guesses(side: str, items: Iterable[Entry]) -> list[Entry]:
    """Guess the kinds of entries of layers that are not in the table."""
    items = list(items)
    shapes: dict[str, dict[str, Shape]] = {}
    for entry in items:
        shapes.setdefault(entry.layer, {})[entry.leaf] = entry.shape
    guessed = {layer: guess(layer, own, side) for layer, own in shapes.items()}
    return [e if e.kind else dataclasses.replace(e, kind=guessed[e.layer]) for e in items]


def is_learned(array: Any) -> bool:
    """Return whether an array holds floating numbers, as weights do."""
    return array.dtype.kind in "fcV" or array.dtype.name.startswith(("bfloat", "float"))
