"""Nested Python values (pytrees): their paths, flattening and unflattening."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np


def path(*parts: object) -> str:
    """Join paths, attributes, keys and indices into one path: `layers.0.weight`."""
    return ".".join([str(p) for p in parts if p != ""])


class Leaf:
    """A placeholder in a structure for an array.

    Args:
        kind: The type of the object that held the array.
        hooks: The hooks through which its gradient passes.

    Attributes:
        again: Converts a Tensor to an object of another kind (`kind.of_leaf`); None if the object was a Tensor.
    """

    __slots__ = ("again", "hooks", "kind")

    def __init__(self, kind: type, hooks: tuple[Any, ...] = ()) -> None:
        self.kind, self.hooks = kind, hooks
        self.again = getattr(kind, "of_leaf", None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf) and self.kind is other.kind and self.hooks == other.hooks

    def __hash__(self) -> int:
        return hash(self.kind)

    def __repr__(self) -> str:
        return "*"


class Branch:
    """A container in a structure: hashable, so that structures key caches."""

    __slots__ = ("_hash", "children", "keys", "kind")

    def __init__(self, kind: type, keys: tuple[Any, ...] | None, children: tuple[Any, ...]) -> None:
        self.kind, self.keys, self.children = kind, keys, children
        self._hash = hash((kind, keys, len(children), children[:_MANY]))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Branch)
            and self._hash == other._hash
            and self.kind is other.kind
            and self.keys == other.keys
            and self.children == other.children
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{self.kind.__name__}{self.children if self.keys is None else dict(zip(self.keys, self.children, strict=True))}"


class Static:
    """A value that is part of the structure itself, compared with its type (`1`, `1.0` and `True` differ)."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: object) -> None:
        if isinstance(value, np.ndarray):  # compared by content: the key of a compiled program must not change later
            value = value.copy()
            value.setflags(write=False)
            self._hash = hash((value.shape, value.dtype.str, value.tobytes()))
        self.value = value
        if isinstance(value, np.ndarray):
            return
        if hasattr(type(value), "of_leaf"):  # it has no hash of its own, as its value is not known
            self._hash = hash(id(value))
            return
        try:
            self._hash = hash(repr(value) if type(value) is float else value)
        except TypeError:
            self._hash = hash(id(value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static) or type(self.value) is not type(other.value):
            return False
        if self.value is other.value:
            return True
        if type(self.value) is float:  # 0.0 and -0.0 differ, and NaN is NaN
            return repr(self.value) == repr(other.value)
        try:
            return self._hash == other._hash and bool(np.all(self.value == other.value))
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return repr(self.value)


Structure: TypeAlias = Leaf | Branch | Static
_MANY = 16  # from this many children on, testing for equal leaves is cheaper than hashing each


class Container:
    """A user-defined container: `flatten` takes its parts, `unflatten` builds it from parts."""

    def parts(self) -> tuple[Any, ...]:
        """Return its parts."""
        raise NotImplementedError

    @classmethod
    def of_parts(cls, parts: Sequence[Any]) -> Container:
        """Return the container of these parts."""
        raise NotImplementedError


class Mutable:
    """The base of marked tuples, lists and dicts, whose Tensors vary from call to call; `mutable` creates them.

    Attributes:
        __ms_origin_object__: The argument of `mutable`; programs for MindSpore look for it.
    """

    __ms_origin_object__: Any = None


class MutableTuple(Mutable, tuple):
    """A marked tuple."""


class MutableList(Mutable, list):
    """A marked list."""


class MutableDict(Mutable, dict):
    """A marked dict."""


@functools.cache
def _without_hooks(kind: type) -> Leaf:
    """Return the one leaf of this kind without hooks: structures of many leaves are compared by identity."""
    return Leaf(kind)


def flatten(value: object, is_leaf: Callable[[Any], bool], leaves: list[Any]) -> Any:
    """Append the leaves of a nested value to `leaves` and return its structure (Leaf, Branch or Static).

    `is_leaf` may look at the type of a value only.
    """
    if is_leaf(value):
        leaves.append(value)
        hooks = getattr(value, "_hooks", ())
        return Leaf(type(value), hooks) if hooks else _without_hooks(type(value))
    if isinstance(value, (tuple, list)):
        alike = _alike(value, is_leaf, leaves) if type(value) in (tuple, list) else None
        return Branch(_kind(value), None, alike or tuple([flatten(v, is_leaf, leaves) for v in value]))
    if isinstance(value, dict):
        return Branch(type(value), tuple(value), tuple([flatten(v, is_leaf, leaves) for v in value.values()]))
    if isinstance(value, Container):
        return Branch(type(value), None, tuple([flatten(v, is_leaf, leaves) for v in value.parts()]))
    return Static(value)


def _alike(values: Sequence[Any], is_leaf: Callable[[Any], bool], leaves: list[Any]) -> tuple[Leaf, ...] | None:
    """Append the values to `leaves` and return their structures if all are leaves of one type without hooks; else None.

    This is a fast path for the hundreds of gradients that an optimizer gets at each step.
    """
    if len(values) <= _MANY:
        return None
    kind = type(values[0])
    if set(map(type, values)) != {kind} or not is_leaf(values[0]):
        return None
    if hasattr(kind, "_hooks") and {v._hooks for v in values} != {()}:
        return None
    leaves.extend(values)
    return (_without_hooks(kind),) * len(values)


def _kind(value: object) -> type:
    """Return the container type for other leaves: that of a ParameterTuple is tuple."""
    kind = type(value)
    return getattr(kind, "kind_with_other_leaves", kind)


def unflatten(structure: Structure, leaves: Iterator[Any]) -> Any:
    """Put leaves back into a structure that `flatten` returned."""
    if isinstance(structure, Leaf):
        value = next(leaves)
        if structure.hooks:
            value._hooks = structure.hooks
        return value if structure.again is None else structure.again(value)
    if isinstance(structure, Static):
        return structure.value
    children = [unflatten(c, leaves) for c in structure.children]
    kind = structure.kind
    if structure.keys is not None:
        return kind(zip(structure.keys, children, strict=True))
    if issubclass(kind, Container):
        return kind.of_parts(children)
    if hasattr(kind, "_fields"):
        return kind(*children)
    return kind(children)


def without_dicts(structure: object) -> Any:
    """Return the structure with the tuple of its values in place of each dictionary."""
    if not isinstance(structure, Branch):
        return structure
    children = tuple(map(without_dicts, structure.children))
    return (
        Branch(tuple, None, children)
        if issubclass(structure.kind, dict)
        else Branch(structure.kind, structure.keys, children)
    )


def map_leaves(fn: Callable[[Any], Any], value: object, is_leaf: Callable[[Any], bool]) -> Any:
    """Return the nested value with `fn` applied to every leaf."""
    if is_leaf(value):
        return fn(value)
    if isinstance(value, (tuple, list)):
        mapped = [map_leaves(fn, v, is_leaf) for v in value]
        return type(value)(*mapped) if hasattr(value, "_fields") else _kind(value)(mapped)
    if isinstance(value, dict):
        return type(value)((k, map_leaves(fn, v, is_leaf)) for k, v in value.items())
    if isinstance(value, Container):
        return value.of_parts([map_leaves(fn, v, is_leaf) for v in value.parts()])
    return value
