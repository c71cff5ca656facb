"""Checkpoints during training: when to save, and how many to keep."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.checkpoint.serialization import save_checkpoint
from sporax._src.nn.cell import Cell
from sporax._src.train.callback import Callback, RunContext


class CheckpointConfig:
    """When `ModelCheckpoint` saves and what it keeps.

    Args:
        save_checkpoint_steps: Save every so many steps (0: not by steps).
        save_checkpoint_seconds: Save every so many seconds (used if steps is 0).
        keep_checkpoint_max: Keep the newest so many files (0: all).
        keep_checkpoint_per_n_minutes: Keep one file per so many minutes (used if max is 0).
        saved_network: The Cell to save instead of the one that is trained.
        append_info: `"epoch_num"`, `"step_num"` and dicts to save with the Parameters.
        crc_check: Append a checksum.
        format: `"ckpt"` or `"safetensors"`.
        integrated_save, async_save, enc_key, enc_mode, exception_save: Accepted for MindSpore programs.

    Raises:
        ValueError: If nothing says when to save, or a number is negative.
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Cell | None = None,
        append_info: list[Any] | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: Any,
    ) -> None:
        numbers = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        for name, value in numbers.items():
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
                raise ValueError(f"CheckpointConfig: {name} must be an int >= 0 or None, got {describe(value)}.")
        if not any(numbers.values()):
            raise ValueError(
                "CheckpointConfig: save_checkpoint_steps, save_checkpoint_seconds and both keep_ options are all 0 or None."
            )
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise TypeError(f"CheckpointConfig: saved_network must be a Cell, got {describe(saved_network)}.")
        if enc_key is not None:
            raise ValueError("CheckpointConfig: encryption is not offered; give no enc_key.")
        self.save_checkpoint_steps = save_checkpoint_steps or 0
        self.save_checkpoint_seconds = 0 if save_checkpoint_steps else save_checkpoint_seconds or 0
        self.keep_checkpoint_max = keep_checkpoint_max or 0
        self.keep_checkpoint_per_n_minutes = 0 if keep_checkpoint_max else keep_checkpoint_per_n_minutes or 0
        self.integrated_save = integrated_save
        self.async_save = async_save
        self.saved_network = saved_network
        self.append_info = append_info or []
        self.crc_check = crc_check
        self.format = format

    def append_dict(self, epoch: int, step: int) -> dict[str, Any]:
        """Return what is saved beside the Parameters."""
        found: dict[str, Any] = {}
        for item in self.append_info:
            if isinstance(item, dict):
                found.update(item)
            elif item in ("epoch_num", "step_num"):
                found[item] = epoch if item == "epoch_num" else step
            else:
                raise TypeError(
                    f"CheckpointConfig: append_info takes 'epoch_num', 'step_num' and dicts, got {describe(item)}."
                )
        return found


class ModelCheckpoint(Callback):
    """Save `PREFIX-EPOCH_STEP.ckpt` while training, and delete the oldest beyond what is kept.

    Args:
        prefix: The first part of the file names.
        directory: The folder; it is made if absent. The working folder if None.
        config: A `CheckpointConfig`.

    Raises:
        ValueError: If `prefix` is no plain name.
        TypeError: If `config` is no `CheckpointConfig`.
    """

    def __init__(self, prefix: Any = "CKP", directory: Any = None, config: CheckpointConfig | None = None) -> None:
        if not callable(prefix) and (not isinstance(prefix, str) or not prefix or "/" in prefix):
            raise ValueError(f"ModelCheckpoint: prefix must be a name without '/', got {prefix!r}.")
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError(f"ModelCheckpoint: config must be a CheckpointConfig, got {describe(config)}.")
        self._prefix = prefix
        self._directory = directory
        self._config = config or CheckpointConfig()
        self._files: list[Path] = []
        self._kept_at = self._saved_at = time.monotonic()
        self._last_step = 0
        self._latest = ""

    @property
    def latest_ckpt_file_name(self) -> str:
        """The file saved last, or `""`."""
        return self._latest

    def step_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        config = self._config
        by_steps = config.save_checkpoint_steps and args.cur_step_num - self._last_step >= config.save_checkpoint_steps
        by_time = config.save_checkpoint_seconds and time.monotonic() - self._saved_at >= config.save_checkpoint_seconds
        if by_steps or by_time:
            self._save(args)

    def end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.cur_step_num and args.cur_step_num != self._last_step:
            self._save(args)

    def _save(self, args: Any) -> None:
        step = (args.cur_step_num - 1) % args.batch_num + 1
        prefix = self._prefix(args) if callable(self._prefix) else self._prefix
        folder = self._directory(args) if callable(self._directory) else self._directory
        path = Path(folder or os.curdir) / f"{prefix}-{args.cur_epoch_num}_{step}.{self._config.format}"
        network = self._config.saved_network or args.train_network or args.network
        extra = self._config.append_dict(args.cur_epoch_num, args.cur_step_num)
        save_checkpoint(
            network, path, append_dict=extra or None, crc_check=self._config.crc_check, format=self._config.format
        )
        self._last_step, self._saved_at, self._latest = args.cur_step_num, time.monotonic(), str(path)
        self._keep(path)

    def _keep(self, path: Path) -> None:
        if path not in self._files:
            self._files.append(path)
        most, minutes = self._config.keep_checkpoint_max, self._config.keep_checkpoint_per_n_minutes
        while most and len(self._files) > most:
            self._files.pop(0).unlink(missing_ok=True)
        if not most and minutes:
            if time.monotonic() - self._kept_at >= minutes * 60:
                self._kept_at = time.monotonic()
                self._files.clear()
            while len(self._files) > 1:
                self._files.pop(0).unlink(missing_ok=True)
