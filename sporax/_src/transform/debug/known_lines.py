"""The program's current lines of the operators of graphs; a graph from the compile cache may carry older lines.

XLA's programs carry the lines of their compilation, but the key of JAX's cache does not contain lines. If the file has changed
since, or another file contains the same program, the cached one has outdated lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sporax._src.transform.graph.provenance import Source, source_of
from sporax._src.transform.graph.text import graphs_in, is_helper

_Key = tuple[str, str, bool]


class KnownLines:
    """The lines of the operators of graphs that were captured in this process.

    Args:
        graphs: The graphs.
    """

    def __init__(self, graphs: Iterable[Any]) -> None:
        self._lines: dict[_Key, set[str]] = {}
        for graph in graphs:
            self._add(graph.jaxpr, Source(line=graph.line), False)

    def _add(self, jaxpr: Any, outer: Source, known_line: bool) -> None:
        for eqn in getattr(jaxpr, "jaxpr", jaxpr).eqns:
            source = source_of(eqn, outer, known_line)
            self._lines.setdefault(_key(source), set()).add(source.line)
            for _, inner in graphs_in(eqn):
                self._add(inner, source, known_line or is_helper(eqn))

    def checked(self, sources: Mapping[str, Source]) -> dict[str, Source]:
        """Return the sources of one program's operations, by name, with their current lines.

        If all lines are current, they stay. Otherwise an operator that is called at only one line gets this line, and the
        others get none.
        """
        if all(source.line in self._lines.get(_key(source), ()) for source in sources.values() if source.line):
            return dict(sources)
        return {name: source._replace(line=self._only(source)) for name, source in sources.items()}

    def _only(self, source: Source) -> str:
        lines = self._lines.get(_key(source), set())
        return next(iter(lines)) if len(lines) == 1 else ""


def _key(source: Source) -> _Key:
    return source.cells, source.op if "." in source.op else "", source.is_gradient
