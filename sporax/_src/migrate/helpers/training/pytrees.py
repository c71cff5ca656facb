"""Nested containers as trees (`torch.utils._pytree`): their leaves in order, and a spec that makes the container again."""

import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple
from typing import Any


@dataclasses.dataclass(frozen=True)
class _SequenceKey:
    """The place of a child by its number."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """Return the child."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class _MappingKey:
    """The place of a child by its key."""

    key: Any

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        """Return the child."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class _GetAttrKey:
    """The place of a child by its attribute."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        """Return the child."""
        return getattr(obj, self.name)


@dataclasses.dataclass(frozen=True)
class _NodeDef:
    """How containers of a class become children and a context, and how these become the container."""

    type: Any
    flatten_fn: Any
    unflatten_fn: Any
    flatten_with_keys_fn: Any


def _list_flatten(d):
    """Return the children and the context of a list or tuple."""
    return list(d), None


def _list_flatten_with_keys(d):
    """Return the children of a list or tuple with their places, and the context."""
    return [(_SequenceKey(i), child) for i, child in enumerate(d)], None


def _list_unflatten(values, context):
    return list(values)


def _tuple_unflatten(values, context):
    return tuple(values)


def _dict_flatten(d):
    """Return the values and the keys of a mapping."""
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d):
    """Return the values of a mapping with their places, and the keys."""
    return [(_MappingKey(key), child) for key, child in d.items()], list(d)


def _dict_unflatten(values, context):
    """Return the dict of keys and values."""
    return dict(zip(context, values, strict=True))


def _ordered_unflatten(values, context):
    return OrderedDict(zip(context, values, strict=True))


def _defaultdict_flatten(d):
    return list(d.values()), [d.default_factory, list(d)]


def _defaultdict_flatten_with_keys(d):
    return _dict_flatten_with_keys(d)[0], [d.default_factory, list(d)]


def _defaultdict_unflatten(values, context):
    return defaultdict(context[0], zip(context[1], values, strict=True))


def _deque_flatten(d):
    return list(d), d.maxlen


def _deque_flatten_with_keys(d):
    return _list_flatten_with_keys(d)[0], d.maxlen


def _deque_unflatten(values, context):
    return deque(values, maxlen=context)


def _named_flatten(d):
    return list(d), type(d)


def _named_flatten_with_keys(d):
    return [(_GetAttrKey(name), getattr(d, name)) for name in d._fields], type(d)


def _named_unflatten(values, context):
    return context(*values)


class _Nodes:
    """The classes that are containers, each with its `_NodeDef`."""

    by_type = {}
    mappings = frozenset((dict, OrderedDict, defaultdict))  # may stand for one another


def _register_pytree_node(
    cls, flatten_fn, unflatten_fn, serialized_type_name=None, flatten_with_keys_fn=None, **dumpable
):
    """Let the objects of a class be containers."""
    if cls in _Nodes.by_type:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _Nodes.by_type[cls] = _NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


for _node in (
    _NodeDef(list, _list_flatten, _list_unflatten, _list_flatten_with_keys),
    _NodeDef(tuple, _list_flatten, _tuple_unflatten, _list_flatten_with_keys),
    _NodeDef(dict, _dict_flatten, _dict_unflatten, _dict_flatten_with_keys),
    _NodeDef(OrderedDict, _dict_flatten, _ordered_unflatten, _dict_flatten_with_keys),
    _NodeDef(defaultdict, _defaultdict_flatten, _defaultdict_unflatten, _defaultdict_flatten_with_keys),
    _NodeDef(deque, _deque_flatten, _deque_unflatten, _deque_flatten_with_keys),
    _NodeDef(namedtuple, _named_flatten, _named_unflatten, _named_flatten_with_keys),
):
    _Nodes.by_type[_node.type] = _node


def _node_of(tree, is_leaf=None):
    """Return how an object is taken apart; None if it is a leaf."""
    if is_leaf is not None and is_leaf(tree):
        return None
    node = _Nodes.by_type.get(type(tree))
    if node is None and isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return _Nodes.by_type[namedtuple]
    return node


class _TreeSpec:
    """The form of a tree without its leaves.

    Args:
        type: The class of the container; None for a leaf.
        context: What its class needs beside the children to make it again.
        children_specs: The specs of its children.
    """

    def __init__(self, type, context, children_specs):
        self.type, self.context, self.children_specs = type, context, list(children_specs)
        self.num_children = len(self.children_specs)
        self.num_nodes = 1 + sum(child.num_nodes for child in self.children_specs)
        self.num_leaves = 1 if type is None else sum(child.num_leaves for child in self.children_specs)

    def __repr__(self):
        return self._shown(0)

    def _shown(self, indent):
        if self.is_leaf():
            return "*"
        children = f",\n{' ' * (indent + 2)}".join(child._shown(indent + 2) for child in self.children_specs)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{children}])"

    def __eq__(self, other):
        if not isinstance(other, _TreeSpec):
            return NotImplemented
        mine, others = ((s.type, s.context, s.children_specs) for s in (self, other))
        return mine == others

    def __hash__(self):
        return hash((self.type, self.num_leaves, self.num_nodes))

    def is_leaf(self):
        """Return whether the whole tree is one leaf."""
        return self.type is None

    def children(self):
        """Return the specs of the children."""
        return list(self.children_specs)

    def child(self, index):
        """Return the spec of a child."""
        return self.children_specs[index]

    def unflatten(self, leaves):
        """Return the container with some leaves."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
                f"holds {self.num_leaves} items ({self})."
            )
        return self._made(iter(leaves))

    def _made(self, leaves):
        if self.is_leaf():
            return next(leaves)
        children = [child._made(leaves) for child in self.children_specs]
        return _Nodes.by_type[self.type].unflatten_fn(children, self.context)

    def flatten_up_to(self, tree):
        """Return the parts of another tree that stand where this one has leaves."""
        if self.is_leaf():
            return [tree]
        node = _node_of(tree)
        found = None if node is None else node.type
        if found is not self.type and not {found, self.type} <= _Nodes.mappings:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {type(tree)!r}.")
        children, context = node.flatten_fn(tree)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if self.type in _Nodes.mappings:
            keys = self.context[1] if self.type is defaultdict else self.context
            if missing := set(keys) - set(tree):
                extra = set(tree) - set(keys)
                raise ValueError(f"Node keys mismatch; missing key(s): {missing}; extra key(s): {extra}.")
            children = [tree[key] for key in keys]
        elif context != self.context and self.type is not deque:
            raise ValueError(
                f"Node context mismatch for node type {self.type!r}; expected {self.context!r}, but got {context!r}."
            )
        pairs = zip(self.children_specs, children, strict=True)
        return [part for spec, child in pairs for part in spec.flatten_up_to(child)]


