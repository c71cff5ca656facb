"""Captured graphs as text: one operation per line, with its operands, results and source."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sporax._src.base.jax_compat import CALLS, is_literal, jaxprs_in
from sporax._src.transform.graph.provenance import Source, source_of

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn, Literal, Var

_LONGEST = 40  # the longest text of an attribute of an operation
_COLUMN = 100  # the column of the sources
_CALLS = (*CALLS, "checkpoint", "remat", "remat2")


def text_of(aval: Any) -> str:
    """Return dtype and shape, `float32[2, 3]`."""
    return f"{aval.dtype}{list(aval.shape)}" if hasattr(aval, "shape") else str(aval)


def operations(jaxpr: Jaxpr, outer: Source = Source(), known_line: bool = False) -> Iterator[tuple[Any, Source, int]]:  # noqa: B008
    """Yield `(operation, source, depth)` of a graph and of the graphs in it, in their order in the text."""
    for eqn in jaxpr.eqns:
        source = source_of(eqn, outer, known_line)
        yield eqn, source, 0
        for _, inner in graphs_in(eqn):
            inside = operations(getattr(inner, "jaxpr", inner), source, known_line or is_helper(eqn))
            yield from ((e, p, depth + 1) for e, p, depth in inside)


def graphs_in(eqn: JaxprEqn) -> list[tuple[str, Any]]:
    """Return the graphs in an operation, except the formulas by which scatters and reductions combine two elements."""
    return [] if eqn.primitive.name.startswith(("scatter", "reduce", "select_and")) else jaxprs_in(eqn)


def is_call(eqn: JaxprEqn) -> bool:
    """Return whether an operation only runs the graph in it."""
    return eqn.primitive.name in _CALLS


def is_helper(eqn: JaxprEqn) -> bool:
    """Return whether an operation calls a graph that JAX traced once for all its callers."""
    return eqn.primitive.name in ("jit", "pjit")


class Listing:
    """The operations of a graph as lines.

    Args:
        jaxpr: The graph.
        labels: The names of its inputs; results are numbered.
        keep: Selects the operations to show by their source; the others are numbered as well.
    """

    def __init__(
        self, jaxpr: Jaxpr, labels: dict[Any, str], keep: Callable[[Source], bool] = lambda source: True
    ) -> None:
        self.lines: list[str] = []
        self._names = dict(labels)
        self._keep = keep
        self._numbers = itertools.count()
        self._block(jaxpr, Source(), False, 0)

    def _name(self, atom: Var | Literal) -> str:
        return f"{atom.val if is_literal(atom) else self._names[atom]}: {text_of(atom.aval)}"

    def _define(self, variables: Sequence[Any]) -> str:
        self._names.update({v: f"%{next(self._numbers)}" for v in variables})
        return ", ".join(map(self._name, variables))

    def _block(self, jaxpr: Jaxpr, outer: Source, known_line: bool, depth: int) -> None:
        for eqn in jaxpr.eqns:
            source = source_of(eqn, outer, known_line)
            arguments = ", ".join(map(self._name, eqn.invars))
            results = self._define(eqn.outvars) or "()"
            if self._keep(source):
                self._line(depth, f"{results} = {eqn.primitive.name}({arguments}){_attributes(eqn)}", source)
            for i, (label, inner) in enumerate(graphs_in(eqn)):
                label = f"{label}[{i}]" if eqn.primitive.name == "cond" else label
                self._inner(eqn, label, getattr(inner, "jaxpr", inner), source, known_line, depth + 1)
        if not depth or self._keep(outer):
            self._line(depth, f"return {', '.join(map(self._name, jaxpr.outvars))}")

    def _inner(self, eqn: JaxprEqn, label: str, jaxpr: Jaxpr, source: Source, known_line: bool, depth: int) -> None:
        """Write a graph within an operation; the inputs of a call have the names of its operands."""
        self._define(jaxpr.constvars)
        if eqn.primitive.name == "cond" or is_call(eqn):
            passed = zip(reversed(jaxpr.invars), reversed(eqn.invars), strict=False)  # `cond` takes the index first
            self._names.update({v: str(a.val) if is_literal(a) else self._names[a] for v, a in passed})
        else:
            label = f"{label.removesuffix('_jaxpr')}({self._define(jaxpr.invars)})"
        if self._keep(source) and not is_helper(eqn):
            self._line(depth, f"{label}:")
        self._block(jaxpr, source, known_line or is_helper(eqn), depth + 1)

    def _line(self, depth: int, text: str, source: Source = Source()) -> None:  # noqa: B008 (it is immutable)
        text = "  " * depth + text
        self.lines.append(f"{text:<{_COLUMN}}  # {source}".rstrip(" #"))


def _attributes(eqn: JaxprEqn) -> str:
    hidden = {name for name, _ in jaxprs_in(eqn)} if not is_call(eqn) else set(eqn.params) - {"name"}
    shown = []
    for key, value in eqn.params.items():
        if (
            key in hidden
            or value is None
            or value is False
            or callable(value)
            or (isinstance(value, tuple) and not value)
        ):
            continue
        text = str(value).replace("\n", " ")
        if len(text) <= _LONGEST and "<" not in text:
            shown.append(f"{key}={text}")
    return f" {{{', '.join(shown)}}}" if shown else ""


def drawing(jaxpr: Jaxpr, labels: dict[Any, str], title: str) -> str:
    """Return the outermost operations of a graph as a drawing for Graphviz (`dot -Tsvg`)."""
    nodes: dict[Any, int] = {}
    lines = [f"digraph {quoted(title)} {{", "  node [shape=box];"]
    for i, (var, label) in enumerate(labels.items()):
        nodes[var] = i
        lines.append(f"  {i} [label={quoted(label)}, shape=ellipse];")
    for i, eqn in enumerate(jaxpr.eqns, start=len(labels)):
        source = source_of(eqn)
        lines.append(f"  {i} [label={quoted(eqn.primitive.name)}, tooltip={quoted(str(source))}];")
        lines += [
            f"  {nodes[v]} -> {i} [label={quoted(text_of(v.aval))}];" for v in arguments(eqn.invars) if v in nodes
        ]
        nodes.update(dict.fromkeys(eqn.outvars, i))
    results = [f"  {nodes[v]} -> result;" for v in dict.fromkeys(arguments(jaxpr.outvars)) if v in nodes]
    return "\n".join([*lines, *results, "}"]) + "\n"


def arguments(atoms: Sequence[Any]) -> list[Any]:
    """Return the operands that are not constants."""
    return [a for a in atoms if not is_literal(a)]


def quoted(text: str) -> str:
    """Return text as a quoted string of Graphviz."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
