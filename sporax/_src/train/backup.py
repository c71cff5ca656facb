"""Callbacks that keep a run safe: a backup to go on from, and an orderly exit on a signal."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from types import FrameType
from typing import Any

from sporax._src.base import config
from sporax._src.base.errors import describe
from sporax._src.checkpoint.serialization import load_checkpoint, save_checkpoint
from sporax._src.nn.cell.cell import Cell
from sporax._src.train.callback import Callback, InternalCallbackParam, RunContext
from sporax._src.train.monitor import check_int


class BackupAndRestore(Callback):
    """Save network and optimizer after epochs, and go on from there if a run begins and the file exists.

    Args:
        backup_dir: The folder of the file `backup.ckpt`.
        save_freq: `"epoch"`, or the number of epochs between two saves.
        delete_checkpoint: Whether the file is deleted after a run that reaches its end.

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
        if Path(self.backup_file).exists():
            load_checkpoint(self.backup_file, net=run_context.original_args().train_network)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(args.train_network, self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.delete_checkpoint:
            Path(self.backup_file).unlink(missing_ok=True)


class OnRequestExit(Callback):
    """On a signal, finish the step, save a checkpoint and stop; a later run goes on from the checkpoint.

    Args:
        save_ckpt: Whether to save `DIRECTORY/rank_N/NAME_train.ckpt` (`NAME_eval.ckpt` in evaluation).
        save_mindir: Accepted; what a run goes on from is the checkpoint, so no graph is written.
        file_name: The name.
        directory: The folder.
        config_file: A JSON file; an entry `"GracefulExit": 1` asks for the exit as the signal does.
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
        folder = Path(directory or "./") / f"rank_{config.get_context('device_id')}"
        folder.mkdir(parents=True, exist_ok=True)
        self.train_name, self.eval_name = str(folder / f"{file_name}_train"), str(folder / f"{file_name}_eval")
        self.exit = False
        self._before: Any = None

    def _begin(self, network: Cell, names: tuple[str, ...]) -> None:
        self.exit = False
        self._before = signal.signal(self.sig, self._note)
        found = [f"{name}.ckpt" for name in names if Path(f"{name}.ckpt").is_file()]
        if self.save_ckpt and found:
            load_checkpoint(found[0], net=network)

    def _note(self, signum: int, frame: FrameType | None) -> None:
        self.exit = True

    def _asked(self) -> bool:
        if not self.exit and self.config_file is not None and Path(self.config_file).is_file():
            self.exit = json.loads(Path(self.config_file).read_text()).get("GracefulExit") == 1
        return self.exit

    def __exit__(self, *error: Any) -> None:
        self._give_back()
        super().__exit__(*error)

    def _give_back(self) -> None:
        """Let the program have its handler again, also after a run that has failed."""
        if signal.getsignal(self.sig) == self._note:
            signal.signal(self.sig, self._before)

    def _end(self, network: Cell, name: str, args: InternalCallbackParam) -> None:
        self._give_back()
        if self.exit and self.save_ckpt:
            numbers = {"epoch_num": args.cur_epoch_num, "step_num": args.cur_step_num, "batch_num": args.batch_num}
            save_checkpoint(network, f"{name}.ckpt", append_dict={k: v for k, v in numbers.items() if v is not None})

    def on_train_begin(self, run_context: RunContext) -> None:
        self._begin(run_context.original_args().train_network, (self.train_name,))

    def on_train_step_end(self, run_context: RunContext) -> None:
        if self._asked():
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        self._end(args.train_network, self.train_name, args)

    def on_eval_begin(self, run_context: RunContext) -> None:
        if run_context.original_args().train_network is None:
            self._begin(run_context.original_args().eval_network, (self.eval_name, self.train_name))

    def on_eval_step_end(self, run_context: RunContext) -> None:
        if self._asked():
            run_context.request_stop()

    def on_eval_end(self, run_context: RunContext) -> None:
        args = run_context.original_args()
        if args.train_network is None:
            self._end(args.eval_network, self.eval_name, args)
