"""The names that a file's arrays get without a net: they follow from the kinds of their layers."""

from __future__ import annotations

import dataclasses
import re

from sporax._src.migrate.weights.entries import Entries, Entry, Node, Pair, Slot
from sporax._src.migrate.weights.layers import ATTENTION, CONV_1D, EMBEDDING, Kind, Shape
from sporax._src.migrate.weights.report import Note

TARGETS = ("classic", "mint", "torch")
_WRAPPERS = ("module.", "_orig_mod.")  # what DistributedDataParallel and torch.compile put before every name
_PARAMETRIZED = re.compile(r"\bparametrizations\.(\w+)\.(original[01]?|0\._[uv])$")
_OF_HOOKS = {"original": "orig", "original0": "g", "original1": "v", "0._u": "u", "0._v": "v"}
_RECURRENT = re.compile(r"(weight|bias)_(ih|hh)_l(\d+)(_reverse)?")
_LINEARS = {"linear1": "dense1", "linear2": "dense2"}  # of the layers of a Transformer


def without_wrappers(entries: Entries) -> Entries:
    """Remove the prefixes of wrappers of a whole torch net: `module.` and `_orig_mod.`.

    Args:
        entries: The entries.
    """
    items = entries.items
    while prefix := next((w for w in _WRAPPERS if items and all(e.path.startswith(w) for e in items)), None):
        items = [dataclasses.replace(e, path=e.path.removeprefix(prefix)) for e in items]
    return dataclasses.replace(entries, items=items)


def with_hook_names(entries: Entries) -> Entries:
    """Give the arrays of parametrizations the paths that they have with torch's hooks and in converted programs.

    `parametrizations.weight.original` becomes `weight_orig`, and the two factors of a weight norm become `weight_g` and
    `weight_v`.

    Args:
        entries: The entries.
    """

    def path(entry: Entry) -> str:
        return _PARAMETRIZED.sub(lambda found: f"{found[1]}_{_OF_HOOKS[found[2]]}", entry.path)

    return dataclasses.replace(entries, items=[dataclasses.replace(e, path=path(e)) for e in entries.items])


def named_pairs(source: Node, target: str) -> list[Pair]:
    """Pair each slot with one that has its new name and shape.

    Args:
        source: The tree of the layers.
        target: `"classic"` (the layers of `nn`), `"mint"` (those of `mint.nn`) or `"torch"`.

    Raises:
        ValueError: If two slots would get one name.
    """
    transformers = {node.path for node in source.nodes() if _is_transformer(node, target)}
    pairs = [
        (slot, _renamed(slot, node, target, transformers))
        for node in source.nodes()
        for slot in _ordered(node, target)
        if not (target == "classic" and slot.role == "num_batches_tracked")
    ]
    first: dict[str, str] = {}
    for slot, new in pairs:
        if (other := first.setdefault(new.name, slot.name)) != slot.name:
            raise ValueError(f'"{other}" and "{slot.name}" both become "{new.name}"; rename or drop one by a rule.')
    return pairs


def _ordered(node: Node, target: str) -> list[Slot]:
    """Return the slots of a layer; for torch, those of a recurrent one layer after layer, as an optimizer numbers them."""
    slots = list(node.slots.values())
    parts = {slot.role: _RECURRENT.fullmatch(slot.role) for slot in slots}
    if target != "torch" or not all(parts.values()):
        return slots

    def place(slot: Slot) -> tuple[int, bool, bool, bool]:
        part, gate, layer, reverse = _RECURRENT.findall(slot.role)[0]
        return int(layer), bool(reverse), part == "bias", gate == "hh"

    return sorted(slots, key=place)


def _is_transformer(node: Node, target: str) -> bool:
    """Return whether a layer is a Transformer's, whose linear layers have different names on the two sides."""
    attention = node.children.get("self_attn")
    names = _LINEARS if target == "classic" else _LINEARS.values()
    fused = attention and (attention.kind is ATTENTION or "in_proj_weight" in attention.slots)
    return bool(fused) and target != "mint" and all(name in node.children for name in names)


def _renamed(slot: Slot, node: Node, target: str, transformers: set[str]) -> Slot:
    path = node.path
    above, _, last = path.rpartition(".")
    if above in transformers:
        names = _LINEARS if target == "classic" else {new: old for old, new in _LINEARS.items()}
        path = f"{above}.{names.get(last, last)}".lstrip(".")
    leaf, kind = slot.role, node.kind
    if target == "classic" and kind:
        path = f"{path}.{kind.inner}".strip(".") if kind.inner else path
        leaf = kind.names.get(slot.role, slot.role)
    shape = _stored_shape(slot, kind, target)
    name = f"{path}.{leaf}".lstrip(".")
    return dataclasses.replace(slot, entry=Entry(name, name, shape, slot.entry.learned, buffer=slot.entry.buffer))


def _stored_shape(slot: Slot, kind: Kind | None, target: str) -> Shape:
    """Return the shape in which MindSpore stores a slot."""
    shape = slot.entry.shape[::-1] if slot.swapped else slot.entry.shape
    if kind is None or not kind.extra_axis or slot.role != "weight":
        return shape
    if target == "classic":
        return (*shape[:2], 1, *shape[2:])
    return (*shape[:2], *shape[3:]) if len(shape) == 4 else shape


def doubts(source: Node, target: str) -> dict[str, Note]:
    """Return the ambiguities of names and shapes, by name: the report lists each, and how to resolve it.

    Args:
        source: The tree of the layers.
        target: As for `named_pairs`.
    """
    reasons = {}
    for node in source.nodes():
        weight = node.slots.get("weight")
        if weight is not None and (text := _doubt(node, weight, target)):
            reasons[weight.name] = Note("", f"{text}; the net itself, or a rule, would tell")
    return reasons


def _doubt(node: Node, weight: Slot, target: str) -> str:
    shape, kind = weight.entry.shape, node.kind
    if target == "classic" and kind is EMBEDDING:
        return "taken for an embedding by its name"
    if target == "classic" and kind is CONV_1D:
        return "taken for a 1-D convolution because it has three axes"
    if target == "classic" and kind is None and len(shape) == 1 and len(node.slots) == 1:
        return "a vector alone may be the scale of an RMS norm (kept so), of a LayerNorm (gamma) or of a PReLU (w)"
    if target == "torch" and kind is None and len(shape) == 4 and shape[2] == 1 < shape[3]:
        return "taken for a 2-D convolution, as which a 1-D convolution is stored too"
    return ""
