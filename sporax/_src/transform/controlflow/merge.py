"""Conversion of the variables of two branches, or of two iterations, to one structure of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import CellType
from typing import Any, TypeGuard

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.dtype import promote
from sporax._src.core.execution import current
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import State
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.transform.controlflow.failures import CannotJoin, NeedsValue
from sporax._src.transform.controlflow.numbers import OF_KIND, ComputedNumber, dtype_of, kind_of, widest
from sporax._src.transform.controlflow.unbound import MaybeUnbound, Unreturned
from sporax._src.transform.controlflow.undo_log import Absent, Slot

_LOGICAL = ("the value of `and`", "the value of `or`")  # mostly conditions, whose kind does not matter
_NUMBERS = (bool, int, float)
_CONTAINERS = (tuple, list, dict)


def plain(value: object) -> Any:
    """Return the variables with sporax's marks for those without a value, in place of AutoGraph's."""
    return tuple([_OURS.get(type(v).__name__, lambda v=v: v)() for v in value]) if isinstance(value, tuple) else value


_OURS: dict[str, Callable[[], Any]] = {"Undefined": Absent, "UndefinedReturnValue": Unreturned}


def _is_absent(structure: object) -> bool:
    return isinstance(structure, tree.Static) and isinstance(structure.value, Absent)


def mark_unassigned(get_state: Callable[[], Any]) -> None:
    """Mark the variables of a statement that have no value yet.

    AutoGraph sets its marks before the outermost loop, although a variable used only in the body is a different
    variable.
    """
    for cell in get_state.__closure__ or ():
        try:
            _ = cell.cell_contents
        except ValueError:  # an empty cell
            cell.cell_contents = Absent()


def number_array(value: float) -> Any:
    """Return a Python number as the array of the Tensor with that value."""
    return jnp.asarray(value, np.float32 if isinstance(value, float) else None)


def merged(structures: Sequence[Any], avals: Sequence[Iterator[Any]], name: str) -> tuple[Any, list[Any]]:
    """Return the common structure of both sides, and the shape and dtype of each of its arrays."""
    structures = [_flag(s) if _is_flag(o) else s for s, o in (structures, structures[::-1])]
    if all(isinstance(s, tree.Branch) for s in structures):
        return _merged_branches(structures, avals, name)
    if all(isinstance(s, tree.Static) for s in structures) and structures[0] == structures[1]:
        return structures[0], []
    if all(map(_is_value, structures)):
        return _merged_values(structures, avals, name)
    kinds = [s.value if isinstance(s, tree.Static) else s for s in structures]
    if any(isinstance(k, Absent) for k in kinds):
        raise NeedsValue(f"{name} has a value on one path only")
    raise _unlike(kinds)(f"'{name}' is {_shown(kinds[0])} on one path and {_shown(kinds[1])} on the other")


def _number_kind(structure: object) -> type | None:
    """Return the kind of number that a structure holds, or None."""
    if isinstance(structure, tree.Leaf):
        return structure.kind._kind if issubclass(structure.kind, ComputedNumber) else None
    return kind_of(structure.value) if isinstance(structure, tree.Static) else None


def _merged_values(structures: Sequence[Any], avals: Sequence[Iterator[Any]], name: str) -> tuple[tree.Leaf, list[Any]]:
    """Like `merged`, for two sides that are each a number or a Tensor."""
    operands = [_aval_of(s, a) for s, a in zip(structures, avals, strict=True)]
    first, second = map(_number_kind, structures)
    if first is not None and second is not None:
        if first is not second and name not in _LOGICAL:
            raise NeedsValue(f"'{name}' is of type {first.__name__} on one path and {second.__name__} on the other")
        kind = widest(first, second)
        return tree.Leaf(OF_KIND[kind]), [jax.ShapeDtypeStruct((), dtype_of(kind))]
    return tree.Leaf(Tensor), [
        _meet(operands, name, _unlike([s.value if isinstance(s, tree.Static) else s for s in structures]))
    ]


def _is_value(structure: object) -> bool:
    return isinstance(structure, tree.Leaf) or isinstance(getattr(structure, "value", None), (Tensor, *_NUMBERS))


def _aval_of(structure: object, avals: Iterator[Any]) -> Any:
    """Return the shape and dtype of a Tensor, or of the Tensor that a number becomes."""
    aval = next(avals) if isinstance(structure, tree.Leaf) else None
    if (kind := _number_kind(structure)) is not None:
        return jax.typeof(number_array(kind(0)))
    if aval is not None:
        return aval
    value: Any = getattr(structure, "value", None)
    return jax.typeof(value._data if isinstance(value, Tensor) else number_array(value))


def _is_flag(structure: object) -> bool:
    return isinstance(structure, tree.Static) and isinstance(structure.value, bool)


def _flag(structure: object) -> Any:
    """Return one bool for a tuple of bools, which optimizers return: programs write `succ = False` on the other path."""
    children = structure.children if isinstance(structure, tree.Branch) and structure.kind is tuple else ()
    if children and all(map(_is_flag, children)):
        return tree.Static(all(child.value for child in children))
    return structure


def merged_results(
    structures: Sequence[Any], avals: Sequence[Iterator[Any]], names: str | tuple[str, ...], slots: Sequence[object]
) -> Any:
    """Return the common structure of two `(variables, values of slots)`, as `merged` does.

    Args:
        structures, avals: The two sides.
        names: The names of the variables, a tuple; or one name for a single value.
        slots: The slots.
    """
    (first, contents), (second, others) = [s.children for s in structures]
    if isinstance(names, tuple) and isinstance(first, tree.Branch) and isinstance(second, tree.Branch):
        value, results = _merged_each(first.children, second.children, avals, names, _merged_variable)
    else:
        value, results = merged((first, second), avals, str(names))
    content, more = _merged_each(contents.children, others.children, avals, slots, _merged_slot)
    return tree.Branch(tuple, None, (value, content)), results + more


def _merged_each(
    first: Sequence[tree.Structure],
    second: Sequence[tree.Structure],
    avals: Sequence[Iterator[Any]],
    labels: Sequence[Any],
    merge: Callable[..., tuple[Any, list[Any]]],
) -> tuple[Any, list[Any]]:
    children, results = [], []
    for one, other, label in zip(first, second, labels, strict=True):
        child, more = merge((one, other), avals, label)
        children.append(child)
        results += more
    return tree.Branch(tuple, None, tuple(children)), results


def _merged_slot(structures: Sequence[Any], avals: Sequence[Iterator[Any]], slot: Slot) -> tuple[Any, list[Any]]:
    """Like `merged`, for the value of a slot, which is absent on a path that did not create its owner."""
    if isinstance(slot.owner, CellType):
        return _merged_variable(structures, avals, str(slot))
    absent = [_is_absent(s) for s in structures]
    if slot.is_of_new and absent.count(True) == 1:
        i = absent.index(False)
        return _merged_one_sided(structures[i], avals[i], may_be_unbound=False)
    return merged(structures, avals, str(slot))


def _merged_variable(structures: Sequence[Any], avals: Sequence[Iterator[Any]], name: str) -> tuple[Any, list[Any]]:
    """Like `merged`, for a variable; if it may be unbound on one path, a flag records whether it is bound."""
    absent, name = [_is_absent(s) for s in structures], _of_program(name)
    if all(absent):
        return structures[0], []
    if any(absent):
        i = absent.index(False)
        return _merged_one_sided(structures[i], avals[i], may_be_unbound=not _is_unreturned(structures[1 - i]))
    if not any(map(_is_maybe_unbound, structures)):
        return merged(structures, avals, name)
    flags, values = zip(
        *[s.children if _is_maybe_unbound(s) else (tree.Static(True), s) for s in structures], strict=True
    )
    flag, results = merged(flags, avals, name)
    value, more = merged(values, avals, name)
    return tree.Branch(MaybeUnbound, None, (flag, value)), results + more


def _is_maybe_unbound(structure: object) -> TypeGuard[tree.Branch]:
    return isinstance(structure, tree.Branch) and structure.kind is MaybeUnbound


def _is_unreturned(structure: object) -> bool:
    return isinstance(structure, tree.Static) and isinstance(structure.value, Unreturned)


def _merged_one_sided(structure: tree.Structure, avals: Iterator[Any], may_be_unbound: bool) -> tuple[Any, list[Any]]:
    """Return the common structure of a variable that only one path binds."""
    results = [next(avals) for _ in range(_count(structure))]
    if not may_be_unbound:
        return structure, results
    if _is_maybe_unbound(structure):
        known = isinstance(structure.children[0], tree.Static)
        flag, value = tree.Leaf(Tensor), structure.children[1]
        return tree.Branch(MaybeUnbound, None, (flag, value)), [_BOUND] * known + results
    return tree.Branch(MaybeUnbound, None, (tree.Leaf(Tensor), structure)), [_BOUND, *results]


_BOUND = jax.ShapeDtypeStruct((), np.dtype(bool))


def _of_program(name: str) -> str:
    """Return the program's name of a variable; AutoGraph introduces names of its own."""
    return "the result" if name.startswith(("do_return", "retval_")) else name


