"""`DistributedGradReducer`: reduces gradients over all processes; initial values are broadcast from the first one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sporax._src.base.config import GRAPH_MODE, mode
from sporax._src.base.errors import describe, user_line
from sporax._src.base.settings.gradient_fusion import buckets
from sporax._src.core import dtype as mstype
from sporax._src.core.execution import committing
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.dist.group import HCCL_WORLD_COMM_GROUP, get_group_size, ranks_of
from sporax._src.dist.primitives import CLASSES, all_reduce_together
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes.collective_check import Exchange, agree
from sporax._src.processes.multiprocess import values_of_rank_0
from sporax._src.processes.parallel_context import ParallelMode, get_auto_parallel_context
from sporax._src.processes.world import is_joined

__all__ = ["DistributedGradReducer"]

_ONE_PROGRAM = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


class DistributedGradReducer(Cell):
    """Reduces gradients over all processes: ḡᵢ = Σₚ gᵢₚ, or its mean over the processes p.

    They are summed in float32 and returned in their own dtypes. They are reduced in buckets: of 64 MB, or as the
    settings `all_reduce_fusion_config` and `comm_fusion` and the Parameters' own `comm_fusion` define. In a run of one process
    they are returned unchanged.

    Args:
        parameters: The Parameters; the gradients of those with `layerwise_parallel` stay unchanged.
        mean: Whether gradients are averaged rather than summed; the setting `gradients_mean` if None.
        degree: The divisor of a mean; the number of processes if None.
        fusion_type: If it is not 1, `all_reduce_fusion_config` is ignored.
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
                f"DistributedGradReducer: in {parallel} the gradients of a graph are already those of all processes."
            )
        if degree is not None and (isinstance(degree, bool) or not isinstance(degree, int) or degree < 1):
            raise ValueError(f"DistributedGradReducer: degree must be an int > 0, got {describe(degree)}.")
        self.mean = get_auto_parallel_context("gradients_mean") if mean is None else mean
        self.degree = degree or get_group_size(group)
        self.group = group
        self.allreduce = CLASSES["AllReduce"]("sum", group)
        parameters = list(parameters)
        self.allreduce_filter = tuple([not getattr(p, "layerwise_parallel", False) for p in parameters])
        self._marks = tuple([getattr(p, "comm_fusion", 1) for p in parameters])
        self._split_indices = get_auto_parallel_context("all_reduce_fusion_config") if fusion_type == 1 else []
        self._fusion = get_auto_parallel_context("comm_fusion")

    def construct(self, grads: Any) -> Any:
        if get_group_size(self.group) == 1:
            return grads
        if isinstance(grads, Tensor):
            return self.construct((grads,))[0]
        shared = [i for i, reduced in enumerate(self.allreduce_filter[: len(grads)]) if reduced]
        together = buckets(
            [4 * grads[i].size for i in shared], [self._marks[i] for i in shared], self._split_indices, self._fusion
        )
        sums = all_reduce_together([grads[i].astype(mstype.float32) for i in shared], together, self.group)
        out = list(grads)
        for i, total in zip(shared, sums, strict=True):
            out[i] = (total * (1.0 / self.degree) if self.mean else total).astype(grads[i].dtype)
        return tuple(out)


def reducer_of(parameters: object) -> Any:
    """Return the reducer of gradients for the current parallel mode; None if it needs none."""
    return DistributedGradReducer(parameters) if _is_replicated() else None


def _is_replicated() -> bool:
    modes = (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL)
    return get_auto_parallel_context("parallel_mode") in modes


def take_over_first_values(parameters: Sequence[Parameter]) -> None:
    """Broadcast the values of Parameters from the first process if the setting `parameter_broadcast` is on.

    Parameters with `layerwise_parallel` keep their own values.
    """
    if not get_auto_parallel_context("parameter_broadcast") or not _is_replicated() or not is_joined():
        return
    ranks = tuple(ranks_of("parameter_broadcast", HCCL_WORLD_COMM_GROUP))
    shared = [p for p in parameters if not p.layerwise_parallel]
    line = user_line()
    agree([Exchange(f"the broadcast of {p.name} ({describe(p.concrete())})", ranks, line) for p in shared])
    with committing:
        for parameter, value in zip(shared, values_of_rank_0([p.concrete() for p in shared]), strict=True):
            parameter.commit(value)
