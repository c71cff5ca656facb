"""Operators of `mindspore.ops.operations.nn_ops` that graphs hold and nothing here runs.

mindformers and mindnlp import GetNext, a repository of the census InstanceNorm. MindSpore's own tests use AllFinite.
"""

from __future__ import annotations

from typing import Any

from sporax._src.compat.no_kernel import DescribedOperator, without_kernel


class GetNext(DescribedOperator):
    """The next row of a queue of data.

    Args:
        types, shapes: The dtypes and shapes of the columns.
        output_num: How many there are.
        shared_name: The name of the queue.
    """

    def __init__(self, types: Any, shapes: Any, output_num: int, shared_name: str) -> None:
        super().__init__()
        self._types, self._shapes = tuple(types), [tuple(shape) for shape in shapes]

    def infer_shape(self) -> Any:
        return self._shapes

    def infer_dtype(self) -> Any:
        return self._types


AllFinite = without_kernel("AllFinite")
InstanceNorm = without_kernel("InstanceNorm", "epsilon=1e-5, momentum=0.1")
