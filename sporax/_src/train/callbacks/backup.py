"""Callbacks that protect a run: backups from which it resumes, and an orderly exit on a signal."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from types import FrameType
from typing import Any

from sporax._src.base import config, jax_compat
from sporax._src.base.errors import describe
from sporax._src.checkpoint.serialization import save_checkpoint
from sporax._src.dist.distributed import barrier
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes.rendezvous import early_status, note_early_end
from sporax._src.processes.world import is_joined, world
from sporax._src.train.callbacks.callback import Callback, InternalCallbackParam, RunContext
from sporax._src.train.callbacks.monitor import check_int
from sporax._src.train.callbacks.resume import agreed, begin_from, next_of, save_together


class BackupAndRestore(Callback):
    """Save a run after epochs, and resume it if a run begins and the file exists.

    The file contains everything that `save_state` saves. A run of `Model` that stopped before its last epoch resumes
    after the saved epoch, with the same results as an uninterrupted run. A run that had reached its last epoch is
    trained again, from its last weights. The callback should be the last in the list, so that it saves the changes of
    the others.

    In a run of several processes each needs this callback, and a folder of its own. A save is `backup_next.ckpt` until all
    processes have theirs. All resume from the newest save that all of them have, or stop with an error. They delete
    their files when all have reached the end.

    Args:
        backup_dir: The folder of the file `backup.ckpt`.
        save_freq: `"epoch"`, or the number of epochs between two saves.
        delete_checkpoint: Whether the file is deleted when a run reaches its end.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `save_freq` is not positive.

    Examples:
        >>> import sporax as ms, tempfile
        >>> backup = ms.train.BackupAndRestore(tempfile.mkdtemp(), save_freq=2)
    """

    def __init__(self, backup_dir: str, save_freq: str | int = "epoch", delete_checkpoint: bool = True) -> None:
        if not isinstance(delete_checkpoint, bool):
            raise TypeError(f"BackupAndRestore: delete_checkpoint must be a bool, got {describe(delete_checkpoint)}.")
        self.save_freq = 1 if save_freq == "epoch" else check_int("BackupAndRestore", "save_freq", save_freq, 1)
        self.delete_checkpoint = delete_checkpoint
        Path(backup_dir).mkdir(parents=True, exist_ok=True)
        self.backup_file = str(Path(backup_dir) / "backup.ckpt")

    def on_train_begin(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        file = agreed([self.backup_file], args)
        if file is not None:
            begin_from(file, args)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.cur_epoch_num % self.save_freq == 0:
            save_together(self.backup_file, args, between_epochs=True)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.delete_checkpoint and not early_status():
            if is_joined():
                barrier()
            for file in (self.backup_file, next_of(self.backup_file)):
                Path(file).unlink(missing_ok=True)


class ResumeFrom(Callback):
    """Resume another run of `Model` from its saved state.

    `ModelCheckpoint` saves such files with `CheckpointConfig(run_state=True)`. The run resumes within the epoch, at the
    next row, with the same results as an uninterrupted run.

    In a run of several processes each needs this callback. They resume from the newest save that all of them have, or stop with an
    error.

    Args:
        path: The file, or a folder, whose newest `.ckpt` file is used; if there is none, a new run begins.

    Examples:
        >>> import sporax as ms, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> config = ms.train.CheckpointConfig(save_checkpoint_steps=100, run_state=True)
        >>> callbacks = [ms.train.ModelCheckpoint("net", folder, config), ms.train.ResumeFrom(folder)]
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def on_train_begin(self, run_context: RunContext) -> None:
        files = sorted(self.path.glob("*.ckpt"), key=_written) if self.path.is_dir() else [self.path]
        file = agreed(files, run_context.original_args())
        if file is not None:
            begin_from(file, run_context.original_args())


def _written(file: Path) -> int:
    return file.stat().st_mtime_ns


