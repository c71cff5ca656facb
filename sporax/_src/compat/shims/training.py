"""What copies of MindSpore's training loops import: the dataset of a run, steps that wait, and what saves and waits for files."""

from __future__ import annotations

from typing import Any

from sporax import Tensor, save_checkpoint
from sporax._src.compat.shims.pynative_executor import PyNativeExecutor
from sporax.train import Callback

# --- the loop -----------------------------------------------------------------------------------------------------------

_training: list[Any] = []


def _set_training_dataset(dataset: Any) -> None:
    """Keep the dataset that a training reads."""
    _training[:] = [dataset]


def _transfer_tensor_to_tuple(inputs: Any) -> Any:
    """Return a Tensor as a tuple of one, other things as they are."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


class _StepSync(Callback):
    """Waits after each step until it has finished."""

    def step_end(self, run_context: Any) -> None:
        PyNativeExecutor().sync()


class TrainFaultTolerance(Callback):
    """MindSpore's callback for trainings whose Ascend devices fail, which raises where there is none.

    Raises:
        ValueError: Always.
    """

    def __init__(self, ckpt_save_path: str | None = None, **kwargs: Any) -> None:
        raise ValueError("TrainFaultTolerance: only a training on Ascend can go on without a device that failed.")


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


def _get_recovery_context(attr_key: str) -> Any:
    """Return an option of recovered runs.

    Raises:
        ValueError: If it is unknown.
    """
    if attr_key not in _RECOVERY:
        raise ValueError(f"Get recovery context keyword {attr_key} is not recognized!")
    return _RECOVERY[attr_key]
