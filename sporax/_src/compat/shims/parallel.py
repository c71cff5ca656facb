"""What programs ask of `mindspore.parallel._utils` and its neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sporax import Layout
from sporax._src.base.errors import warn_user
from sporax._src.base.settings import strategy_search
from sporax._src.processes.parallel_context import was_set
from sporax.context import (
    ParallelMode,
    get_auto_parallel_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)


def _get_parallel_mode() -> str:
    """Return the mode of parallel training."""
    return get_auto_parallel_context("parallel_mode")


def _get_device_num() -> int:
    """Return the number of devices that train together."""
    return get_auto_parallel_context("device_num")


def _get_global_rank() -> int:
    """Return the number of this process."""
    return get_auto_parallel_context("global_rank")


def _get_gradients_mean() -> bool:
    """Return whether gradients are averaged rather than summed."""
    return get_auto_parallel_context("gradients_mean")


def _get_parameter_broadcast() -> bool:
    """Return whether the first process's Parameters are sent to all."""
    return get_auto_parallel_context("parameter_broadcast")


def _get_pipeline_stages() -> int:
    """Return the number of stages of a pipeline."""
    return get_auto_parallel_context("pipeline_stages")


def _get_full_batch() -> bool:
    """Return whether every process reads the whole batch."""
    return get_auto_parallel_context("full_batch")


def _get_enable_parallel_optimizer() -> bool:
    """Return whether the state of the optimizer is shared out."""
    return get_auto_parallel_context("enable_parallel_optimizer")


def _is_sharding_propagation() -> bool:
    """Return whether strategies spread from the operators that have one."""
    modes = [get_auto_parallel_context(name) for name in ("auto_parallel_search_mode", "search_mode")]
    return "sharding_propagation" in modes


def _is_in_auto_parallel_mode() -> bool:
    """Return whether the mode is semi-automatic or automatic."""
    return _get_parallel_mode() in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _is_in_data_parallel_mode() -> bool:
    """Return whether the mode is data parallel."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _is_in_hybrid_parallel_mode() -> bool:
    """Return whether the mode is hybrid parallel."""
    return _get_parallel_mode() == ParallelMode.HYBRID_PARALLEL


def _get_stage_device_num() -> int:
    """Return the number of devices of each stage of a pipeline."""
    return _get_device_num() // _get_pipeline_stages()


def _init_auto_parallel_context(net: Any) -> None:
    """Do nothing: an `AutoParallel` runs under its settings by itself."""


def _clear_auto_parallel_context(net: Any) -> None:
    """Do nothing: the settings of an `AutoParallel` end with its run."""


def _reset_op_id_with_offset() -> None:
    """Do nothing: operators have no numbers."""


def _check_full_batch() -> None:
    """Raise RuntimeError if every process reads the whole batch in a mode that does not cut it."""
    if _get_full_batch() and not _is_in_auto_parallel_mode():
        raise RuntimeError("full_batch could only be used under semi_auto_parallel or auto_parallel.")


def _parameter_broadcast_check(parallel_mode: str, parameter_broadcast: bool) -> None:
    """Raise ValueError if Parameters are sent to all in a mode that does not do so."""
    modes = (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL)
    if parameter_broadcast is True and parallel_mode not in modes:
        raise ValueError(f"parameter_broadcast is for {' and '.join(modes)}, got the parallel mode {parallel_mode}.")


def _parallel_predict_check() -> None:
    """Warn if each process predicts from a batch of its own in a mode that cuts whole batches."""
    cut = get_auto_parallel_context("dataset_strategy") not in ("", (), "data_parallel", "full_batch")
    if _is_in_auto_parallel_mode() and not _get_full_batch() and not cut:
        warn_user("Using non full-batch dataset in model prediction may lead to incorrect data.")


# --- shapes of batches ----------------------------------------------------------------------------------------------------


def _need_to_full() -> bool:
    """Return whether a process reads a part of a batch that operators are cut for as a whole."""
    if not _is_in_auto_parallel_mode():
        return False
    return bool(_dataset_strategy()) or not _get_full_batch()


def _dataset_strategy() -> Any:
    strategy = get_auto_parallel_context("dataset_strategy")
    return None if strategy in ("data_parallel", "full_batch") else strategy


def _parts(shapes: Sequence[Sequence[int]], device_num: int) -> Any:
    """Return into how many parts each axis of each shape is cut."""
    strategy = _dataset_strategy()
    if not strategy:
        return [[device_num, *(1 for _ in shape[1:])][: len(shape)] for shape in shapes]
    cuts = [_layout_parts(cut) if isinstance(cut, Layout) else cut for cut in strategy]
    if [len(shape) for shape in shapes] != [len(cut) for cut in cuts]:
        raise ValueError(f"dataset_strategy {strategy} must cut as many axes as the inputs have, got shapes {shapes}.")
    return cuts


def _layout_parts(layout: Layout) -> list[int]:
    told = layout.to_dict()
    devices = told["device_matrix"][::-1]
    axes = [axis if isinstance(axis, tuple) else (axis,) for axis in told["tensor_map"]]
    return [math.prod(devices[number] for number in axis if number != -1) for axis in axes]


def _to_full_shapes(shapes: Sequence[Sequence[int]], device_num: int) -> list[list[int]]:
    """Return the shapes of whole batches from those of the parts that a process reads; sizes that are open stay.

    Raises:
        ValueError: If `dataset_strategy` does not fit the shapes.
    """
    cuts = _parts(shapes, device_num)
    return [[n * c if n > 0 else n for n, c in zip(s, cut, strict=True)] for s, cut in zip(shapes, cuts, strict=True)]


def _origin_shapes(shapes: Sequence[Sequence[int]]) -> Any:
    """Return the shapes of the parts that a process reads from those of whole batches; sizes that are open stay.

    Raises:
        ValueError: If `dataset_strategy` does not fit the shapes.
    """
    if not _need_to_full():
        return shapes
    cuts = _parts(shapes, _get_stage_device_num())
    return [[n // c if n > 0 else n for n, c in zip(s, cut, strict=True)] for s, cut in zip(shapes, cuts, strict=True)]


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Raise ValueError if a run of one mode has several devices."""
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(f"If parallel_mode is {parallel_mode}, device_number must be 1, got {device_number}.")


