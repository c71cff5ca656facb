"""Strategies, the numbers of pieces along each axis of an operator's operands: their checks, and their mapping to the mesh."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
from jax.ad_checkpoint import checkpoint_name
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.core import tree
from sporax._src.core.execution import current
from sporax._src.core.parameter import Parameter
from sporax._src.core.scope import Scope
from sporax._src.core.tensor import Tensor, is_tensor, wrap
from sporax._src.engine.dispatch import Kernel, run
from sporax._src.processes.parallel_context import Cutting, cutting
from sporax._src.processes.prime_mesh import axis_names, prime_factors, prime_mesh, take_axes
from sporax._src.sharding.axis_links import Links, links_of
from sporax._src.sharding.layout import Layout
from sporax._src.sharding.operator_file import loaded_strategy
from sporax._src.sharding.special_rules import by_themselves, gathered, tiled

Strategy = tuple[int, ...] | Layout
Axes = tuple[str, ...]  # the mesh axes that shard one axis of a Tensor

_NORMALIZE = {"LayerNorm", "LogSoftmax", "Softmax", "SoftmaxCrossEntropyWithLogits"}  # along reduced axes
_TABLES = ("Gather", "EmbeddingLookup", "SparseGather")  # they choose the devices of each row themselves
_SPREAD = {"Gather"}  # besides products: results may be sharded differently from their operands
_NOTE = "cut along "  # the prefix of a value's name that records its sharding over absent devices
BY_HAND = ("manual_split", "manual_split_with_offset")  # attributes: rows of tables
_FREE = (*BY_HAND, "self_define_shard")  # see `cut_call`
_NONE: Mapping[str, Any] = {}
_OF_FIRST = {"DropoutDoMask"}  # their strategy is only for the first operand
_BY_RESULT = {"OneHot", "OneHotExt"}  # their first strategy is that of the result
_BY_THREE = {"FusedInferAttentionScore"}  # sharded by the strategies of query, key and value only
_OF_SHAPE = {"DropoutGenMask"}  # operators with a shape argument, whose strategy is that of the result


def cutting_here() -> Cutting | None:
    """Return how the running trace is sharded; None outside of a trace, and without sharding."""
    return cutting() if current.get().scope is not None else None


# --- checks ------------------------------------------------------------------------------------------------------------


def flat(strategies: Sequence[Any]) -> Iterator[Any]:
    """Yield the strategies of Tensors; those of a tuple of Tensors are nested in a tuple."""
    for strategy in strategies:
        if isinstance(strategy, tuple) and strategy and isinstance(strategy[0], (tuple, Layout)):
            yield from strategy
        else:
            yield strategy


def check_counts(name: str, what: str, counts: Sequence[int], shape: Sequence[int], devices: int) -> None:
    """Check the numbers of pieces along the axes of one Tensor.

    Args:
        name: The name of the operator in errors.
        what: The name of the Tensor in errors.
        counts: The number of pieces for each axis.
        shape: The Tensor's.
        devices: How many there are.

    Raises:
        RuntimeError: If the numbers do not fit.
    """
    if len(counts) != len(shape):
        raise RuntimeError(
            f"{name}: the strategy {tuple(counts)} of {what} must have {len(shape)} numbers, one for each axis."
        )
    for axis, (pieces, size) in enumerate(zip(counts, shape, strict=True)):
        if type(pieces) is not int or pieces < 1:
            raise RuntimeError(f"{name}: the numbers of the strategy {tuple(counts)} of {what} must be ints > 0.")
        if isinstance(size, int) and size % pieces:
            raise RuntimeError(
                f"{name}: axis {axis} of {what} has size {size}, which cannot be cut into {pieces} equal pieces "
                f"(strategy {tuple(counts)}, shape {tuple(shape)})."
            )
        if pieces & (pieces - 1) and not devices & (devices - 1):
            raise RuntimeError(f"{name}: the numbers of the strategy {tuple(counts)} of {what} must be powers of 2.")


def named_axes(name: str, what: str, layout: Layout, devices: int) -> list[Axes]:
    """Return the mesh axes along which a Layout shards each axis of a Tensor.

    Raises:
        RuntimeError: If the Layout was not called with names, or is of another number of devices.
    """
    try:
        described = layout.to_dict()
    except ValueError as error:
        raise RuntimeError(f"{name}: {what}: {error}") from None
    matrix, names = list(described["device_matrix"]), described["alias_name"]
    if described["interleaved_parallel"]:  # pieces on one device
        matrix[-1] = 1
    sizes = dict(zip(names, matrix, strict=True))
    product = functools.reduce(int.__mul__, sizes.values(), 1)
    if product != devices:
        raise RuntimeError(f"{name}: the layout of {what} is of {product} devices, and there are {devices}.")
    axes: dict[str, Axes] = {}
    free = list(axis_names(devices))
    for alias, size in sizes.items():
        axes[alias] = take_axes(size, free, devices)
        free = [a for a in free if a not in axes[alias]]
    result = []
    for part in described["tensor_map"]:
        device_axes = part if isinstance(part, tuple) else (part,)
        result.append(tuple(a for i in device_axes if i != -1 for a in axes[names[len(names) - 1 - i]]))
    return result


def pieces_of(axes: Axes, devices: int) -> int:
    """Return the number of pieces along mesh axes."""
    sizes = dict(zip(axis_names(devices), prime_factors(devices), strict=True))
    return functools.reduce(int.__mul__, (sizes[a] for a in axes), 1)


# --- from strategies to axes of the mesh ---------------------------------------------------------------------------------


def placed(
    name: str,
    strategies: Sequence[Any],
    shapes: Sequence[Sequence[int]],
    links: Links,
    devices: int,
    names: Sequence[str],
) -> list[list[Axes]]:
    """Return the mesh axes that shard each axis of each operand; errors include the `names` of Parameters.

    Corresponding axes are sharded equally. The first mesh axes go to the first sharded axis, as MindSpore numbers its devices. If
    an operator's graph is not understood as one operation, each operand is sharded by its own strategy.

    Raises:
        RuntimeError: If the strategies do not fit the operands, each other, or the devices.
    """
    listed = list(flat(strategies))
    if len(listed) != len(shapes):
        without = [s for s in listed if s != ()]
        if len(without) != len(shapes):
            raise RuntimeError(
                f"{name}: {len(listed)} strategies for {len(shapes)} inputs: {shown(strategies)} must have one for each."
            )
        listed = without
    if name in _BY_THREE:  # masks and lengths follow the query
        for i, strategy in enumerate(listed[3:], 3):
            check_counts(name, f"input {i}", strategy, shapes[i], devices)
        listed[3:] = [(1,) * len(shape) for shape in shapes[3:]]
    if not links.is_read:
        return _by_operand(name, listed, shapes, links, devices)
    named: dict[int, Axes] = {}
    wanted: dict[int, tuple[int, str]] = {}
    whole = (links.whole | links.reduced if name in _NORMALIZE else links.whole) - links.gathered
    for i, (strategy, shape, classes) in enumerate(zip(listed, shapes, links.operands, strict=True)):
        what = f"input {i}"
        if isinstance(strategy, Layout):
            by_axis = named_axes(name, what, strategy, devices)
            counts = [pieces_of(a, devices) for a in by_axis]
        else:
            by_axis, counts = [], list(strategy)
        check_counts(name, f"{what} ({names[i]})" if names[i] else what, counts, shape, devices)
        for axis, (pieces, one) in enumerate(zip(counts, classes, strict=True)):
            at = f"axis {axis} of {what}"
            if pieces > 1 and one in whole:
                raise RuntimeError(f"{name}: {at} cannot be cut, got {pieces} in the strategies {shown(strategies)}.")
            before, where = wanted.setdefault(one, (pieces, at))
            if before != pieces:
                raise RuntimeError(
                    f"{name}: {where} and {at} correspond and must be sharded equally, got {before} and {pieces} pieces "
                    f"in the strategies {shown(strategies)}."
                )
            if by_axis and named.setdefault(one, by_axis[axis]) != by_axis[axis]:
                raise RuntimeError(f"{name}: {where} and {at} correspond and must be sharded along the same names.")
    _check_graph(name, shown(strategies), links, wanted, named)
    if not named:
        named = _in_order(name, strategies, {one: pieces for one, (pieces, _) in wanted.items()}, devices)
    return [[() if one in links.gathered else named[one] for one in classes] for classes in links.operands]


def _check_graph(
    name: str, strategies: str, links: Links, wanted: Mapping[int, tuple[int, str]], named: Mapping[int, Axes]
) -> None:
    """Check that the results can be sharded like the operands."""
    for one, size in links.windows:
        pieces, where = wanted.get(one, (1, ""))
        if size % pieces:
            raise RuntimeError(
                f"{name}: {where} is cut into {pieces} pieces, and the result has size {size} along this axis "
                f"(strategies {strategies})."
            )
    for one, reach in links.reaches:
        pieces, where = wanted.get(one, (1, ""))
        if pieces > 1 and not reach.fits(pieces):
            raise RuntimeError(
                f"{name}: {where} cannot be cut into {pieces} pieces: the kernel, of size {reach.kernel} with stride "
                f"{reach.stride * reach.spread}, has a halo that exceeds the neighbouring shard (strategies {strategies})."
            )
    for axes in links.results if named else ():
        cut = [n for one in axes for n in named.get(one, ())]
        if len(set(cut)) != len(cut):
            raise RuntimeError(f"{name}: the Layouts {strategies} cut two axes of the result along the same names.")


def _by_operand(
    name: str, strategies: Sequence[Any], shapes: Sequence[Sequence[int]], links: Links, devices: int
) -> list[list[Axes]]:
    """Return the mesh axes of each operand; an axis may be sharded in one operand and whole in another."""
    result: list[list[Axes]] = []
    wanted: dict[int, tuple[int, str]] = {}
    for i, (strategy, shape, classes) in enumerate(zip(strategies, shapes, links.operands, strict=True)):
        result.append(alone(name, f"input {i}", strategy, shape, devices))
        for axis, (axes, one) in enumerate(zip(result[-1], classes, strict=True)):
            pieces, at = pieces_of(axes, devices), f"axis {axis} of input {i}"
            before, where = wanted.setdefault(one, (pieces, at)) if pieces > 1 else (pieces, at)
            if before != pieces and not links.apart:
                raise RuntimeError(
                    f"{name}: {where} and {at} correspond and must be sharded equally or not at all, got {before} and "
                    f"{pieces} pieces in the strategies {shown(strategies)}."
                )
    return result


def _in_order(name: str, strategies: object, wanted: dict[int, int], devices: int) -> dict[int, Axes]:
    product = functools.reduce(int.__mul__, wanted.values(), 1)
    if product > devices or devices % product:
        raise RuntimeError(
            f"{name}: the strategies {shown(strategies)} need {product} devices, and there are {devices}."
        )
    free = list(axis_names(devices))
    result: dict[int, Axes] = {}
    for one, pieces in wanted.items():
        result[one] = take_axes(pieces, free, devices)
        free = [a for a in free if a not in result[one]]
    return result


def alone(name: str, what: str, strategy: Strategy, shape: Sequence[int], devices: int) -> list[Axes]:
    """Return the mesh axes that shard a single Tensor.

    Raises:
        RuntimeError: If the strategy does not fit the Tensor or the devices.
    """
    if isinstance(strategy, Layout):
        axes = named_axes(name, what, strategy, devices)
        check_counts(name, what, [pieces_of(a, devices) for a in axes], shape, devices)
        return axes
    check_counts(name, what, strategy, shape, devices)
    named = _in_order(name, strategy, dict(enumerate(strategy)), devices)
    return [named[i] for i in range(len(shape))]


def shown(strategies: Any) -> str:
    """Return strategies as text for errors."""
    return repr(tuple([s.to_dict()["tensor_map"] if isinstance(s, Layout) else s for s in strategies]))


# --- in a trace ------------------------------------------------------------------------------------------------------------


def spec_of(axes: Sequence[Axes]) -> PartitionSpec:
    """Return JAX's PartitionSpec for the mesh axes of each axis of an array."""
    return PartitionSpec(*[a or None for a in axes])


