"""What copies of MindSpore's training loops import: the dataset of a run, steps that wait, and what saves and waits for files."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from sporax import Tensor, save_checkpoint
from sporax._src.base.errors import describe, shown
from sporax._src.compat.shims.pynative_executor import PyNativeExecutor
from sporax.dataset import Dataset
from sporax.log import info
from sporax.train import Callback, ModelCheckpoint

# --- the loop -----------------------------------------------------------------------------------------------------------

_training: list[Any] = []


def _set_training_dataset(dataset: Any) -> None:
    """Keep the dataset that a training reads."""
    _training[:] = [dataset]


def _get_training_dataset() -> Any:
    """Return the dataset that was kept, or None."""
    return _training[0] if _training else None


def _reset_training_dataset(global_step: int, dataset_size: int | None = None) -> None:
    """Let the next iterators of the dataset that was kept start at a step, counted over epochs.

    Raises:
        RuntimeError: If none was kept.
    """
    dataset = _get_training_dataset()
    dataset = getattr(dataset, "dataset", dataset)
    if not isinstance(dataset, Dataset):
        raise RuntimeError("_reset_training_dataset: no dataset was set with _set_training_dataset.")
    dataset.set_init_step(global_step)


def _transfer_tensor_to_tuple(inputs: Any) -> Any:
    """Return a Tensor as a tuple of one, other things as they are."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


class _StepSync(Callback):
    """Waits after each step until it has finished."""

    def step_end(self, run_context: Any) -> None:
        PyNativeExecutor().sync()


class _FrameworkProfilerCallback(Callback):
    """Does nothing: there is no profiler that is told of steps."""


def _save_final_ckpt(func: Callable[..., Any]) -> Callable[..., Any]:
    """Have a method that trains save what its `ModelCheckpoint` saves of a training that ends with an error."""

    @functools.wraps(func)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return func(self, *args, **kwargs)
        except BaseException:
            given = kwargs.get("callbacks")
            for callback in given if isinstance(given, (list, tuple)) else [given]:
                if isinstance(callback, ModelCheckpoint):
                    callback.__exit__(*sys.exc_info())
            raise

    return run


class TrainFaultTolerance(Callback):
    """MindSpore's callback for trainings whose Ascend devices fail, which raises where there is none.

    Raises:
        ValueError: Always.
    """

    def __init__(self, ckpt_save_path: str | None = None, **kwargs: Any) -> None:
        raise ValueError("TrainFaultTolerance: only a training on Ascend can go on without a device that failed.")


class ClusterMonitor(Callback):
    """MindSpore's callback that writes what Huawei's monitor of clusters reads, which raises: that is not offered.

    Raises:
        RuntimeError: Always.
    """

    def __init__(self) -> None:
        raise RuntimeError("ClusterMonitor: there is no monitor of clusters to write for.")


def _on_ascend(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any) -> NoReturn:
        raise RuntimeError(f"{name}: there is no Ascend device that failed.")

    return refuse


_get_optimzer_timestamps = _on_ascend("_get_optimzer_timestamps")
clean_tdt_channel = _on_ascend("clean_tdt_channel")


def _clean_rootinfo() -> None:
    """Do nothing: no file is left of how processes found each other."""


# --- shapes and arguments -------------------------------------------------------------------------------------------------

ARG_SPECIFIED, TOTAL_ARG_LEN = "arg_specified_infos", "total_arg_length"


def _is_args_fullmode(args: Any, is_init: bool = True) -> bool:
    """Tell whether the arguments of a network were set one by one, not as a dict of some of them.

    Raises:
        RuntimeError: If a dict lacks what the first call makes of it.
    """
    if not isinstance(args, dict):
        return True
    if not is_init and not {ARG_SPECIFIED, TOTAL_ARG_LEN} <= args.keys():
        raise RuntimeError(
            f"The incremental inputs must hold {ARG_SPECIFIED!r} and {TOTAL_ARG_LEN!r}, got {list(args)}."
        )
    return False


def is_dim_unknown(shape: Any) -> bool:
    """Tell whether a shape leaves its number of axes open, as (-2,) does.

    Raises:
        ValueError: If there is a -2 beside other sizes.
    """
    if -2 in shape and len(shape) != 1:
        raise ValueError(f"'shape' should have only one -2 or no -2 at all but got ({shape}).")
    return -2 in shape


