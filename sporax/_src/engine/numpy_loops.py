"""Loops and branches as NumPy operations, for `numpy_programs`: their bodies are programs themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sporax._src.base.jax_compat import scan_counts
from sporax._src.engine.numpy_equations import Equation, Step

Body = Callable[[Sequence[np.ndarray]], list[np.ndarray]]


def branches(eqn: Equation, program: Callable[[Any], Body]) -> Step:
    """Return the step of `cond`, which runs one of several bodies."""
    bodies = [program(branch) for branch in eqn.params["branches"]]

    def run(which: np.ndarray, *operands: np.ndarray) -> list[np.ndarray]:
        return bodies[min(max(int(which), 0), len(bodies) - 1)](operands)

    return run


def repeated(eqn: Equation, program: Callable[[Any], Body]) -> Step:
    """Return the step of `while`, which repeats a body as long as a condition holds."""
    params = eqn.params
    condition, body = program(params["cond_jaxpr"]), program(params["body_jaxpr"])
    first, second = params["cond_nconsts"], params["body_nconsts"]

    def run(*operands: np.ndarray) -> list[np.ndarray]:
        of_condition, of_body = operands[:first], operands[first : first + second]
        state = list(operands[first + second :])
        while condition([*of_condition, *state])[0]:
            state = body([*of_body, *state])
        return state

    return run


def along_axis(eqn: Equation, program: Callable[[Any], Body]) -> Step:
    """Return the step of `scan`, which runs a body for each position of the first axis, and stacks what it returns."""
    params, body = eqn.params, program(eqn.params["jaxpr"])
    consts, carried = scan_counts(params)
    outs = [v.aval for v in eqn.outvars[carried:]]
    positions = range(params["length"])[:: -1 if params["reverse"] else 1]

    def run(*operands: np.ndarray) -> list[np.ndarray]:
        fixed, state, arrays = operands[:consts], operands[consts : consts + carried], operands[consts + carried :]
        stacked = [np.empty(out.shape, out.dtype) for out in outs]
        for i in positions:
            results = body([*fixed, *state, *(a[i] for a in arrays)])
            state = results[:carried]
            for array, value in zip(stacked, results[carried:], strict=True):
                array[i] = value
        return [*state, *stacked]

    return run


FACTORIES: dict[str, Callable[[Any, Callable[[Any], Body]], Step]] = {
    "cond": branches,
    "scan": along_axis,
    "while": repeated,
}
