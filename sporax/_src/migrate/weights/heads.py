"""Attention: query, key and value in one array on one side, and in separate arrays on the other."""

from __future__ import annotations

import dataclasses

from sporax._src.migrate.weights.entries import Node, Slot

_NAMES = (
    "q query q_proj query_proj q_linear linear_q to_q wq w_q q_lin dense1".split(),
    "k key k_proj key_proj k_linear linear_k to_k wk w_k k_lin dense2".split(),
    "v value v_proj value_proj v_linear linear_v to_v wv w_v v_lin dense3".split(),
)
_FUSED = "qkv to_qkv Wqkv in_proj c_attn qkv_proj".split()
_OWN = ("in_proj_weight", "in_proj_bias", "q_proj_weight", "k_proj_weight", "v_proj_weight")


def split_heads(a: Node, b: Node) -> list[tuple[Node, Node]]:
    """Return pairs of query, key, value and the rest of two attention layers; empty if both have the same form.

    Args:
        a, b: The layers.
    """
    if set(_form(a)) & set(_form(b)) or not (_form(a) and _form(b)):
        return []
    heads_a, rest_a = heads_of(a)
    heads_b, rest_b = heads_of(b)
    return [*zip(heads_a, heads_b, strict=True), (rest_a, rest_b)]


def _form(node: Node) -> tuple[str, ...]:
    """Return the names of query, key and value in a layer; empty if it has none."""
    own = tuple(role for role in _OWN if role in node.slots)
    if own and own != ("in_proj_bias",):
        return ("own",)
    fused = [name for name in _FUSED if name in node.children and _is_fused(node.children[name])]
    if fused:
        return (fused[0],)
    apart = tuple(next((n for n in names if n in node.children), "") for names in _NAMES)
    return apart if all(apart) else ()


def _is_fused(node: Node) -> bool:
    weight = node.slots.get("weight")
    return weight is not None and len(weight.shape) == 2 and weight.shape[0] == 3 * weight.shape[1]


def heads_of(node: Node) -> tuple[list[Node], Node]:
    """Return query, key and value as three linear layers, none if it has no attention of its own, and the layer without them.

    Args:
        node: The layer.
    """
    form = _form(node)
    if not form:
        return [], node
    if form == ("own",):
        rest = {role: slot for role, slot in node.slots.items() if role not in _OWN}
        return [_own_head(node, i) for i in range(3)], dataclasses.replace(node, slots=rest)
    left = {name: child for name, child in node.children.items() if name not in form}
    rest = dataclasses.replace(node, children=left)
    if len(form) == 1:
        fused = node.children[form[0]].slots
        return [Node(node.path, slots={r: _part(s, i, r) for r, s in fused.items()}) for i in range(3)], rest
    return [node.children[name] for name in form], rest


def _own_head(node: Node, i: int) -> Node:
    slots = {}
    if weight := node.slots.get("in_proj_weight"):
        slots["weight"] = _part(weight, i, "weight")
    elif weight := node.slots.get(f"{'qkv'[i]}_proj_weight"):
        slots["weight"] = dataclasses.replace(weight, role="weight")
    if bias := node.slots.get("in_proj_bias"):
        slots["bias"] = _part(bias, i, "bias")
    return Node(node.path, slots=slots)


def _part(slot: Slot, i: int, role: str) -> Slot:
    return dataclasses.replace(slot, role=role, shape=(slot.shape[0] // 3, *slot.shape[1:]), part=i, parts=3)