def sharding_of(axes: Sequence[Axes], devices: int) -> NamedSharding | None:
    """Return the sharding of an array along mesh axes; None if there are too few devices."""
    mesh = prime_mesh(devices)
    return None if mesh is None else NamedSharding(mesh, spec_of(axes))


@functools.cache
def _constraint(sharding: NamedSharding) -> Kernel:
    return Kernel(lambda x: jax.lax.with_sharding_constraint(x, sharding), "shard")


@functools.cache
def _noted(axes: tuple[Axes, ...]) -> Kernel:
    return Kernel(lambda x: checkpoint_name(x, _NOTE + ";".join(map(",".join, axes))), "shard")


def noted_spec(name: str) -> PartitionSpec | None:
    """Return the sharding recorded in the name of a value; None if the name records none."""
    if not name.startswith(_NOTE):
        return None
    return spec_of([tuple(filter(None, part.split(","))) for part in name.removeprefix(_NOTE).split(";")])


def constrained(tensor: Tensor, axes: Sequence[Axes], devices: int) -> Tensor:
    """Return a Tensor sharded along mesh axes; if there are too few devices, its name records them."""
    sharding = sharding_of(axes, devices)
    return run(_noted(tuple(axes)) if sharding is None else _constraint(sharding), [tensor])


def cut_call(
    name: str,
    call: Callable[..., Any],
    args: Any,
    in_strategy: Any,
    out_strategy: object,
    devices: int,
    attrs: Mapping[str, Any] = _NONE,
) -> Any:
    """Return what `call` returns, with its operands and results sharded by strategies.

    Args:
        name: The name of the operator in errors.
        call: Called as `call(*args, **kwargs)`.
        args: Its `(args, kwargs)`.
        in_strategy, out_strategy: A strategy for each Tensor among its arguments and its results (None: XLA chooses).
        devices: How many there are.
        attrs: The attributes of the operator; with some of them each operand is sharded by itself.

    Raises:
        RuntimeError: If the strategies do not fit.
    """
    if name == "Reshape" and args[0][0].shape == args[0][1]:
        return call(*args[0], **args[1])  # no operation, so there is no strategy
    if name in _OF_SHAPE:
        check_counts(name, "the result", in_strategy[0], args[0][0], devices)
        return call(*args[0], **args[1])
    tensors: list[Tensor] = []
    structure = tree.flatten(args, is_tensor, tensors)
    states = [t for t in tensors if isinstance(t, Parameter)]
    if states:
        in_strategy = loaded_strategy(f"{name}_{states[0].name}") or in_strategy
    written: set[int] = set()

    def on_arrays(*arrays: object) -> Any:
        values = {id(t): a for t, a in zip(tensors, arrays, strict=True) if isinstance(t, Parameter)}
        operands = [t if isinstance(t, Parameter) else wrap(a) for t, a in zip(tensors, arrays, strict=True)]
        results: list[Tensor] = []
        with Scope(values) as scope:
            inner, named = tree.unflatten(structure, iter(operands))
            tree.flatten(call(*inner, **named), is_tensor, results)
            out = [t._data for t in results]
            written.update(id(s) for s in states if id(s) in scope.writes)
        return out

    avals = [jax.ShapeDtypeStruct(t._data.shape, t._data.dtype) for t in tensors]
    links = links_of(on_arrays, avals)
    links.is_read &= not any(attrs.get(attr) for attr in _FREE)
    listed = of_tensors(in_strategy, args, len(tensors))
    if name in _OF_FIRST and len(listed) == 1:
        listed += [(1,) * len(a.shape) for a in avals[1:]]
        links.is_read = False
    if name in _BY_RESULT and isinstance(listed[0], tuple) and len(listed[0]) == len(avals[0].shape) + 1:
        out_strategy = (listed[0],)
        listed[0] = _without_new_axis(listed[0], links)
    if name == "Tile" and isinstance(listed[0], tuple) and len(listed[0]) == len(args[0][1]):
        listed[0], out, sizes = tiled(listed[0], args[0][1], avals[0].shape)
        check_counts(name, "the result", out, sizes, devices)
        out_strategy = (out,)
    shapes = [a.shape for a in avals]
    links.gathered = gathered(name, attrs, shapes[0], links) if shapes else set()
    links.apart = by_themselves(name, attrs, listed, links, devices)
    links.is_read &= not links.apart
    for attr in BY_HAND:
        if attr in attrs:
            _check_manual(name, attrs[attr], listed, shapes, links, devices)
    names = [t.name if isinstance(t, Parameter) else "" for t in tensors]
    axes = placed(name, listed, shapes, links, devices, names)
    _check_parameters(name, tensors, axes, devices)
    for state in states[:1]:
        state.param_info.strategies_by_operator[name] = [[pieces_of(a, devices) for a in operand] for operand in axes]
    cut = [t if id(t) in written else constrained(t, a, devices) for t, a in zip(tensors, axes, strict=True)]
    inner, named = tree.unflatten(structure, iter(cut))
    result = call(*inner, **named)
    if not out_strategy:
        return _summed(result, links, axes, devices) if links.is_read else result
    if links.is_read and not links.contracts and name not in _SPREAD:
        _check_results(name, result, out_strategy, links, axes, devices)
    return cut_results(name, result, out_strategy, devices)


