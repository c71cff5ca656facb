"""Checkpoints during training: when to save, and how many to keep."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sporax._src.base import encryption
from sporax._src.base.errors import describe
from sporax._src.checkpoint import background
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.serialization import save_checkpoint
from sporax._src.checkpoint.sharded.redundancy import names_saved_here
from sporax._src.core.generator import Generator
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes.world import is_joined
from sporax._src.train.callbacks.callback import Callback, InternalCallbackParam, RunContext
from sporax._src.train.callbacks.checkpoint_manager import CheckpointManager
from sporax._src.train.callbacks.monitor import check_int
from sporax._src.train.callbacks.resume import save_run


class CheckpointConfig:
    """The settings of `ModelCheckpoint`: when it saves, and which files it keeps.

    Args:
        save_checkpoint_steps: The number of steps between two saves. Default 1.
        save_checkpoint_seconds: The number of seconds between two saves (used if steps is 0 or None).
        keep_checkpoint_max: The number of newest files to keep. Default 5.
        keep_checkpoint_per_n_minutes: The length of intervals in minutes, whose first files are kept with the newest
            file (used if max is 0 or None; if both are 0 or None, only the newest file is kept).
        integrated_save: Whether Parameters that strategies cut are saved whole, see `save_checkpoint`. Files that are
            saved after an error, or with `remove_redundancy`, contain pieces.
        async_save: Whether files are written while training continues, see `save_checkpoint`.
        saved_network: The Cell to save instead of the one that is trained.
        append_info: `"epoch_num"`, `"step_num"` and one dict of values to save with the Parameters.
        enc_key, enc_mode: The key and the mode of the encryption (see `save_checkpoint`).
        exception_save: Whether to save `..._breakpoint.ckpt` if training ends with an error; in a run of several
            processes it contains this process's pieces of the Parameters.
        crc_check: Append a checksum.
        remove_redundancy: Whether equal Parameters, or pieces of them, are saved by only one process (see
            `load_checkpoint`).
        format: `"ckpt"` or `"safetensors"`.
        run_state: Whether a file contains the state of the whole run, see `save_state`, so that `ResumeFrom` resumes
            exactly.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If nothing says when to save, a number is negative, or an option is unknown.

    Examples:
        >>> import sporax as ms
        >>> ms.train.CheckpointConfig(save_checkpoint_steps=100, keep_checkpoint_max=3).keep_checkpoint_max
        3
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
        run_state: bool = False,
        **kwargs: object,
    ) -> None:
        numbers = {
            "save_checkpoint_steps": save_checkpoint_steps,
            "save_checkpoint_seconds": save_checkpoint_seconds,
            "keep_checkpoint_max": keep_checkpoint_max,
            "keep_checkpoint_per_n_minutes": keep_checkpoint_per_n_minutes,
        }
        for name, value in numbers.items():
            if value is not None:
                check_int("CheckpointConfig", name, value)
        if not any(numbers.values()):
            raise ValueError(f"CheckpointConfig: {', '.join(numbers)} must not be all 0 or None.")
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise TypeError(f"CheckpointConfig: saved_network must be a Cell or None, got {describe(saved_network)}.")
        for name, flag in (("exception_save", exception_save), ("crc_check", crc_check), ("run_state", run_state)):
            if not isinstance(flag, bool):
                raise TypeError(f"CheckpointConfig: {name} must be a bool, got {describe(flag)}.")
        _check_format(format, enc_key, enc_mode)
        if run_state and (format != "ckpt" or crc_check or enc_key is not None or saved_network is not None):
            raise ValueError(
                "CheckpointConfig: run_state saves the network that is trained as a plain 'ckpt' file; format, crc_check, enc_key "
                "and saved_network must not be given."
            )
        self.save_checkpoint_steps = save_checkpoint_steps
        self.save_checkpoint_seconds = None if save_checkpoint_steps else save_checkpoint_seconds
        self.keep_checkpoint_max = keep_checkpoint_max or (None if keep_checkpoint_per_n_minutes else 1)
        self.keep_checkpoint_per_n_minutes = None if keep_checkpoint_max else keep_checkpoint_per_n_minutes
        self.integrated_save, self.async_save = integrated_save, async_save
        self.saved_network = saved_network
        self.append_dict = _append_dict(append_info)
        self.enc_key, self.enc_mode = enc_key, enc_mode
        self.exception_save, self.crc_check, self.format = exception_save, crc_check, format
        self.remove_redundancy = remove_redundancy
        self.run_state = run_state

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """Return the policy: when to save, and which files to keep."""
        names = ("save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max")
        return {n: getattr(self, n) for n in (*names, "keep_checkpoint_per_n_minutes", "saved_network")}