def _shown(kind: object) -> str:
    return "a Tensor" if isinstance(kind, (tree.Leaf, Tensor)) else describe(kind)


def _merged_branches(structures: Sequence[Any], avals: Sequence[Iterator[Any]], name: str) -> tuple[Any, list[Any]]:
    first, second = structures
    if first.kind is not second.kind or first.keys != second.keys or len(first.children) != len(second.children):
        raise _unlike([s.value if isinstance(s, tree.Static) else s for s in structures])(
            f"'{name}' has another structure on each path: {first!r} and {second!r}"
        )
    children, results = [], []
    for pair in zip(first.children, second.children, strict=True):
        child, more = merged(pair, avals, name)
        children.append(child)
        results += more
    return tree.Branch(first.kind, first.keys, tuple(children)), results


def _unlike(values: Sequence[Any]) -> type[NeedsValue]:
    """Return the class to raise for two values that cannot be joined: an error only if both kinds are known and differ."""
    first, second = map(_kind, values)
    return NeedsValue if first is second or None in (first, second) else CannotJoin


def _kind(value: object) -> type | None:
    if isinstance(value, (tree.Leaf, Tensor)):
        return Tensor
    if isinstance(value, tree.Branch):
        return value.kind if value.kind in _CONTAINERS else None
    return float if isinstance(value, _NUMBERS) else str if isinstance(value, str) else None


