"""How the states of a captured graph are cut over devices, read off the graph: as the operators take them that have a strategy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jax.sharding import Mesh, NamedSharding, PartitionSpec

from sporax._src.base.jax_compat import CALLS, ClosedJaxpr, is_literal, jaxprs_in, scan_counts
from sporax._src.base.parallel_settings import Cutting
from sporax._src.core.parameter import Parameter
from sporax._src.engine.strategies import alone, spec_of
from sporax._src.transform.graph.kept_strategies import specs_of_file

_SAME = ("convert_element_type", "copy", "reduce_precision", "optimization_barrier")  # what leaves axes as they are
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
        if name == "sharding_constraint" and first is not None:
            spec = [*eqn.params["sharding"].spec]
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


def _open(jaxpr: Any) -> Any:
    return jaxpr.jaxpr if isinstance(jaxpr, ClosedJaxpr) else jaxpr


def _given(variables: Sequence[Any], aliases: Iterable[_Alias | None]) -> dict[Any, _Alias]:
    return {v: a for v, a in zip(variables, aliases, strict=False) if a is not None}


def places_of(
    closed: Any, states: Sequence[Any], written: Iterable[Any], mesh: Mesh, how: Cutting
) -> list[NamedSharding]:
    """Return how each state of a captured graph is cut.

    A state that no operator with a strategy takes is cut as the Parameter of which it is a clone, as the moments of an optimizer
    are. The others are whole on each device.

    Args:
        closed: The graph, whose first inputs are the states.
        states: The states.
        written: Those that it writes, which `how.threshold` is about: they are cut further along their first axis, over
            the devices that have equal pieces.
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
            cut |= {
                id(c): spec for c in states[i].param_info.cloned_obj if c.shape == states[i].shape and id(c) not in cut
            }
    trained = {id(s) for s in written if isinstance(s, Parameter)}
    return [
        NamedSharding(mesh, _further(cut.get(id(s), PartitionSpec()), v.aval, mesh, how if id(s) in trained else None))
        for s, v in zip(states, variables, strict=True)
    ]


def _further(spec: PartitionSpec, aval: Any, mesh: Mesh, how: Cutting | None) -> PartitionSpec:
    """Return a way to cut that leaves no two devices equal pieces, if the first axis can be cut so."""
    if how is None or how.threshold is None or not aval.shape or aval.size * aval.dtype.itemsize < how.threshold:
        return spec
    parts = [_names(part) for part in spec] + [()] * (len(aval.shape) - len(spec))
    used = {name for part in parts for name in part}
    rest = tuple(name for name in mesh.axis_names if name not in used)
    pieces = 1
    for name in (*parts[0], *rest):
        pieces *= mesh.shape[name]
    if aval.shape[0] % pieces:
        return spec
    return PartitionSpec((*parts[0], *rest) or None, *[part or None for part in parts[1:]])


def _names(part: Any) -> tuple[str, ...]:
    return () if part is None else (part,) if isinstance(part, str) else tuple(part)


def inputs_of(avals: Sequence[Any], mesh: Mesh, how: Cutting) -> list[NamedSharding]:
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
