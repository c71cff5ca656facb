"""The plan of a step on a card that is not here: kernels and memory of its compiled graph, for `sporax plan --kernels`."""

from __future__ import annotations

import time
from typing import Any

from sporax._src.base.config import compiler_options
from sporax._src.processes.cards import compiled_for
from sporax._src.transform.parallel.hlo import Program


def kernels_of(graph: Any, card: str) -> dict[str, Any]:
    """Return the kernels and the memory of a graph, compiled for a card.

    Args:
        graph: The captured graph.
        card: A name of `CARDS`.
    """
    start = time.perf_counter()
    avals = graph.jaxpr.in_avals
    by_id = {id(s): a for s, a in zip(graph.states, avals, strict=False)}
    donated, retained = ([by_id[id(s)] for s in states] for states in (graph.donated, graph.retained))
    compiled = compiled_for(
        card, graph.run, donated, retained, avals[len(graph.states) :], graph.lifted[1], donate=graph.donate,
        options=compiler_options(convolves=False),
    )  # fmt: skip
    return {"graph": graph.name, **needs_on_card(compiled), "seconds": time.perf_counter() - start}


def needs_on_card(compiled: Any) -> dict[str, Any]:
    """Return the kernels and the bytes of memory of what was compiled for a card."""
    memory = compiled.memory_analysis()
    results = memory.output_size_in_bytes - memory.alias_size_in_bytes
    return {
        "kernels": Program(compiled.as_text(), 1).kernels()._asdict(),
        "memory": {
            "arguments": memory.argument_size_in_bytes,
            "results": results,
            "temporary": memory.temp_size_in_bytes,
            "total": memory.argument_size_in_bytes + results + memory.temp_size_in_bytes,
        },
    }