class OnRequestExit(Callback):
    """On a signal, finish the step, save the run and stop; a later run resumes it.

    In a run of several processes each needs this callback. A signal to one of them stops all after the same step, on which JAX's
    `reached_preemption_sync_point` lets them agree. Each saves its state in `DIRECTORY/rank_RANK`. `sporax run` and
    `sporax launch` then end with status 75 (EX_TEMPFAIL), so that a scheduler starts the run again. Other programs see it by
    the attribute `exit`.

    Args:
        save_ckpt: Whether to save `DIRECTORY/rank_N/NAME_train.ckpt` (`NAME_eval.ckpt` in evaluation).
        save_mindir: Accepted; no graph is written, because a run resumes from the checkpoint.
        file_name: The name.
        directory: The folder.
        config_file: A JSON file; an entry `"GracefulExit": 1` requests the exit like the signal.
        sig: The signal. Default `signal.SIGTERM`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If the signal cannot be handled.

    Examples:
        >>> import sporax as ms, tempfile
        >>> leave = ms.train.OnRequestExit(directory=tempfile.mkdtemp())
    """

    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str = "./",
        config_file: str | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:
        for name, value, kind in (
            ("save_ckpt", save_ckpt, bool),
            ("save_mindir", save_mindir, bool),
            ("sig", sig, int),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"OnRequestExit: {name} must be {kind.__name__}, got {describe(value)}.")
        if sig == signal.SIGKILL:
            raise ValueError("OnRequestExit: SIGKILL ends a process at once; choose another signal.")
        self.save_ckpt, self.save_mindir, self.config_file, self.sig = save_ckpt, save_mindir, config_file, sig
        number = world().rank if is_joined() else config.get_context("device_id")
        folder = Path(directory or "./") / f"rank_{number}"
        folder.mkdir(parents=True, exist_ok=True)
        self.train_name, self.eval_name = str(folder / f"{file_name}_train"), str(folder / f"{file_name}_eval")
        self.exit, self._asked = False, False
        self._before: dict[int, Any] = {}
        self._agrees = False

    def _begin(self, network: Cell, names: tuple[str, ...], args: InternalCallbackParam) -> None:
        self.exit, self._asked = False, False
        self._agrees = is_joined() and network is args.train_network
        numbers = {self.sig, signal.SIGTERM} if self._agrees else {self.sig}
        self._before = {number: signal.getsignal(number) for number in numbers}
        if self._agrees:
            jax_compat.begin_to_agree_on_stops()  # SIGTERM is JAX's now
        if not self._agrees or self.sig != signal.SIGTERM:
            signal.signal(self.sig, self._note)
        found = [f"{name}.ckpt" for name in names if Path(f"{name}.ckpt").is_file()]
        if not self.save_ckpt:
            return
        file = agreed([f"{name}.ckpt" for name in names], args) if self._agrees else found[0] if found else None
        if file is not None:
            begin_from(file, args, network)

    def _note(self, signum: int, frame: FrameType | None) -> None:
        self._ask()

    def _ask(self) -> None:
        """Stop, or let the processes agree on where to stop: JAX listens to SIGTERM."""
        if not self._agrees:
            self.exit = True
        elif not self._asked:
            self._asked = True
            os.kill(os.getpid(), signal.SIGTERM)

    def _stops_after(self, step: int) -> bool:
        file = None if self.exit or self._asked or self.config_file is None else Path(self.config_file)
        if file is not None and file.is_file() and json.loads(file.read_text()).get("GracefulExit") == 1:
            self._ask()
        if self._agrees:
            if self.exit:
                self._ask()
            self.exit = jax_compat.stops_after(step)
            if self.exit:
                note_early_end()
        return self.exit

    def __exit__(self, *error: object) -> None:
        self._give_back()
        super().__exit__(*error)

    def _give_back(self) -> None:
        """Restore the program's signal handlers, also after a failed run."""
        before, self._before = self._before, {}
        for number, handler in before.items():
            if self._agrees or signal.getsignal(number) == self._note:
                signal.signal(number, handler)

    def _end(self, network: Cell, name: str, args: InternalCallbackParam) -> None:
        self._give_back()
        if self.exit and self.save_ckpt:
            numbers = {"epoch_num": args.cur_epoch_num, "step_num": args.cur_step_num, "batch_num": args.batch_num}
            append = {k: v for k, v in numbers.items() if v is not None}
            if network is args.train_network:
                between = args.cur_step_num % args.get("epoch_size", args.batch_num) == 0
                save_together(f"{name}.ckpt", args, between_epochs=between, append_dict=append)
            else:
                save_checkpoint(network, f"{name}.ckpt", append_dict=append)
        if self.exit and self._agrees:
            barrier()  # a starter may end the others as soon as one has ended, whose last save is not in its place yet

    def on_train_begin(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._begin(args.train_network, (self.train_name,), args)

    def on_train_step_end(self, run_context: RunContext) -> None:
        if self._stops_after(run_context.original_args().cur_step_num):
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._end(args.train_network, self.train_name, args)

    def on_eval_begin(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.train_network is None:
            self._begin(args.eval_network, (self.eval_name, self.train_name), args)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        if self._stops_after(0):
            run_context.request_stop()

    def on_eval_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.train_network is None:
            self._end(args.eval_network, self.eval_name, args)
