"""Names of the arguments of a compiled function: the inputs of a graph, and the differences that caused another graph."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.stateful import Stateful

_SHOWN = 3  # the number of differences in a message


def _signature(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    fn = inspect.unwrap(fn)
    owner = getattr(fn, "__self__", fn)
    if isinstance(owner, Stateful) and (fn is owner or fn.__name__ == "_sporax_entered"):
        fn = owner.construct
    try:
        return list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return []


def _names(fn: Callable[..., Any], count: int) -> Iterator[str]:
    """Yield the names of the first `count` positional arguments."""
    parameters = [p for p in _signature(fn) if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    for i in range(count):
        last = parameters[min(i, len(parameters) - 1)] if parameters else None
        if last is None or (i >= len(parameters) and last.kind is not last.VAR_POSITIONAL):
            yield f"argument {i}"
        elif last.kind is last.VAR_POSITIONAL:
            yield f"{last.name}[{i - len(parameters) + 1}]"
        else:
            yield last.name


def _walk(name: str, structure: tree.Structure) -> Iterator[tuple[str, Any]]:
    """Yield every part of an argument with its name, containers first."""
    yield name, structure
    if isinstance(structure, tree.Branch):
        keys = range(len(structure.children)) if structure.keys is None else structure.keys
        for key, child in zip(keys, structure.children, strict=True):
            yield from _walk(f"{name}[{key!r}]", child)


def _parts(fn: Callable[..., Any], structure: tree.Branch) -> Iterator[tuple[str, Any]]:
    """Yield every part of the arguments `(args, kwargs)` with its name."""
    args, kwargs = structure.children
    for name, child in zip(_names(fn, len(args.children)), args.children, strict=True):
        yield from _walk(name, child)
    for name, child in zip(kwargs.keys, kwargs.children, strict=True):
        yield from _walk(name, child)


def tensor_names(fn: Callable[..., Any], structure: tree.Branch) -> list[str]:
    """Return the names of the Tensors in the arguments, in the order of the graph's inputs."""
    return [name for name, part in _parts(fn, structure) if isinstance(part, tree.Leaf)]


def differences(fn: Callable[..., Any], before: tuple[Any, ...], after: tuple[Any, ...]) -> list[str]:
    """Describe the differences of two keys of `Jit`.

    Args:
        fn: The function.
        before, after: `(structure, dtype of mixed precision, settings of parallel training, (shape, dtype) of each Tensor ...)`.
    """
    old, new = _described(fn, before), _described(fn, after)
    changes: list[str] = []
    hidden: tuple[str, ...] = ()
    for name in [*new, *(n for n in old if n not in new)]:
        if name.startswith(hidden):
            continue
        was, now = old.get(name), new.get(name)
        if was == now:
            continue
        changes.append(f"argument '{name}'{_change(was, now)}")
        hidden = (*hidden, f"{name}[")
    if before[1] != after[1]:
        changes.append(f"mixed precision {before[1]} -> {after[1]}")
    if before[2] != after[2]:
        changes.append("the settings of parallel training")
    return changes


def summary(changes: list[str]) -> str:
    """Return differences as one line."""
    more = f" and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
    return ", ".join(changes[:_SHOWN]) + more


def _described(fn: Callable[..., Any], key: tuple[Any, ...]) -> dict[str, Any]:
    tensors = iter(key[3:])
    return {
        name: _Part(part, next(tensors) if isinstance(part, tree.Leaf) else None) for name, part in _parts(fn, key[0])
    }


class _Part:
    """One part of an argument: a Tensor, a container or a value."""

    def __init__(self, part: tree.Structure, tensor: tuple[Any, Any] | None) -> None:
        self.tensor = tensor
        self.hooks = part.hooks if isinstance(part, tree.Leaf) else ()
        self.container = (part.kind, len(part.children), part.keys) if isinstance(part, tree.Branch) else None
        self.static = part if isinstance(part, tree.Static) else None

    def __eq__(self, other: object) -> bool:
        mine = (self.tensor, self.hooks, self.container, self.static)
        return isinstance(other, _Part) and mine == (other.tensor, other.hooks, other.container, other.static)

    def __hash__(self) -> int:
        return 0

    def __str__(self) -> str:
        if self.tensor is not None:
            return f"{self.tensor[1]}{list(self.tensor[0])}"
        if self.container is not None:
            kind, count, keys = self.container
            return f"{kind.__name__} of {count}" if keys is None else f"{kind.__name__} with keys {list(keys)}"
        value = self.static.value  # type: ignore[union-attr]
        return type(value).__name__ if isinstance(value, Stateful) else describe(value)


def _change(was: _Part | None, now: _Part | None) -> str:
    if was is None or now is None:
        return f": {'left out' if was is None else was} -> {'left out' if now is None else now}"
    if was.tensor is not None and now.tensor is not None:
        (shape, dtype), (new_shape, new_dtype) = was.tensor, now.tensor
        parts = [f" shape {shape} -> {new_shape}"] if shape != new_shape else []
        parts += [f" dtype {dtype} -> {new_dtype}"] if dtype != new_dtype else []
        return " and".join(parts + ([" its hooks"] if was.hooks != now.hooks else []))
    if was.container is not None and now.container is not None:
        return f" structure: {was} -> {now}"
    if str(was) == str(now):
        return f": {was} -> another object that prints like it"
    return f": {was} -> {now}"