def _summed(result: object, links: Links, axes: Sequence[Sequence[Axes]], devices: int) -> Any:
    """Return results with explicit sums over devices.

    XLA (of JAX 0.10 and 0.12) computes wrong sums if the next operation is sharded differently. If two axes of a result come from
    one (in xᵀ·x), the first is sharded.
    """
    by_class = {
        one: a for classes, by in zip(links.operands, axes, strict=True) for one, a in zip(classes, by, strict=True)
    }
    if not any(a and all(one not in classes for classes in links.results) for one, a in by_class.items()):
        return result
    sums: list[Tensor] = []
    structure = tree.flatten(result, is_tensor, sums)
    cuts = [
        [() if one in classes[:i] else by_class.get(one, ()) for i, one in enumerate(classes)]
        for classes in links.results
    ]
    return tree.unflatten(structure, iter([constrained(t, c, devices) for t, c in zip(sums, cuts, strict=True)]))


class _FirstShardings(dict[int, tuple[str, tuple[Axes, ...]]]):
    """For each Parameter of a trace, by `id`: the operator that sharded it first, and the mesh axes."""


def _check_parameters(name: str, tensors: Sequence[Tensor], axes: Sequence[Sequence[Axes]], devices: int) -> None:
    """Check that all operators of a graph shard a Parameter equally."""
    scope = current.get().scope
    assert scope is not None
    for tensor, cut in zip(tensors, axes, strict=True):
        if not isinstance(tensor, Parameter):
            continue
        first, before = scope.attached(_FirstShardings).setdefault(id(tensor), (name, tuple(cut)))
        pieces, others = (tuple(pieces_of(a, devices) for a in axes) for axes in (cut, before))
        if pieces != others:
            raise RuntimeError(
                f"{name}: the Parameter {tensor.name} is sharded into {pieces} pieces, and {first} shards it into {others}: the "
                "strategies of all its operators must shard it equally."
            )
        if before != tuple(cut) and not any(n.startswith(_TABLES) for n in (name, first)):
            raise RuntimeError(
                f"{name}: the Parameter {tensor.name} is sharded into {pieces} pieces over other devices than {first} shards it "
                "over: the strategies of all its operators must shard it equally."
            )


