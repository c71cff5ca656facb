"""How the states of a captured graph are cut over devices, read off the graph: as the operators take them that have a strategy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

from sporax._src.base.jax_compat import CALLS, ClosedJaxpr, is_literal, jaxprs_in, scan_counts
from sporax._src.base.settings.optimizer_sharding import Sharing
from sporax._src.core.parameter import Parameter
from sporax._src.processes.parallel_context import Cutting
from sporax._src.sharding.strategies import alone, noted_spec, spec_of
from sporax._src.transform.parallel.layouts import parts_of
from sporax._src.transform.parallel.strategy_files import specs_of_file

_SAME = ("convert_element_type", "copy", "reduce_precision", "optimization_barrier")  # what leaves axes as they are
_ACCUMULATED = "accu_grads"  # in the names of Parameters that sum gradients over steps, as MindSpore knows them
_Alias = tuple[int, tuple[int, ...]]  # the number of an input, and its axis for each axis


def _constraints(jaxpr: Any, known: dict[Any, _Alias], found: dict[int, PartitionSpec]) -> list[_Alias | None]:
    """Note how inputs are cut where they are first, and return which inputs the results are."""

    def alias_of(atom: Any) -> _Alias | None:
        return None if is_literal(atom) else known.get(atom)

    for eqn in jaxpr.eqns:
        name, aliases = eqn.primitive.name, [alias_of(a) for a in eqn.invars]
        if not any(aliases):
            continue
        first, results = aliases[0], None
        if (asked := _asked(eqn)) is not None and first is not None:
            spec = [*asked]
            spec += [None] * (len(first[1]) - len(spec))
            found.setdefault(first[0], PartitionSpec(*[spec[first[1].index(i)] for i in range(len(spec))]))
            results = [first]
        elif name in _SAME:
            results = aliases[: len(eqn.outvars)]
        elif name == "transpose" and first is not None:
            results = [(first[0], tuple(first[1][i] for i in eqn.params["permutation"]))]
        elif name in (*CALLS, "remat", "checkpoint", "remat2"):
            inner = next((_open(j) for _, j in jaxprs_in(eqn) if len(_open(j).invars) == len(aliases)), None)
            results = None if inner is None else _constraints(inner, _given(inner.invars, aliases), found)
        elif name == "scan":
            constants = scan_counts(eqn.params)[0]
            inner = _open(eqn.params["jaxpr"])
            _constraints(inner, _given(inner.invars[:constants], aliases[:constants]), found)
        if results is not None:
            known.update(_given(eqn.outvars, results))
    return [alias_of(a) for a in jaxpr.outvars]


def _asked(eqn: Any) -> PartitionSpec | None:
    """Return how an operation asks to cut its operand, of devices that are there or not; None if it does not."""
    if eqn.primitive.name == "sharding_constraint":
        return eqn.params["sharding"].spec
    return noted_spec(eqn.params["name"]) if eqn.primitive.name == "name" else None


def _open(jaxpr: Any) -> Any:
    return jaxpr.jaxpr if isinstance(jaxpr, ClosedJaxpr) else jaxpr


def _given(variables: Sequence[Any], aliases: Iterable[_Alias | None]) -> dict[Any, _Alias]:
    return {v: a for v, a in zip(variables, aliases, strict=False) if a is not None}


def places_of(
    closed: Any, states: Sequence[Any], mesh: Mesh | AbstractMesh, how: Cutting
) -> tuple[list[NamedSharding], list[PartitionSpec]]:
    """Return how each state of a captured graph is cut, and how its operators ask to cut it.

    A state that no operator with a strategy takes is cut as the Parameter of which it is a clone, as the moments of an optimizer
    are. The others are whole on each device. With `how.sharing`, Parameters that are trained and their clones are cut further
    along their first axis, over devices that have equal pieces.

    Args:
        closed: The graph, whose first inputs are the states.
        states: The states.
        mesh: The mesh.
        how: The settings.
    """
    variables = closed.jaxpr.invars[: len(states)]
    known = {v: (i, tuple(range(len(v.aval.shape)))) for i, v in enumerate(variables)}
    found: dict[int, PartitionSpec] = {}
    _constraints(closed.jaxpr, known, found)
    for i, state in enumerate(states):
        if isinstance(state, Parameter) and (plan := state.param_info.param_strategy) is not None:
            found[i] = spec_of(alone(f"parameter_plan of {state.name}", "the Parameter", plan, state.shape, mesh.size))
    found |= specs_of_file(states, mesh)
    cut = {id(states[i]): spec for i, spec in found.items()}
    for i, spec in found.items():
        if isinstance(states[i], Parameter):
            cut |= {id(c): spec for c in _clones(states[i]) if id(c) not in cut}
    shared = set() if how.sharing is None else set(_shared(states, how.sharing))
    asked = [cut.get(id(s), PartitionSpec()) for s in states]
    places = [
        NamedSharding(mesh, _further(spec, v.aval, mesh, how.sharing) if how.sharing and id(s) in shared else spec)
        for s, v, spec in zip(states, variables, asked, strict=True)
    ]
    return places, asked


def _clones(param: Parameter) -> list[Parameter]:
    return [c for c in param.param_info.cloned_obj if c.shape == param.shape]


def _shared(states: Sequence[Any], how: Sharing) -> Iterator[int]:
    """Yield the `id` of each state that is shared out: Parameters that are trained, and their clones."""
    for param in states:
        if isinstance(param, Parameter) and param.requires_grad and param.parallel_optimizer:
            for state in (param, *_clones(param)):
                if how.level > 1 or _ACCUMULATED not in state.name:
                    yield id(state)


def _further(spec: PartitionSpec, aval: Any, mesh: Mesh | AbstractMesh, how: Sharing) -> PartitionSpec:
    """Return a way to cut that leaves no two devices of a group equal pieces, if the first axis can be cut so.

    A group has at most `how.size` devices, whose numbers are next to each other.
    """
    if not aval.shape or aval.size * aval.dtype.itemsize < how.threshold:
        return spec
    parts = parts_of(spec, len(aval.shape))
    used = {name for part in parts for name in part}
    size, taken = 1, []
    for name in reversed([n for n in mesh.axis_names if n not in used]):
        if how.size == -1 or how.size % (size * mesh.shape[name]) == 0:
            size *= mesh.shape[name]
            taken.insert(0, name)
    pieces = math.prod([mesh.shape[name] for name in parts[0]]) * size
    if aval.shape[0] % pieces:
        return spec
    return PartitionSpec((*parts[0], *taken) or None, *[part or None for part in parts[1:]])


def inputs_of(avals: Sequence[Any], mesh: Mesh | AbstractMesh, how: Cutting) -> list[NamedSharding]:
    """Return how arguments are cut: batches over all devices if the dataset is data parallel, else as its strategy says."""
    whole = NamedSharding(mesh, PartitionSpec())
    if how.dataset == "full_batch":
        return [whole] * len(avals)
    if how.dataset == "data_parallel":
        batch = NamedSharding(mesh, PartitionSpec(mesh.axis_names))
        return [batch if a.shape and a.shape[0] % mesh.size == 0 else whole for a in avals]
    if len(how.dataset) != len(avals):
        raise RuntimeError(
            f"dataset_strategy: {len(how.dataset)} strategies for {len(avals)} inputs: {how.dataset} must have one for each."
        )
    axes = [
        alone("dataset_strategy", f"input {i}", strategy, aval.shape, mesh.size)
        for i, (strategy, aval) in enumerate(zip(how.dataset, avals, strict=True))
    ]
    return [NamedSharding(mesh, spec_of(a)) for a in axes]


def results_of(avals: Sequence[Any], inputs: Sequence[Any], mesh: Mesh, how: Cutting) -> list[NamedSharding]:
    """Return how results are cut: what has the batch of the first input as that is, if the dataset is data parallel."""
    whole = NamedSharding(mesh, PartitionSpec())
    batch = next((a.shape[0] for a in inputs if a.shape), 1)
    if how.dataset != "data_parallel" or batch % mesh.size:
        return [whole] * len(avals)
    cut = NamedSharding(mesh, PartitionSpec(mesh.axis_names))
    return [cut if a.shape and a.shape[0] == batch else whole for a in avals]
