"""Normalization over the batch and its gradient, by kernels in C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sporax._src.base.typing import Array
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.lowering import Lowering
from sporax._src.lowering.normalization import factors, gradient, gradient_factors, operation


def _are_single(*arrays: Any, **params: object) -> bool:
    return kernels.ARE_BUILT and all(x.dtype == "float32" and x.size > 0 for x in arrays)


def _has_kernel(*arrays: Any, axes: Sequence[int], **params: object) -> bool:
    return _are_single(*arrays) and kernels.are_all_but_second(axes)


def _batch_norm(*arrays: Array, axes: Sequence[int], eps: float, momentum: float) -> Sequence[Array]:
    return kernels.batch_norm(*arrays, eps=eps, momentum=momentum)


def _gradient(*arrays: Array, axes: Sequence[int], eps: float) -> Sequence[Array]:
    return kernels.batch_norm_gradient(*arrays, eps=eps)


LOWERINGS = [
    Lowering(operation.primitive, _has_kernel, _batch_norm, is_opaque=True),
    Lowering(gradient.primitive, _has_kernel, _gradient, is_opaque=True),
    Lowering(factors.primitive, _are_single, kernels.batch_norm_factors, is_opaque=True),
    Lowering(gradient_factors.primitive, _are_single, kernels.batch_norm_gradient_factors, is_opaque=True),
]