class _AutoParallelContext:
    """The settings of parallel training as getters and setters: `get_parallel_mode()`, `set_device_num(2)`, ..."""

    def get_enable_all_gather_fusion(self) -> bool:
        """Return whether `comm_fusion` is on."""
        return get_auto_parallel_context("comm_fusion")["openstate"]

    get_enable_reduce_scatter_fusion = get_enable_all_gather_fusion

    def allgather_fusion_threshold_mb(self) -> int:
        """Return the size at which gathers are joined, 64 if `comm_fusion` says none."""
        return get_auto_parallel_context("comm_fusion")["allgather"]["config"] or 64

    def reducescatter_fusion_threshold_mb(self) -> int:
        """Return the size at which sums of which each device gets its part are joined, 64 if `comm_fusion` says none."""
        return get_auto_parallel_context("comm_fusion")["reducescatter"]["config"] or 64

    def set_enable_all_reduce_fusion(self, enable_all_reduce_fusion: bool) -> None:
        """Accept whether sums over devices are joined, which XLA decides.

        Raises:
            TypeError: If it is no bool.
        """
        if not isinstance(enable_all_reduce_fusion, bool):
            raise TypeError(f"set_enable_all_reduce_fusion: must be a bool, got {enable_all_reduce_fusion!r}.")
        self._enable_all_reduce_fusion = enable_all_reduce_fusion

    def get_enable_all_reduce_fusion(self) -> bool:
        """Return what was set last, at first True."""
        return self.__dict__.get("_enable_all_reduce_fusion", True) and self.get_enable_all_gather_fusion()

    def get_device_num_is_set(self) -> bool:
        """Return whether a number of devices was set."""
        return was_set("device_num")

    def get_parameter_broadcast_is_set(self) -> bool:
        """Return whether `parameter_broadcast` was set."""
        return was_set("parameter_broadcast")

    def get_pipeline_interleave(self) -> bool:
        """Return whether a stage has several parts of the network."""
        return get_auto_parallel_context("pipeline_config").get("pipeline_interleave", False)

    def get_pipeline_scheduler(self) -> str:
        """Return the order in which micro batches run."""
        return get_auto_parallel_context("pipeline_config").get("pipeline_scheduler", "1f1b")

    def get_all_reduce_fusion_split_indices(self) -> list[int]:
        """Return where sums over devices are taken apart, as `all_reduce_fusion_config` says."""
        return get_auto_parallel_context("all_reduce_fusion_config")

    def reset(self) -> None:
        """Set all options back to their defaults."""
        vars(self).clear()
        reset_auto_parallel_context()

    def __getattr__(self, name: str) -> Any:
        action, _, option = name.partition("_")
        try:
            value = get_auto_parallel_context(option)
        except ValueError:
            raise AttributeError(f"auto_parallel_context() has no attribute {name!r}") from None
        if action == "get":
            return lambda: value
        if action == "set":
            return lambda given: set_auto_parallel_context(**{option: given})
        raise AttributeError(f"auto_parallel_context() has no attribute {name!r}")