def is_shape_unknown(shape: Any) -> bool:
    """Tell whether a shape leaves a size open, as a -1, or the number of axes.

    Raises:
        ValueError: If a size is less than -2, or there is a -2 beside others.
    """
    if any(size < -2 for size in shape):
        raise ValueError(f"'shape' should not have values less than -2 but got ({shape}).")
    return is_dim_unknown(shape) or -1 in shape


def _has_dynamic_shape(dataset_shapes: Any) -> bool:
    """Tell whether one of some shapes leaves a size open."""
    return any(is_shape_unknown(shape) for shape in dataset_shapes)


# --- files ----------------------------------------------------------------------------------------------------------------


def _exec_save(
    ckpt_file_name: str,
    data_list: dict[str, Any],
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    map_param_inc: bool = False,
    crc_check: bool = False,
    format: str = "ckpt",
    remove_redundancy: bool | None = None,
) -> None:
    """Save values to a file, see `save_checkpoint`.

    Args:
        ckpt_file_name: The file.
        data_list: By name `(shape, type, value)`; the value is an array, a Tensor or a string.
        enc_key, enc_mode, crc_check, format, remove_redundancy: As for `save_checkpoint`.
        map_param_inc: Accepted.
    """
    values = [{"name": name, "data": value[2]} for name, value in data_list.items()]
    save_checkpoint(
        values,
        ckpt_file_name,
        enc_key=enc_key,
        enc_mode=enc_mode,
        crc_check=crc_check,
        format=format,
        remove_redundancy=remove_redundancy,
    )


def _check_async_save(async_save: Any) -> Any:
    """Return what says whether files are written while the program goes on: a bool, `"process"` or `"thread"`.

    Raises:
        TypeError: If it is neither a bool nor a string.
        ValueError: If it is another string.
    """
    if not isinstance(async_save, (bool, str)):
        raise TypeError(f"save_checkpoint: async_save must be a bool or a string, got {describe(async_save)}.")
    if async_save not in (True, False, "process", "thread"):
        raise ValueError(f"save_checkpoint: async_save must be 'process' or 'thread', got {async_save!r}.")
    return async_save


def _chg_ckpt_file_name_if_same_exist(directory: Any, prefix: Any, exception: bool = False) -> Any:
    """Return the prefix of checkpoints, with the next free number if a folder holds some of that name.

    Args:
        directory: The folder.
        prefix: The prefix; what can be called is returned as it is.
        exception: Whether the files are those that an error left.
    """
    if callable(prefix) or callable(directory):
        return prefix
    ending = r"_breakpoint\.ckpt" if exception else r"(?<!_breakpoint)\.ckpt|\.safetensors"
    pattern = re.compile(rf"{re.escape(prefix)}(?:_(\d+))?-.*?(?:{ending})")
    numbers = [int(found[1] or 0) for name in os.listdir(directory) if (found := pattern.fullmatch(name))]
    return f"{prefix}_{max(numbers) + 1}" if numbers else prefix


def _save_graph(network: Any, file_name: str) -> None:
    """Log that nothing is written: MindSpore writes the graph of a compiled network in a form that no graph here has."""
    info(f"The graph of {type(network).__name__} is not written to {shown(file_name)}; export writes graphs.")


# --- trainings that go on after a failure ---------------------------------------------------------------------------------

_RECOVERY = {
    "enable_recovery": False,
    "enable_repeat_register": False,
    "latest_ckpt_file": "",
    "latest_ckpt_epoch": -1,
    "latest_ckpt_step": -1,
    "need_reset": False,
    "recovery_path": "",
    "is_arf": False,
    "is_reboot_node": False,
}
"""What MindSpore says where no run is recovered, which it never is here by itself; `ResumeFrom` goes on from a file."""
_SETTABLE = ("need_reset", "is_arf", "is_reboot_node")


def _get_recovery_context(attr_key: str) -> Any:
    """Return an option of recovered runs.

    Raises:
        ValueError: If it is unknown.
    """
    if attr_key not in _RECOVERY:
        raise ValueError(f"Get recovery context keyword {attr_key} is not recognized!")
    return _RECOVERY[attr_key]


def _set_recovery_context(**kwargs: Any) -> None:
    """Keep options of recovered runs.

    Raises:
        ValueError: If one is unknown.
        TypeError: If a value is no bool.
    """
    for key, value in kwargs.items():
        if key not in _SETTABLE:
            raise ValueError(f"Set recovery context keyword {key} is not recognized!")
        if not isinstance(value, bool):
            raise TypeError(f"_set_recovery_context: {key} must be a bool, got {describe(value)}.")
        _RECOVERY[key] = value
