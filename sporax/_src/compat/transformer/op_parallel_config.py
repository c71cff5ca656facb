"""How a transformer of MindSpore 1.x is cut over devices; the numbers are kept, XLA's partitioner has its own ways."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from sporax import get_auto_parallel_context
from sporax._src.compat.shims.checkparam import check_positive_int

__all__ = [
    "MoEParallelConfig",
    "OpParallelConfig",
    "_Config",
    "_PipeLineConfig",
    "_check_config",
    "default_dpmp_config",
    "default_moeparallel_config",
]


class _Config:
    """The base of configurations; numbers in them must be ints > 0."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, int) and not isinstance(value, bool):
            check_positive_int(value, name)
        super().__setattr__(name, value)

    def __str__(self) -> str:
        lines = [f"{f.name}:{getattr(self, f.name)}\n" for f in fields(self)]  # type: ignore[arg-type]
        return f"[ParallelConfig]\n{''.join(lines)}"


@dataclass
class OpParallelConfig(_Config):
    """Over how many devices a batch and a weight are cut."""

    data_parallel: int = 1
    model_parallel: int = 1

    @property
    def dpmp(self) -> OpParallelConfig:
        """Return the configuration without experts."""
        return self


@dataclass
class MoEParallelConfig(_Config):
    """Over how many devices a batch, a weight and the experts are cut."""

    data_parallel: int = 1
    model_parallel: int = 1
    expert_parallel: int = 1

    @property
    def dpmp(self) -> OpParallelConfig:
        """Return the configuration without experts."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


@dataclass
class _PipeLineConfig(_Config):
    """Into how many stages layers are cut."""

    pipeline_stage: int = 1
    micro_batch_num: int = 1
    pipeline_segment: int = 1


default_dpmp_config = OpParallelConfig()
default_moeparallel_config = MoEParallelConfig()


def _check_config(config: Any) -> None:
    """Raise ValueError if a configuration has another number of stages than the context."""
    stages = get_auto_parallel_context("pipeline_stages")
    if getattr(config, "pipeline_stage", stages) != stages:
        raise ValueError(
            f"The pipeline stage {stages} in auto_parallel_context is not equal to the pipeline_stage "
            f"{config.pipeline_stage} in the config."
        )