_context = _AutoParallelContext()


def auto_parallel_context() -> _AutoParallelContext:
    """Return the settings of parallel training."""
    return _context


# --- options of MindSpore's search for strategies -------------------------------------------------------------------------


def _set_multi_subgraphs(multi_subgraph: bool = True) -> None:
    """Keep an option of MindSpore's search for strategies."""
    strategy_search.set_cost_model_context(multi_subgraphs=multi_subgraph)


def _get_multi_subgraphs() -> bool:
    """Return the option, at first False."""
    return strategy_search.get_cost_model_context("multi_subgraphs")


def _set_algo_single_loop(single_loop: bool = True) -> None:
    """Keep an option of MindSpore's search for strategies."""
    strategy_search.set_cost_model_context(dp_algo_single_loop=single_loop)


def _get_algo_single_loop() -> bool:
    """Return the option, at first False."""
    return strategy_search.get_cost_model_context("dp_algo_single_loop")


def _set_rp_matmul_mem_coef(coef: float) -> None:
    """Keep an option of MindSpore's search for strategies."""
    strategy_search.set_cost_model_context(rp_matmul_mem_coef=float(coef))


def _get_rp_matmul_mem_coef() -> float:
    """Return the option, at first MindSpore's 0.1."""
    return strategy_search.get_cost_model_context("rp_matmul_mem_coef")


def get_squared_device_local_norm_param() -> Any:
    """Raise ValueError, as MindSpore does unless norms of the gradients of a device are dumped, which they never are here."""
    raise ValueError("get_squared_device_local_norm_param: the parallel option 'dump_device_local_norm' is not on.")


def _infer_rank_list(
    train_map: Mapping[str, Any], predict_map: Mapping[str, Any] | None = None
) -> dict[str, tuple[Any, bool]]:
    """Return of each Parameter the processes whose slices make it whole, and whether one of them is just this one's.

    Args:
        train_map: By Parameter the arrangement of devices, and for each axis the axis of devices that cuts it, counted from
            the last (-1: none), with which slices were saved.
        predict_map: The same with which they are loaded.
    """
    here = get_auto_parallel_context("global_rank")
    if (stages := _get_pipeline_stages()) > 1:
        here %= _get_device_num() // stages
    found: dict[str, tuple[Any, bool]] = {}
    for name, (devices, axes, *_) in train_map.items():
        cut = {len(devices) - 1 - axis for axis in axes if axis != -1}
        ranks = np.arange(math.prod(devices)).reshape(devices)
        slices = ranks[tuple([slice(None) if i in cut else 0 for i in range(len(devices))])].flatten()
        if not predict_map:
            found[name] = (slices, False)
        elif name not in predict_map:
            warn_user(f"_infer_rank_list: predict_map has no {name!r}.")
        else:
            found[name] = _of_predicted(slices, (devices, axes), predict_map[name], here)
    return found


def _of_predicted(slices: Any, trained: Any, predicted: Any, here: int) -> tuple[Any, bool]:
    if tuple(map(list, trained)) == tuple(map(list, predicted[:2])):
        return [here], True
    if _cut_axes(*trained) != _cut_axes(*predicted[:2]):
        return slices, False
    if len(slices) == 1:
        return slices, True
    return ([slices[here]], True) if len(slices) == math.prod(predicted[0]) else (slices, False)


def _cut_axes(devices: Any, axes: Any) -> list[int]:
    """Return into how many pieces each axis is cut."""
    return [1 if axis == -1 else devices[len(devices) - 1 - axis] for axis in axes]