def _check_manual(
    name: str, split: Any, strategies: Sequence[Any], shapes: Sequence[Sequence[int]], links: Links, devices: int
) -> None:
    """Check the unequal row splits of a table, one for each device's fields."""
    sizes = [part[0] if isinstance(part, (tuple, list)) else part for part in split]
    (rows, *_), (*others, fields) = strategies[0], strategies[1]
    if set(others) - {1} or rows != fields or rows != len(sizes):
        raise RuntimeError(
            f"{name}: {len(sizes)} parts {tuple(split)} cut the first axis of the table and the last of the indices, got "
            f"{shown(strategies)}."
        )
    if links.operands[0][0] in links.results[0]:
        raise RuntimeError(
            f"{name}: the parts {tuple(split)} split the rows of a table, which must be indexed along axis 0."
        )
    if sum(sizes) != shapes[0][0] or min(sizes) < shapes[1][-1] // fields:
        raise RuntimeError(
            f"{name}: the parts {tuple(split)} must add up to the {shapes[0][0]} rows of the table, each at least "
            f"{shapes[1][-1] // fields} for its fields."
        )
    if math.prod(strategies[0]) != devices:
        raise RuntimeError(
            f"{name}: the parts {tuple(split)} must be sharded over all {devices} devices, got the strategies {shown(strategies)}."
        )