def _check_format(format: Any, enc_key: object, enc_mode: object) -> None:
    if format not in FORMATS:
        raise ValueError(f"CheckpointConfig: format must be one of {', '.join(FORMATS)}, got {format!r}.")
    if enc_key is not None:
        if "key" not in FORMATS[format].WRITE_OPTIONS:
            formats = FORMATS.writing("key")
            raise ValueError(f"CheckpointConfig: only files of the format {formats} are encrypted, got {format!r}.")
        encryption.check("CheckpointConfig", enc_key, enc_mode)


def _append_dict(info: object) -> dict[str, Any] | None:
    if not info:
        return None
    if not isinstance(info, list):
        raise TypeError(f"CheckpointConfig: append_info must be a list, got {describe(info)}.")
    found: dict[str, Any] = {}
    dicts = [item for item in info if isinstance(item, dict)]
    if len(dicts) > 1:
        raise TypeError(f"CheckpointConfig: append_info must hold at most one dict, got {len(dicts)}.")
    for item in info:
        if not isinstance(item, (str, dict)):
            raise TypeError(f"CheckpointConfig: append_info must hold strings and a dict, got {describe(item)}.")
        if isinstance(item, str) and item not in ("epoch_num", "step_num"):
            raise ValueError(f"CheckpointConfig: append_info takes 'epoch_num' and 'step_num', got {item!r}.")
        found.update({item: 0} if isinstance(item, str) else item)
    for name, value in found.items():
        if not isinstance(name, str) or not isinstance(value, (int, float, str, Tensor, Generator)):
            shown = f"{describe(name)}: {describe(value)}"
            raise TypeError(
                f"CheckpointConfig: append_info's dict must map names to numbers, strings or Tensors, got {shown}."
            )
    return found


