"""What programs import from `mindspore._c_expression`, MindSpore's compiled library.

mindnlp, mindformers, mindocr and mindone import from it; run_backward and Cell_ are for `mindtorch` of mindnlp. MindSpore's own
tests use CreationType, clean_tdt_channel and _clean_rootinfo.
"""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from sporax import Tensor
from sporax.context import get_context, set_context


class MSContext:
    """The context, as an object."""

    _instance: MSContext | None = None

    @classmethod
    def get_instance(cls) -> MSContext:
        """Return the one object."""
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def get_param(self, name: str) -> Any:
        """Return an option of the context."""
        return get_context(name)

    def set_param(self, name: str, value: object) -> None:
        """Set an option of the context."""
        set_context(**{name: value})

    def get_ascend_soc_version(self) -> str:
        """Return `""`: there is no Ascend chip."""
        return ""

    def is_ascend_plugin_loaded(self) -> bool:
        """Return False: there is no Ascend chip."""
        return False


class CreationType(enum.Enum):
    """How a Tensor came to be, which MindSpore looks at before it is written in place; every Tensor here may be."""

    DEFAULT = 0
    NO_GRAD_DEFAULT = 1
    MULTI_OUTPUT = 2
    CUSTOM_BPROP = 3


def disable_multi_thread() -> None:
    """Do nothing: steps run in one order."""


def reset_op_id() -> None:
    """Do nothing: operators have no numbers."""


def swap_cache(host: Tensor, device: Tensor, block_mapping: Tensor, is_device_to_host: bool) -> None:
    """Copy blocks, the slices along the first axis, of one cache of keys or values into another.

    Args:
        host, device: The caches, Tensors of one shape but for the first axis.
        block_mapping: (N, 2), of each block the index in the cache it comes from and in that it goes to.
        is_device_to_host: Whether the blocks go from `device` to `host`.
    """
    source, target = (device, host) if is_device_to_host else (host, device)
    target[block_mapping[:, 1]] = source[block_mapping[:, 0]]


def _ms_memory_recycle() -> None:
    """Do nothing: memory is recycled as Python lets go of it."""


def _framework_profiler_step_start() -> None:
    """Do nothing: there is no such profiler."""


def _framework_profiler_step_end() -> None:
    """Do nothing: there is no such profiler."""


def clean_tdt_channel(*args: object) -> NoReturn:
    """Raise RuntimeError: there is no Ascend device whose queue of data could be emptied."""
    raise RuntimeError("clean_tdt_channel: there is no Ascend device that failed.")


def run_backward(*args: object, **kwargs: object) -> NoReturn:
    """Raise RuntimeError: gradients are taken of functions, not of Tensors that were computed before."""
    raise RuntimeError(
        "run_backward: take the gradient of a function (ms.grad, ms.value_and_grad); `sporax run --torch` runs programs that "
        "call backward."
    )


def _clean_rootinfo() -> None:
    """Do nothing: no file is left of how processes found each other."""
