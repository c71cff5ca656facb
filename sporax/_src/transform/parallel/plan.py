"""The plan of a training step: the resources its compiled graph needs on each device, written to a file for `sporax plan`."""

from __future__ import annotations

import functools
import importlib
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

import jax.numpy as jnp
from jax import ShapeDtypeStruct

from sporax._src.base.config import planned_card
from sporax._src.core.parameter import Parameter
from sporax._src.processes.dry_run import plan_file, planned_devices, zeros
from sporax._src.processes.parallel_context import cutting
from sporax._src.processes.parallel_context import get_auto_parallel_context as setting
from sporax._src.transform.graph.flops import count, product_flops
from sporax._src.transform.parallel.hlo import Program, moved

_before: list[dict[str, Any]] = []  # graphs of the step that ran before the one that writes Parameters


def on_paper(graph: Any) -> list[Any]:
    """Replace a run of a graph by a plan: a graph that trains ends the program, others return zeros.

    Raises:
        RuntimeError: If the program's number of devices is not that of the plan.
        SystemExit: If the graph trains, after the plan was written.
    """
    if any(isinstance(s, Parameter) and s.requires_grad for s in graph.written):
        _finish(graph)
    if graph.gradient is not None:
        _before.append(_needs(graph))
    return [zeros(a.shape, a.dtype) for a in graph.jaxpr.out_avals]


def _needs(graph: Any) -> dict[str, Any]:
    if not planned_card():
        return plan_of(graph)
    on_card = importlib.import_module("sporax._src.transform.parallel.card_plan")  # few programs need it
    return on_card.kernels_of(graph, planned_card())


def _finish(graph: object) -> NoReturn:
    plans = [*_before, _needs(graph)]
    Path(plan_file()).write_text(json.dumps(plans))
    raise SystemExit(0)


def _check_devices() -> None:
    how, devices = cutting(), planned_devices()
    if how is not None and how.devices * setting("pipeline_stages") != devices:
        raise RuntimeError(
            f"the program is written for device_num={how.devices * setting('pipeline_stages')}, the plan is of {devices} "
            "devices: get_group_size() tells a program how many there are."
        )


def plan_of(graph: Any) -> dict[str, Any]:
    """Return the resources of a graph on each device: bytes of memory, flops, bytes of each collective."""
    _check_devices()
    start = time.perf_counter()
    compiled = graph.compiled
    memory, program = compiled.memory_analysis(), Program(compiled.as_text(), planned_devices())
    sizes = _sizes(graph, compiled)
    exchanged = [
        {
            "kind": e.kind, "devices": list(e.devices), "count": times, "bytes": times * e.payload,
            "moved": times * moved(e.kind, e.payload, len(e.devices)),
        }
        for e, times in program.exchanges().items() if len(e.devices) > 1
    ]  # fmt: skip
    results = memory.output_size_in_bytes - memory.alias_size_in_bytes
    return {
        "graph": graph.name,
        "memory": {
            **sizes,
            "other": memory.argument_size_in_bytes - sum(sizes.values()),
            "results": results,
            "temporary": memory.temp_size_in_bytes,
            "total": memory.argument_size_in_bytes + results + memory.temp_size_in_bytes,
        },
        "flops": program.flops(),
        "flops_by_dtype": _by_dtype(graph.jaxpr),
        "exchanges": exchanged,
        "seconds": time.perf_counter() - start,
    }


def _sizes(graph: Any, compiled: Any) -> dict[str, int]:
    """Return the bytes of weights, of an optimizer's moments and of arguments on a device."""
    clones = {id(c) for s in graph.states if isinstance(s, Parameter) for c in s.param_info.cloned_obj}
    sizes: Counter[str] = Counter(weights=0, moments=0, inputs=0)
    (donated, retained, arguments, *_), _ = compiled.input_shardings  # large constants may come last
    avals = dict(zip(map(id, graph.states), graph.jaxpr.in_avals, strict=False))
    for state, sharding in zip((*graph.donated, *graph.retained), (*donated, *retained), strict=True):
        if isinstance(state, Parameter):
            sizes["moments" if id(state) in clones else "weights"] += _piece(avals[id(state)], sharding)
    for aval, sharding in zip(graph.jaxpr.in_avals[len(graph.states) :], arguments, strict=True):
        sizes["inputs"] += _piece(aval, sharding)
    return dict(sizes)


def _piece(aval: ShapeDtypeStruct, sharding: Any) -> int:
    if sharding is None:  # XLA does not need it
        return 0
    size = aval.dtype.itemsize
    for n in sharding.shard_shape(aval.shape):
        size *= n
    return size


def _by_dtype(jaxpr: object) -> dict[str, int]:
    """Return the flops of products on all devices together, by the dtype of their factors."""
    counts: Counter[str] = Counter()
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        counts[dtype] = count(jaxpr, functools.partial(_flops_in, jnp.dtype(dtype))).total()
    return {dtype: number for dtype, number in counts.items() if number}


def _flops_in(dtype: Any, eqn: Any) -> int:
    return product_flops(eqn) if eqn.invars and eqn.invars[0].aval.dtype == dtype else 0
