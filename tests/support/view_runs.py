"""The cases of `view_law` here, in both modes, of Tensors with gradients and of Parameters, beside PyTorch's answers.

As in MindSpore, no gradient passes through a write into a Parameter (`tests/core/test_derivative.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from view_answers import OVERLAP, load
from view_law import Case, cases, coefficients, program, start

import sporax as ms
from sporax import Parameter, Tensor, ops

KINDS = ("Tensor", "Parameter")
MODES = ("pynative", "graph")
REFUSAL = "several elements are one element of memory"
NO_VIEW = "must have at least 2 axes"  # the adjoint of a number, which MindSpore refuses as well


def verdicts(every: int = 1, offset: int = 0) -> Iterator[tuple[str, str, str]]:
    """Yield for each combination what it is, whether it agrees ("same", "refused" or "different"), and what was got."""
    known = load()
    chosen = [c for c in dict.fromkeys(cases()) if str(c) in known][offset::every]
    for case, kind, mode in itertools.product(chosen, KINDS, MODES):
        for part in ("values", "gradients"):
            want = known[str(case)]
            if part == "gradients" and (kind == "Parameter" or (not isinstance(want, str) and len(want) < 2)):
                continue
            try:
                got: Any = _values(case, kind, mode) if part == "values" else _gradients(case, mode)
            except Exception as error:
                got = f"{type(error).__name__}: {error}"
            yield (f"{case} {kind} {mode} {part}", *_compared(want, got, part))


def _compared(want: Any, got: Any, part: str) -> tuple[str, str]:
    if isinstance(want, str):
        assert OVERLAP in want
        return ("refused", "") if isinstance(got, str) and REFUSAL in got else ("different", f"{got}, PyTorch: {want}")
    if isinstance(got, str):
        return ("refused", "") if NO_VIEW in got else ("different", got)
    wanted = [want[0]] if part == "values" else list(want[1:])
    flat, right = np.concatenate([np.ravel(g) for g in got]), np.concatenate(wanted)
    if flat.shape == right.shape and np.allclose(flat, right, rtol=2e-4, atol=2e-4, equal_nan=True):
        return "same", ""
    return "different", f"{flat.round(3).tolist()}, PyTorch: {right.round(3).tolist()}"


def _program(case: Case) -> Any:
    return program(case, 1, {"ops": ops, "F": ms.mint.nn.functional})


def _values(case: Case, kind: str, mode: str) -> list[np.ndarray]:
    run, w = _program(case), Tensor(2.5, ms.float32)
    if kind == "Tensor":
        return [v.asnumpy() for v in (ms.jit(run) if mode == "graph" else run)(Tensor(start()), w)]
    base = Parameter(Tensor(start()), name="base")

    def of_parameter(w: Any) -> Any:
        return run(base, w)[1:]

    values = [v.asnumpy() for v in (ms.jit(of_parameter) if mode == "graph" else of_parameter)(w)]
    return [base.asnumpy(), *values]


def _gradients(case: Case, mode: str) -> list[np.ndarray]:
    run, w = _program(case), Tensor(2.5, ms.float32)

    def loss(values: Any) -> Any:
        total = 0.0
        for i, v in enumerate(values):
            total = total + (v * Tensor(coefficients(v.shape, i))).sum()
        return total

    gradient: Any = ms.grad(lambda x, w: loss(run(x * 1, w)), (0, 1))
    return [g.asnumpy() for g in (ms.jit(gradient) if mode == "graph" else gradient)(Tensor(start()), w)]
