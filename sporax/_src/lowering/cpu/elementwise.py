"""Chains of elementwise operations, by a kernel in C++ that interprets them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.elementwise import OPERATORS, Program, elementwise, results
from sporax._src.lowering.lowering import Lowering

_CODES = {name: code for code, name in enumerate(OPERATORS)}


def _has_kernel(*arrays: Any, **params: object) -> bool:
    return kernels.ARE_BUILT and all(x.dtype == "float32" for x in arrays)


def _by_kernel(*arrays: Array, program: Program, reused: tuple[tuple[int, int], ...]) -> Sequence[Array]:
    # A step is its operation and three operands, of which it reads as many as it needs.
    steps = [(_CODES[name], *operands, *operands[:1] * (3 - len(operands))) for name, operands in program.steps]
    shapes = [x.shape for x in results(*arrays, program=program, reused=reused)]
    return kernels.elementwise(
        arrays, shapes, dict(reused), program.inputs, program.constants, sum(steps, ()), program.outputs
    )


LOWERINGS = [Lowering(elementwise.primitive, _has_kernel, _by_kernel, is_opaque=True)]
