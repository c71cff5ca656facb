"""The loops over time of recurrent layers and their gradients, by kernels in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.lowering import Lowering
from sporax._src.lowering.recurrence import KINDS, gradient, loop


def _has_kernel(*arrays: Any, **params: object) -> bool:
    return kernels.ARE_BUILT and all(
        x.dtype == ("int32" if x.ndim == 1 and x.dtype.kind == "i" else "float32") for x in arrays
    )


def _loop(*arrays: Array, kind: str, reverse: bool, saves: bool) -> Sequence[Array]:
    saved = KINDS[kind].saved if saves else 0
    return kernels.recurrent(*arrays, kind=list(KINDS).index(kind), reverse=reverse, saved=saved)


def _gradient(*arrays: Array, kind: str, reverse: bool) -> Sequence[Array]:
    return kernels.recurrent_gradient(*arrays, kind=list(KINDS).index(kind), reverse=reverse)


LOWERINGS = [
    Lowering(loop.primitive, _has_kernel, _loop, is_opaque=True),
    Lowering(gradient.primitive, _has_kernel, _gradient, is_opaque=True),
]