def _check_results(
    name: str, result: object, strategies: Any, links: Links, axes: Sequence[Sequence[Axes]], devices: int
) -> None:
    """Check that results are sharded like the corresponding operands; only sums of products may differ.

    Raises:
        RuntimeError: If they are not.
    """
    known = {
        one: a for classes, cut in zip(links.operands, axes, strict=True) for one, a in zip(classes, cut, strict=True)
    }
    results: list[Tensor] = []
    tree.flatten(result, is_tensor, results)
    for i, (tensor, strategy, classes) in enumerate(zip(results, flat(strategies), links.results, strict=False)):
        for axis, (one, wanted) in enumerate(
            zip(classes, alone(name, f"result {i}", strategy, tensor._data.shape, devices), strict=True)
        ):
            if pieces_of(known.get(one, wanted), devices) != pieces_of(wanted, devices):
                raise RuntimeError(
                    f"{name}: axis {axis} of result {i} corresponds to operand axes that are sharded into "
                    f"{pieces_of(known[one], devices)} pieces, got {pieces_of(wanted, devices)} in its strategy."
                )


def _without_new_axis(strategy: Any, links: Links) -> Any:
    """Return the strategy of indices from that of their OneHot."""
    return tuple(n for n, one in zip(strategy, links.results[0], strict=True) if one in links.operands[0])