class ModelCheckpoint(Callback):
    """Save `PREFIX-EPOCH_STEP.ckpt` while training, and delete the oldest beyond what is kept.

    Args:
        prefix: The first part of the file names; if files of that name exist, `PREFIX_1` and so on. Or a function of
            the run's parameters that returns the whole name without suffix (such files are never deleted).
        directory: The folder, made if absent, or a function of the run's parameters; the working folder if None.
        config: A `CheckpointConfig`.

    Raises:
        ValueError: If `prefix` is no plain name.
        TypeError: If `config` is no `CheckpointConfig`.

    Examples:
        >>> import sporax as ms, tempfile
        >>> config = ms.train.CheckpointConfig(save_checkpoint_steps=100)
        >>> saver = ms.train.ModelCheckpoint("net", tempfile.mkdtemp(), config)
    """

    _resumed = ("_last_triggered_step",)

    def __init__(
        self,
        prefix: str | Callable[..., Any] = "CKP",
        directory: str | Path | Callable[..., Any] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if not callable(prefix):
            _check_prefix(prefix)
        if config is not None and not isinstance(config, CheckpointConfig):
            raise TypeError(f"ModelCheckpoint: config must be a CheckpointConfig, got {describe(config)}.")
        self._config = config or CheckpointConfig()
        self._directory: Path | Callable[[Any], Any] = (
            directory if callable(directory) else Path(directory or ".").absolute()
        )
        self._prefix: str | Callable[[Any], Any] = prefix
        if isinstance(self._directory, Path):
            self._directory.mkdir(parents=True, exist_ok=True)
            if not callable(prefix):
                self._prefix = _unused(self._directory, prefix)
        self._files: dict[Path, float] = {}  # by the time of saving, oldest first
        self._saved_at = time.monotonic()
        self._last_triggered_step = 0
        self._latest_ckpt_file_name = ""
        self._args: Any = None
        # what programs that save in their own way read, write and override
        self._append_dict = self._config.append_dict or {}
        self._append_epoch_num = self._append_dict.get("epoch_num", 0)
        self._append_step_num = self._append_dict.get("step_num", 0)
        self._manager = CheckpointManager(self._config.format)
        self._last_time_for_keep = time.time()
        self._need_flush_from_cache = self._graph_saved = False

    @property
    def latest_ckpt_file_name(self) -> str:
        """The file saved last, or `""`."""
        return self._latest_ckpt_file_name

    def __exit__(self, *error: object) -> None:
        if error and error[0] is not None and self._config.exception_save and self._args is not None:
            self._save(self._args, "_breakpoint")

    def step_end(self, run_context: RunContext) -> None:
        self._args = run_context.original_args()
        self._save_ckpt(self._args)

    def end(self, run_context: RunContext) -> None:
        self._save_ckpt(run_context.original_args(), True)
        background.finish()

    def _save_ckpt(self, cb_params: InternalCallbackParam, force_to_save: bool = False) -> None:
        """Save if it is time to."""
        if self._check_save_ckpt(cb_params, force_to_save):
            self._save(cb_params)

    def _check_save_ckpt(self, cb_params: InternalCallbackParam, force_to_save: bool) -> bool:
        """Return whether it is time to save, or with `force_to_save` whether the step has not been saved."""
        step = cb_params.cur_step_num
        steps, seconds = self._config.save_checkpoint_steps, self._config.save_checkpoint_seconds
        if force_to_save:
            return bool(step) and step != self._last_triggered_step
        if step < self._last_triggered_step:  # another run counts its steps anew
            self._last_triggered_step = 0
        by_steps = steps and step - self._last_triggered_step >= steps
        return bool(by_steps or (seconds and time.monotonic() - self._saved_at >= seconds))

    def _flush_from_cache(self, cb_params: InternalCallbackParam) -> None:
        """Do nothing: no Parameter is cached elsewhere."""

    def _save(self, args: InternalCallbackParam, mark: str = "") -> None:
        config = self._config
        path = self._path(args, mark)
        extra = dict(self._append_dict)
        counted = {
            "epoch_num": self._append_epoch_num + args.cur_epoch_num,
            "step_num": self._append_step_num + args.cur_step_num,
        }
        extra |= {name: number for name, number in counted.items() if name in extra}
        self._last_triggered_step, self._saved_at = args.cur_step_num, time.monotonic()
        self._latest_ckpt_file_name = str(path)
        if config.run_state and not (mark and is_joined()):
            save_run(path, args, between_epochs=False, append_dict=extra)
        else:
            network = config.saved_network or args.train_network or args.network
            save_checkpoint(
                network,
                path,
                async_save=config.async_save,
                # What ends one process may not keep it waiting for the others, which a whole Parameter would.
                integrated_save=config.integrated_save and not mark and not config.remove_redundancy,
                append_dict=extra or None,
                choice_func=names_saved_here(network) if config.remove_redundancy else None,
                remove_redundancy=config.remove_redundancy,
                crc_check=config.crc_check,
                format=config.format,
                enc_key=config.enc_key,
                enc_mode=config.enc_mode,
            )
        if not callable(self._prefix) and not mark:
            self._keep(path)

    def _path(self, args: InternalCallbackParam, mark: str) -> Path:
        folder = Path(self._directory(args)) if callable(self._directory) else self._directory
        if callable(self._prefix):
            name = _check_prefix(self._prefix(args))
        else:
            name = f"{self._prefix}-{args.cur_epoch_num}_{(args.cur_step_num - 1) % args.batch_num + 1}"
        return folder / f"{name}{mark}.{self._config.format}"

    def _keep(self, path: Path) -> None:
        now, most = time.monotonic(), self._config.keep_checkpoint_max
        span = 60 * (self._config.keep_checkpoint_per_n_minutes or 0)
        others = [file for file in self._files if file != path]
        young = [file for file in others if now - self._files[file] < span]
        old = others[: max(0, len(others) + 1 - most)] if most else young[1:]
        for file in old:
            del self._files[file]
            file.unlink(missing_ok=True)
        self._files[path] = now


def _check_prefix(prefix: object) -> str:
    if not isinstance(prefix, str) or not prefix or "/" in prefix:
        raise ValueError(f"ModelCheckpoint: prefix must be a name without '/', got {prefix!r}.")
    return prefix


def _unused(folder: Path, prefix: str) -> str:
    """Return the prefix, with the next free number if the folder holds checkpoints of that name."""
    pattern = re.compile(rf"{re.escape(prefix)}(?:_(\d+))?-.*\.(?:ckpt|safetensors)")
    found = [pattern.fullmatch(p.name) for p in folder.iterdir()]
    numbers = [int(m[1] or 0) for m in found if m and not m.string.endswith("_breakpoint.ckpt")]
    return f"{prefix}_{max(numbers) + 1}" if numbers else prefix