def _count(structure: tree.Structure) -> int:
    if isinstance(structure, tree.Leaf):
        return 1
    return sum(map(_count, structure.children)) if isinstance(structure, tree.Branch) else 0


def _meet(avals: Sequence[Any], name: str, error: type[NeedsValue] = NeedsValue) -> Any:
    if avals[0].shape != avals[1].shape:
        raise error(f"'{name}' has shape {list(avals[0].shape)} on one path and {list(avals[1].shape)} on the other")
    try:
        return jax.ShapeDtypeStruct(avals[0].shape, promote(np.dtype(avals[0].dtype), np.dtype(avals[1].dtype)))
    except TypeError as why:
        raise NeedsValue(f"'{name}': {why}") from None


def bring(
    structure: Any,
    arrays: Iterator[Any],
    target: tree.Structure,
    avals: Iterator[Any],
    now: dict[int, Any] | None = None,
) -> Iterator[Any]:
    """Yield the arrays of `structure` as the arrays of `target`: cast, converted from numbers, or zeros if absent.

    Args:
        structure, arrays: The result of a path.
        target, avals: The common structure of both paths.
        now: The values, by `id`, of outer Tensors that the path assigned in place.
    """
    if isinstance(target, tree.Leaf):
        aval, structure = next(avals), _flag(structure)
        if isinstance(structure, tree.Leaf):
            yield next(arrays).astype(aval.dtype)
        elif _is_absent(structure):
            yield jnp.zeros(aval.shape, aval.dtype)
        elif isinstance(structure.value, Tensor):
            known = (now or {}).get(id(structure.value))
            yield (structure.value._data if known is None else known).astype(aval.dtype)
        else:
            yield jnp.asarray(structure.value, aval.dtype)
    elif _is_maybe_unbound(target) and not _is_maybe_unbound(structure):
        flag, value = target.children
        yield from bring(tree.Static(not _is_absent(structure)), arrays, flag, avals, now)
        yield from bring(structure, arrays, value, avals, now)
    elif isinstance(target, tree.Branch):
        for i, child in enumerate(target.children):
            part = structure.children[i] if isinstance(structure, tree.Branch) else structure
            yield from bring(part, arrays, child, avals, now)


def take(structure: tree.Structure, arrays: Sequence[Any]) -> Any:
    """Return the nested value of a structure with Tensors around arrays."""
    return tree.unflatten(structure, iter([wrap(a) for a in arrays]))


def value_now(state: State) -> Any:
    """Return the value of a Parameter, random state or Tensor in the trace that runs."""
    scope = current.get().scope
    if isinstance(state, Tensor) and not isinstance(state, Parameter):
        return state._data
    return state.concrete() if scope is None else scope.read(state)
