"""The search for the operation that made a NaN or Inf: a graph run one operation at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import signature
from sporax._src.base.jax_compat import evaluate, is_literal, jaxprs_in, scan_counts
from sporax._src.base.typing import Array
from sporax._src.transform.graph.provenance import Source, source_of
from sporax._src.transform.graph.text import is_call, is_helper

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

FINITE, INF, NAN = 0, 1, 2


def state_of(value: Any) -> int:
    """Return the state of a value: all finite, some Inf, or some NaN."""
    if isinstance(value, float):
        return NAN if math.isnan(value) else INF if math.isinf(value) else FINITE
    if not hasattr(value, "dtype") or not jnp.issubdtype(value.dtype, jnp.inexact):
        return FINITE
    array = np.asarray(value)
    if np.isfinite(array).all():
        return FINITE
    return NAN if np.isnan(array).any() else INF


def is_introduced(out: int, ins: Sequence[int]) -> bool:
    """Return whether an operation introduces the Inf or NaN: an Inf from finite operands, a NaN without a NaN operand."""
    worst = max(ins, default=FINITE)
    return out > worst and (out == NAN or worst == FINITE)


def problem(out: Array) -> str:
    """Describe the NaN or Inf of an array: `NaN in 2 of 6 elements of float32[2, 3]`."""
    array = np.asarray(out)
    bad, kind = np.isnan(array), "NaN"
    if not bad.any():
        bad = ~np.isfinite(array)
        kind = "-Inf" if not np.iscomplexobj(array) and bool((array[bad] < 0).all()) else "Inf"
    return f"{kind} in {int(bad.sum())} of {array.size} elements of {out.dtype}{list(out.shape)}"


def error(what: str, out: Array, source: Source, ins: Sequence[int]) -> FloatingPointError:
    """Return the error that names an operation.

    Args:
        what: The operation and its operands.
        out: Its result.
        source: Its source.
        ins: The states of its operands.
    """
    of = "the gradient of " if source.is_gradient else ""
    cause = {FINITE: "from finite operands", INF: "from an operand that holds Inf"}.get(max(ins, default=FINITE), "")
    when = "while a gradient is taken" if "jvp" in source.transforms and not source.is_gradient else ""
    parts = [f"{of}{what} made {problem(out)}", cause, when, source.cells and f"in the Cell {source.cells}"]
    return FloatingPointError(", ".join(filter(None, [*parts, source.line and f"at {source.line}"])) + ".")


def nan_input_error(what: str, source: Source) -> FloatingPointError:
    """Return the error for a NaN in an input."""
    where = f", in the Cell {source.cells}" * bool(source.cells) + f", at {source.line}" * bool(source.line)
    return FloatingPointError(f"{what} held NaN before any operation touched it{where}.")


class Value(NamedTuple):
    """A value of the graph, its state, and the error that names the operation where its NaN or Inf began."""

    data: Any
    state: int = FINITE
    origin: FloatingPointError | None = None


def search(jaxpr: ClosedJaxpr, values: Sequence[Any], names: Sequence[str]) -> tuple[bool, FloatingPointError | None]:
    """Run a graph one operation at a time.

    Args:
        jaxpr: The graph.
        values: Its inputs.
        names: The names of the inputs.

    Returns:
        Whether its results are finite, and the error that names the operation where the first non-finite result
        began. There is no error if an Inf is an input, such as a mask, and passes through.
    """
    inputs = [known(v) for v in values]
    inputs = [
        v._replace(origin=nan_input_error(n, Source())) if v.state == NAN else v
        for n, v in zip(names, inputs, strict=True)
    ]
    outs = _run(jaxpr.jaxpr, [known(c) for c in jaxpr.consts], inputs, Source(), False)
    return all(o.state == FINITE for o in outs), next((o.origin for o in outs if o.origin is not None), None)


def known(data: object) -> Value:
    """Return a value with its state."""
    return Value(data, state_of(data))


def _run(jaxpr: Jaxpr, consts: Sequence[Value], args: Sequence[Value], outer: Source, known_line: bool) -> list[Value]:
    values = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *args), strict=True))

    def read(atom: Any) -> Value:
        return known(atom.val) if is_literal(atom) else values[atom]

    for eqn in jaxpr.eqns:
        source = source_of(eqn, outer, known_line)
        values.update(zip(eqn.outvars, _apply(eqn, [read(v) for v in eqn.invars], source, known_line), strict=True))
    return [read(v) for v in jaxpr.outvars]


def _apply(eqn: JaxprEqn, ins: list[Value], source: Source, known_line: bool) -> list[Value]:
    name = eqn.primitive.name
    if name.startswith("debug"):  # a print: the run of the graph has printed it
        return []
    if is_call(eqn):
        return _inner(jaxprs_in(eqn)[0][1], ins, source, known_line or is_helper(eqn))
    if name == "cond":
        return _inner(eqn.params["branches"][int(ins[0].data)], ins[1:], source, known_line)
    if name == "while":
        return _while(eqn.params, ins, source, known_line)
    if name == "scan":
        return _scan(eqn.params, ins, source, known_line)
    outs = [known(out) for out in evaluate(eqn, [v.data for v in ins])]
    return [o._replace(origin=_origin(eqn, o, ins, source)) for o in outs]


def _inner(graph: Any, ins: Sequence[Value], source: Source, known_line: bool) -> list[Value]:
    return _run(
        getattr(graph, "jaxpr", graph), [known(c) for c in getattr(graph, "consts", ())], ins, source, known_line
    )


def _while(params: dict[str, Any], ins: list[Value], source: Source, known_line: bool) -> list[Value]:
    tests, bodies = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
    carry = ins[bodies:]
    while bool(_inner(params["cond_jaxpr"], [*ins[:tests], *carry], source, known_line)[0].data):
        carry = _inner(params["body_jaxpr"], [*ins[tests:bodies], *carry], source, known_line)
    return carry


def _scan(params: dict[str, Any], ins: list[Value], source: Source, known_line: bool) -> list[Value]:
    consts, carried = scan_counts(params)
    carry, rows = ins[consts : consts + carried], []
    for i in range(params["length"])[:: -1 if params["reverse"] else 1]:
        row = [v._replace(data=v.data[i]) for v in ins[consts + carried :]]
        outs = _inner(params["jaxpr"], [*ins[:consts], *carry, *row], source, known_line)
        carry = outs[:carried]
        rows.append(outs[carried:])
    columns = zip(*(rows[::-1] if params["reverse"] else rows), strict=True)
    return [*carry, *[_stacked(column) for column in columns]]


def _stacked(column: Sequence[Value]) -> Value:
    data = jnp.stack([v.data for v in column])
    return Value(data, max(v.state for v in column), next((v.origin for v in column if v.origin is not None), None))


def _origin(eqn: JaxprEqn, out: Value, ins: Sequence[Value], source: Source) -> FloatingPointError | None:
    if out.state == FINITE:
        return None
    inherited = next((v.origin for v in ins if v.origin is not None and v.state != FINITE), None)
    if inherited is not None:
        return inherited
    states = [v.state for v in ins]
    if not is_introduced(out.state, states):
        return None
    what = signature(eqn.primitive.name, [jax.typeof(v.data) for v in ins], {})
    return error(f"{source.op}: {what}" if source.op else what, out.data, source, states)
