"""The shardings of a captured graph's states, read from the graph: those that operators with a strategy need."""

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

_SAME = ("convert_element_type", "copy", "reduce_precision", "optimization_barrier")  # operations that keep axes
_ACCUMULATED = "accu_grads"  # MindSpore's mark in the names of Parameters that accumulate gradients
_Alias = tuple[int, tuple[int, ...]]  # the index of an input, and the input's axis for each axis


def _constraints(jaxpr: Any, known: dict[Any, _Alias], specs: dict[int, PartitionSpec]) -> list[_Alias | None]:
    """Record the first sharding constraint of each input, and return the inputs that the results are aliases of."""

    def alias_of(atom: object) -> _Alias | None:
        return None if is_literal(atom) else known.get(atom)

    for eqn in jaxpr.eqns:
        name, aliases = eqn.primitive.name, [alias_of(a) for a in eqn.invars]
        if not any(aliases):
            continue
        first, results = aliases[0], None
        if (asked := _asked(eqn)) is not None and first is not None:
            spec = [*asked]
            spec += [None] * (len(first[1]) - len(spec))
            specs.setdefault(first[0], PartitionSpec(*[spec[first[1].index(i)] for i in range(len(spec))]))
            results = [first]
        elif name in _SAME:
            results = aliases[: len(eqn.outvars)]
        elif name == "transpose" and first is not None:
            results = [(first[0], tuple(first[1][i] for i in eqn.params["permutation"]))]
        elif name in (*CALLS, "remat", "checkpoint", "remat2"):
            inner = next((_open(j) for _, j in jaxprs_in(eqn) if len(_open(j).invars) == len(aliases)), None)
            results = None if inner is None else _constraints(inner, _with_alias(inner.invars, aliases), specs)
        elif name == "scan":
            constants = scan_counts(eqn.params)[0]
            inner = _open(eqn.params["jaxpr"])
            _constraints(inner, _with_alias(inner.invars[:constants], aliases[:constants]), specs)
        if results is not None:
            known.update(_with_alias(eqn.outvars, results))
    return [alias_of(a) for a in jaxpr.outvars]


def _asked(eqn: Any) -> PartitionSpec | None:
    """Return the sharding that an operation requires of its operand, on real or planned devices; None if it requires none."""
    if eqn.primitive.name == "sharding_constraint":
        return eqn.params["sharding"].spec
    return noted_spec(eqn.params["name"]) if eqn.primitive.name == "name" else None


def _open(jaxpr: Any) -> Any:
    return jaxpr.jaxpr if isinstance(jaxpr, ClosedJaxpr) else jaxpr


def _with_alias(variables: Sequence[Any], aliases: Iterable[_Alias | None]) -> dict[Any, _Alias]:
    return {v: a for v, a in zip(variables, aliases, strict=False) if a is not None}


def state_shardings(
    closed: Any, states: Sequence[Any], mesh: Mesh | AbstractMesh, how: Cutting
) -> tuple[list[NamedSharding], list[PartitionSpec]]:
    """Return the sharding of each state of a captured graph, and the sharding that its operators require.

    A state without an operator that has a strategy is sharded like the Parameter of which it is a clone, as the moments of an
    optimizer are. The others are replicated. With `how.sharing`, Parameters that are trained and their clones are sharded further
    along their first axis, over devices with equal shards.

    Args:
        closed: The graph, whose first inputs are the states.
        states: The states.
        mesh: The mesh.
        how: The settings.
    """
    variables = closed.jaxpr.invars[: len(states)]
    known = {v: (i, tuple(range(len(v.aval.shape)))) for i, v in enumerate(variables)}
    specs: dict[int, PartitionSpec] = {}
    _constraints(closed.jaxpr, known, specs)
    for i, state in enumerate(states):
        if isinstance(state, Parameter) and (plan := state.param_info.param_strategy) is not None:
            specs[i] = spec_of(alone(f"parameter_plan of {state.name}", "the Parameter", plan, state.shape, mesh.size))
    specs |= specs_of_file(states, mesh)
    cut = {id(states[i]): spec for i, spec in specs.items()}
    for i, spec in specs.items():
        if isinstance(states[i], Parameter):
            cut |= {id(c): spec for c in _clones(states[i]) if id(c) not in cut}
    shared = set() if how.sharing is None else set(_shared(states, how.sharing))
    asked = [cut.get(id(s), PartitionSpec()) for s in states]
    shardings = [
        NamedSharding(mesh, _further(spec, v.aval, mesh, how.sharing) if how.sharing and id(s) in shared else spec)
        for s, v, spec in zip(states, variables, asked, strict=True)
    ]
    return shardings, asked


def _clones(param: Parameter) -> list[Parameter]:
    return [c for c in param.param_info.cloned_obj if c.shape == param.shape]


def _shared(states: Sequence[Any], how: Sharing) -> Iterator[int]:
    """Yield the `id` of each state to shard further: Parameters that are trained, and their clones."""
    for param in states:
        if isinstance(param, Parameter) and param.requires_grad and param.parallel_optimizer:
            for state in (param, *_clones(param)):
                if how.level > 1 or _ACCUMULATED not in state.name:
                    yield id(state)


def _further(spec: PartitionSpec, aval: Any, mesh: Mesh | AbstractMesh, how: Sharing) -> PartitionSpec:
    """Return a finer sharding in which the devices of a group have different shards, if the first axis is divisible.

    A group has at most `how.size` devices with consecutive numbers.
    """
    if not aval.shape or aval.size * aval.dtype.itemsize < how.threshold:
        return spec
    parts = parts_of(spec, len(aval.shape))
    used = {name for part in parts for name in part}
    size, added = 1, []
    for name in reversed([n for n in mesh.axis_names if n not in used]):
        if how.size == -1 or how.size % (size * mesh.shape[name]) == 0:
            size *= mesh.shape[name]
            added.insert(0, name)
    pieces = math.prod([mesh.shape[name] for name in parts[0]]) * size
    if aval.shape[0] % pieces:
        return spec
    return PartitionSpec((*parts[0], *added) or None, *[part or None for part in parts[1:]])


def inputs_of(avals: Sequence[Any], mesh: Mesh | AbstractMesh, how: Cutting) -> list[NamedSharding]:
    """Return the shardings of arguments: the batch axis over all devices if the dataset is data parallel, else its strategy."""
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
    """Return the shardings of results: in data parallel, those with the first input's batch size are sharded like that input."""
    whole = NamedSharding(mesh, PartitionSpec())
    batch = next((a.shape[0] for a in inputs if a.shape), 1)
    if how.dataset != "data_parallel" or batch % mesh.size:
        return [whole] * len(avals)
    cut = NamedSharding(mesh, PartitionSpec(mesh.axis_names))
    return [cut if a.shape and a.shape[0] == batch else whole for a in avals]
