"""`DistributedGradReducer`: the gradients of all processes put together."""

from __future__ import annotations

from typing import Any

from sporax._src.base.config import GRAPH_MODE, mode
from sporax._src.base.errors import describe
from sporax._src.base.parallel_settings import ParallelMode, get_auto_parallel_context
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.dist.group import HCCL_WORLD_COMM_GROUP, get_group_size
from sporax._src.dist.primitives import CLASSES, all_reduce_together
from sporax._src.nn.cell.cell import Cell

__all__ = ["DistributedGradReducer"]

_ONE_PROGRAM = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


class DistributedGradReducer(Cell):
    """The gradients of all processes put together: ḡᵢ = Σₚ gᵢₚ, or its mean over the processes p.

    They are summed in float32, in one exchange, and returned in the dtypes they came in. In a run of one process they are
    returned as they are.

    Args:
        parameters: The Parameters; the gradients of those with `layerwise_parallel` stay as they are.
        mean: Whether gradients are averaged rather than summed; the setting `gradients_mean` if None.
        degree: What a mean divides by; the number of processes if None.
        fusion_type: Accepted for MindSpore programs.
        group: The group of processes.

    Raises:
        ValueError: If `degree` is not a positive int.
        RuntimeError: In graph mode, if the parallel mode is semi-automatic or automatic.

    Examples:
        >>> import sporax as ms
        >>> reduce = ms.nn.DistributedGradReducer([ms.Parameter(ms.Tensor([1.0]), name="w")])
        >>> reduce((ms.Tensor([2.0]),))[0].item()
        2.0
    """

    def __init__(
        self,
        parameters: Any,
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = HCCL_WORLD_COMM_GROUP,
    ) -> None:
        super().__init__(auto_prefix=False)
        if mode() == GRAPH_MODE and (parallel := get_auto_parallel_context("parallel_mode")) in _ONE_PROGRAM:
            raise RuntimeError(
                f"DistributedGradReducer: in {parallel} the gradients of a graph are those of all already."
            )
        if degree is not None and (isinstance(degree, bool) or not isinstance(degree, int) or degree < 1):
            raise ValueError(f"DistributedGradReducer: degree must be an int > 0, got {describe(degree)}.")
        self.mean = get_auto_parallel_context("gradients_mean") if mean is None else mean
        self.degree = degree or get_group_size(group)
        self.group = group
        self.allreduce = CLASSES["AllReduce"]("sum", group)
        self.allreduce_filter = tuple([not getattr(p, "layerwise_parallel", False) for p in parameters])

    def construct(self, grads: Any) -> Any:
        if get_group_size(self.group) == 1:
            return grads
        if isinstance(grads, Tensor):
            return self.construct((grads,))[0]
        shared = [i for i, reduced in enumerate(self.allreduce_filter[: len(grads)]) if reduced]
        sums = all_reduce_together([grads[i].astype(mstype.float32) for i in shared], self.group)
        out = list(grads)
        for i, total in zip(shared, sums, strict=True):
            out[i] = (total * (1.0 / self.degree) if self.mean else total).astype(grads[i].dtype)
        return tuple(out)


def reducer_of(parameters: Any) -> Any:
    """Return what puts the gradients of a training step together in the parallel mode that is set; None if nothing does."""
    return (
        DistributedGradReducer(parameters)
        if get_auto_parallel_context("parallel_mode") in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL)
        else None
    )