def _tree_flatten(tree, is_leaf=None):
    """Return the leaves of a tree, and its spec."""
    node = _node_of(tree, is_leaf)
    if node is None:
        return [tree], _TreeSpec(None, None, [])
    children, context = node.flatten_fn(tree)
    parts = [_tree_flatten(child, is_leaf) for child in children]
    return [leaf for leaves, _ in parts for leaf in leaves], _TreeSpec(node.type, context, [spec for _, spec in parts])


def _tree_unflatten(leaves, treespec):
    """Return the tree of a spec with some leaves."""
    if not isinstance(treespec, _TreeSpec):
        name = type(treespec)
        raise TypeError(f"Expected `treespec` to be a TreeSpec, but got item of type {name}: {treespec!r}.")
    return treespec.unflatten(leaves)


def _tree_leaves(tree, is_leaf=None):
    """Return the leaves of a tree."""
    return _tree_flatten(tree, is_leaf)[0]


def _tree_structure(tree, is_leaf=None):
    """Return the spec of a tree."""
    return _tree_flatten(tree, is_leaf)[1]


def _tree_map(func, tree, *rests, is_leaf=None):
    """Return the tree of what a function gives for each leaf, with the parts of other trees in its place."""
    leaves, spec = _tree_flatten(tree, is_leaf)
    return spec.unflatten([*map(func, leaves, *(spec.flatten_up_to(rest) for rest in rests))])


def _tree_map_(func, tree, *rests, is_leaf=None):
    """Call a function with each leaf, and return the tree."""
    _tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def _is_chosen(leaf, choice):
    """Return whether a leaf is of a class, one of several classes, or what a function chooses."""
    if callable(choice) and not isinstance(choice, type):
        return choice(leaf)
    return isinstance(leaf, choice)


def _tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    """Return a tree in which the chosen leaves are what a function gives for them."""
    return _tree_map(
        lambda leaf: func(leaf) if _is_chosen(leaf, type_or_types_or_pred) else leaf, tree, is_leaf=is_leaf
    )


def _tree_flatten_with_path(tree, is_leaf=None):
    """Return the leaves of a tree, each with its path, and the spec."""
    leaves, spec = _tree_flatten(tree, is_leaf)
    return [*zip(_paths(tree, is_leaf), leaves, strict=True)], spec


def _paths(tree, is_leaf):
    node = _node_of(tree, is_leaf)
    if node is None:
        return [()]
    if node.flatten_with_keys_fn is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {node.type}. Please pass a flatten_with_keys_fn argument to "
            "register_pytree_node."
        )
    children, _ = node.flatten_with_keys_fn(tree)
    return [(key, *path) for key, child in children for path in _paths(child, is_leaf)]


def _tree_map_with_path(func, tree, *rests, is_leaf=None):
    """Return the tree of what a function gives for each path and leaf."""
    leaves, spec = _tree_flatten(tree, is_leaf)
    others = (spec.flatten_up_to(rest) for rest in rests)
    return spec.unflatten([*map(func, _paths(tree, is_leaf), leaves, *others)])


def _keystr(kp):
    """Return a path as text."""
    return "".join(map(str, kp))


def _key_get(obj, kp):
    """Return the part of a tree at a path."""
    for key in kp:
        obj = key.get(obj)
    return obj