def of_tensors(strategies: Any, args: Any, count: int) -> list[Any]:
    """Return the strategies of Tensors, without those for numbers and lists of numbers among the arguments."""
    listed = list(flat(strategies))
    if len(listed) == count:
        return listed
    are_tensors: list[bool] = []
    for value in (*args[0], *args[1].values()):
        inside: list[Tensor] = []
        tree.flatten(value, is_tensor, inside)
        are_tensors += [True] * len(inside) if inside else [False] * (value is not None)
    return (
        [s for s, is_used in zip(listed, are_tensors, strict=True) if is_used]
        if len(are_tensors) == len(listed)
        else listed
    )


def cut_inputs(name: str, args: object, strategies: object, devices: int) -> Any:
    """Return the arguments of a function with its Tensors sharded by strategies, each by itself; Parameters stay.

    Raises:
        RuntimeError: If the strategies do not fit.
    """
    return _cut_each(name, "input", args, strategies, devices)


def cut_results(name: str, result: object, strategies: object, devices: int) -> Any:
    """Return a nested result with its Tensors sharded by strategies.

    Raises:
        RuntimeError: If the strategies do not fit.
    """
    return _cut_each(name, "result", result, strategies, devices)


def _cut_each(name: str, what: str, value: object, strategies: Any, devices: int) -> Any:
    tensors: list[Tensor] = []
    structure = tree.flatten(value, lambda v: is_tensor(v) and not isinstance(v, Parameter), tensors)
    listed = list(flat(strategies))
    if len(listed) != len(tensors):
        raise RuntimeError(
            f"{name}: {len(listed)} strategies for {len(tensors)} {what}s: {shown(listed)} must have one for each."
        )
    cut = []
    for i, (strategy, tensor) in enumerate(zip(listed, tensors, strict=True)):
        cut.append(constrained(tensor, alone(name, f"{what} {i}", strategy, tensor._data.shape, devices), devices))
    return tree.unflatten(structure, iter(cut))
