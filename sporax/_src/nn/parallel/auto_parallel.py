"""A network with its own settings of parallel training, with which it is compiled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.base.settings.parallel_options import SCHEDULERS
from sporax._src.dist.group import get_group_size, get_rank
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes import parallel_context
from sporax._src.processes.parallel_context import ParallelMode
from sporax._src.sharding.layout import Layout
from sporax._src.transform.capture import Graph

__all__ = ["AutoParallel"]

_SEARCHES = ("sharding_propagation", "recursive_programming", "dynamic_programming")


def _checked(name: str, value: object, kind: type) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"AutoParallel: {name} must be {kind.__name__}, got {describe(value)}.")
    return value


@contextmanager
def _settings(options: dict[str, Any]) -> Iterator[None]:
    before = {name: parallel_context.get_auto_parallel_context(name) for name in options}
    parallel_context.set_auto_parallel_context(**options)
    try:
        yield
    finally:
        parallel_context.set_auto_parallel_context(**before)


class AutoParallel(Cell):
    """A network with its own settings of parallel training, in place of those of `set_auto_parallel_context`.

    Args:
        network: The network.
        parallel_mode: `"semi_auto"`, or the search for strategies: `"sharding_propagation"`, `"recursive_programming"` or
            `"dynamic_programming"`.

    Raises:
        ValueError: If `parallel_mode` is something else.

    Examples:
        >>> from sporax.parallel.auto_parallel import AutoParallel
        >>> net = AutoParallel(nn.Dense(2, 1, weight_init="ones", bias_init="zeros"), "semi_auto")
        >>> net.dataset_strategy("full_batch")
        >>> net(Tensor([[1.0, 2.0]])).asnumpy()
        array([[3.]], dtype=float32)
    """

    def __init__(self, network: Cell, parallel_mode: str = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        if parallel_mode not in ("semi_auto", *_SEARCHES):
            raise ValueError(
                f"AutoParallel: parallel_mode must be one of semi_auto, {', '.join(_SEARCHES)}, got {parallel_mode!r}."
            )
        self.network = network
        self._options: dict[str, Any] = {
            "parallel_mode": ParallelMode.SEMI_AUTO_PARALLEL,
            "device_num": max(get_group_size(), parallel_context.get_auto_parallel_context("device_num")),
            "global_rank": max(get_rank(), parallel_context.get_auto_parallel_context("global_rank")),
        }
        if parallel_mode in _SEARCHES:
            self._options |= {"parallel_mode": ParallelMode.AUTO_PARALLEL, "search_mode": parallel_mode}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with _settings(self._options):
            return super().__call__(*args, **kwargs)

    def graph(self, *args: Any, **kwargs: Any) -> Graph:
        """Return the graph for these arguments, with its readable stages (see `Graph`), without running it."""
        with _settings(self._options):
            return super().graph(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Build the graph for these arguments without running it."""
        with _settings(self._options):
            super().compile(*args, **kwargs)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self.network(*args, **kwargs)

    def dataset_strategy(self, config: str | tuple[Any, ...]) -> None:
        """Set the strategy of the inputs: `"full_batch"`, `"data_parallel"`, or a tuple of tuples or Layouts.

        Raises:
            TypeError: If `config` is neither, or an element of it is not.
            ValueError: If it is another text, or None.
        """
        if config is None:
            raise ValueError("AutoParallel.dataset_strategy: config must not be None.")
        if isinstance(config, str):
            if config not in ("full_batch", "data_parallel"):
                raise ValueError(
                    f"AutoParallel.dataset_strategy: config must be 'full_batch' or 'data_parallel', got {config!r}."
                )
            self._options["full_batch"] = config == "full_batch"
        elif not isinstance(config, tuple):
            raise TypeError(f"AutoParallel.dataset_strategy: config must be a str or a tuple, got {describe(config)}.")
        for element in config if isinstance(config, tuple) else ():
            numbers = isinstance(element, tuple) and all(isinstance(size, int) for size in element)
            if not numbers and not isinstance(element, Layout):
                raise TypeError(
                    "AutoParallel.dataset_strategy: an element of config must be a tuple of ints or a Layout, "
                    f"got {describe(element)}."
                )
        self._options["dataset_strategy"] = config

    def hsdp(self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1") -> None:
        """Shard the optimizer's state over devices.

        Args:
            shard_size: The maximum number of devices; -1: all that have the same Parameter.
            threshold: Parameters of fewer KB are not sharded.
            optimizer_level: What is sharded: `"level1"`: the state; `"level2"`: gradients, too; `"level3"`: also copies for the
                backward.

        Raises:
            ValueError: If a value is out of range.
        """
        if not isinstance(shard_size, int) or (shard_size <= 0 and shard_size != -1):
            raise ValueError(f"AutoParallel.hsdp: shard_size must be a positive int or -1, got {describe(shard_size)}.")
        if not isinstance(threshold, int) or threshold < 0:
            raise ValueError(f"AutoParallel.hsdp: threshold must be an int >= 0, got {describe(threshold)}.")
        if optimizer_level not in ("level1", "level2", "level3"):
            raise ValueError(
                f"AutoParallel.hsdp: optimizer_level must be level1, level2 or level3, got {optimizer_level!r}."
            )
        self._options |= {
            "enable_parallel_optimizer": True,
            "optimizer_weight_shard_size": shard_size,
            "parallel_optimizer_config": {
                "parallel_optimizer_threshold": threshold,
                "optimizer_level": optimizer_level,
            },
        }

    def pipeline(
        self, stages: int = 1, output_broadcast: bool = False, interleave: bool = False, scheduler: str = "1f1b"
    ) -> None:
        """Set the number of stages of a pipeline.

        Args:
            stages: The number.
            output_broadcast: Whether the last stage's result goes to all.
            interleave: Whether a device has several parts of the network.
            scheduler: `"1f1b"`, `"gpipe"`, `"seqpipe"`, `"seqvpp"`, `"seqsmartvpp"` or `"zero_bubble_v"`.

        Raises:
            TypeError: If an argument is of another type.
            ValueError: If `stages` is not positive or `scheduler` unknown.
        """
        _checked("stages", stages, int)
        if stages <= 0:
            raise ValueError(f"AutoParallel.pipeline: stages must be > 0, got {stages}.")
        _checked("output_broadcast", output_broadcast, bool), _checked("interleave", interleave, bool)
        if _checked("scheduler", scheduler, str) not in SCHEDULERS:
            raise ValueError(
                f"AutoParallel.pipeline: scheduler must be one of {', '.join(SCHEDULERS)}, got {scheduler!r}."
            )
        self._options |= {
            "pipeline_stages": stages,
            "pipeline_result_broadcast": output_broadcast,
            "pipeline_config": {"pipeline_interleave": interleave, "pipeline_scheduler": scheduler},
        }

    def get_pipeline_stages(self) -> int:
        """Return the number of stages that `pipeline` set, at first 1."""
        return self._options.get("pipeline_stages", 1)

    def comm_fusion(self, config: dict[str, Any]) -> None:
        """Store the fusion of collectives, which XLA decides itself.

        Raises:
            TypeError: If `config` is neither a dict nor None.
        """
        self._options["comm_fusion"] = {} if config is None else _checked("config", config, dict)

    def load_param_strategy_file(self, file_path: str) -> None:
        """Set the file that strategies of Parameters are read from."""
        self._options["strategy_ckpt_load_file"] = _checked("file_path", file_path, str)

    def save_param_strategy_file(self, file_path: str) -> None:
        """Set the file that strategies of Parameters are written to."""
        self._options["strategy_ckpt_save_file"] = _checked("file_path", file_path, str)

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Write the strategies of all Parameters to the file."""
        self._options["strategy_ckpt_config"] = {"only_trainable_params": False}

    def save_operator_strategy_file(self, file_path: str) -> None:
        """Set the file that strategies of operators are written to (see `set_op_strategy_config`).

        Raises:
            TypeError: If `file_path` is not a str.
            KeyError: If it is not an absolute path that ends with `.json`.
        """
        parallel_context.set_op_strategy_config("SAVE", _operator_file(file_path))

    def load_operator_strategy_file(self, file_path: str) -> None:
        """Set the file that strategies of operators are read from (see `set_op_strategy_config`).

        Raises:
            TypeError: If `file_path` is not a str.
            KeyError: If it is not an absolute path that ends with `.json`.
        """
        parallel_context.set_op_strategy_config("LOAD", _operator_file(file_path))

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Set the file that the groups of processes are written to."""
        self._options["group_ckpt_save_file"] = _checked("file_path", file_path, str)

    def enable_gradients_mean(self) -> None:
        """Average gradients over devices instead of adding them."""
        self._options["gradients_mean"] = True

    def disable_gradient_fp32_sync(self) -> None:
        """Reduce gradients in their own dtype."""
        self._options["gradient_fp32_sync"] = False

    def disable_loss_repeated_mean(self) -> None:
        """Do not divide the loss by the number of devices that compute the same loss."""
        self._options["loss_repeated_mean"] = False

    def print_local_norm(self) -> None:
        """Print the norms of the gradients of each device."""
        self._options["dump_local_norm"] = True

    def dump_local_norm(self, file_path: str) -> None:
        """Write the norms of the gradients of each device to files."""
        self._options |= {"dump_local_norm": True, "dump_local_norm_path": _checked("file_path", file_path, str)}

    def enable_device_local_norm(self) -> None:
        """Compute the norm of all gradients of a device."""
        self._options["dump_device_local_norm"] = True

    def enable_fp32_communication(self) -> None:
        """Store the hint that reductions over devices run in float32."""
        self._set_option("force_fp32_communication", True)

    def no_init_parameters_in_compile(self) -> None:
        """Make a run raise an error, instead of drawing values, for Parameters of `no_init_parameters`."""
        self._set_option("init_param_in_compile", False)

    def transformer_opt(self, file_path: str) -> None:
        """Store the file of options for Ascend's transformers."""
        self._set_option("transformer_opt", _checked("file_path", file_path, str))

    def _set_option(self, name: str, value: object) -> None:
        self._sporax_quietly(f"_{name}", value)


def _operator_file(file_path: str) -> str:
    path = _checked("file_path", file_path, str)
    if not os.path.isabs(path) or os.path.splitext(path)[1] != ".json":
        raise KeyError(f"AutoParallel: file_path must be an absolute path that ends with .json, got {path!r}.")
    return path
