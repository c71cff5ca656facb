"""Backups of a run, and exits on request."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from training import model, rows

from sporax import train


def test_backup_and_restore(tmp_path: Path) -> None:
    """A run that breaks leaves its backup; the next goes on from there and removes it at its end."""

    class Break(train.Callback):
        def on_train_step_end(self, run_context: train.RunContext) -> None:
            if run_context.original_args().cur_step_num == 6:
                raise KeyboardInterrupt

    whole = model()
    whole.train(3, rows())
    backup = lambda: train.BackupAndRestore(str(tmp_path / "b"))
    with pytest.raises(KeyboardInterrupt):
        model().train(3, rows(), callbacks=[backup(), Break()])
    assert (tmp_path / "b" / "backup.ckpt").exists()
    again = model()
    again.train(3, rows(), callbacks=backup(), initial_epoch=1)
    assert not (tmp_path / "b" / "backup.ckpt").exists()
    np.testing.assert_array_equal(whole.predict_network.weight.asnumpy(), again.predict_network.weight.asnumpy())


def test_exit_on_request(tmp_path: Path) -> None:
    """The signal ends training after the step with a checkpoint, from which the next run goes on."""
    before = signal.getsignal(signal.SIGUSR1)

    class Ask(train.Callback):
        def on_train_step_begin(self, run_context: train.RunContext) -> None:
            if run_context.original_args().cur_step_num == 4:
                os.kill(os.getpid(), signal.SIGUSR1)

    def leave() -> train.OnRequestExit:
        return train.OnRequestExit(file_name="net", directory=str(tmp_path), sig=signal.SIGUSR1)

    whole, built = model(), model()
    whole.train(2, rows())
    built.train(2, rows(), callbacks=[leave(), Ask()])
    assert (tmp_path / "rank_0" / "net_train.ckpt").exists()
    assert signal.getsignal(signal.SIGUSR1) is before
    again = model()
    again.train(2, rows(), callbacks=leave(), initial_epoch=1)
    np.testing.assert_array_equal(whole.predict_network.weight.asnumpy(), again.predict_network.weight.asnumpy())


def test_a_run_that_fails_gives_the_signal_back(tmp_path: Path) -> None:
    def fail(_: train.RunContext) -> None:
        raise ValueError("no more")

    before = signal.getsignal(signal.SIGUSR1)
    leave = train.OnRequestExit(file_name="net", directory=str(tmp_path), sig=signal.SIGUSR1)
    with pytest.raises(ValueError, match="no more"):
        model().train(1, rows(), callbacks=[leave, train.LambdaCallback(on_train_step_end=fail)])
    assert signal.getsignal(signal.SIGUSR1) is before


def test_exit_by_file(tmp_path: Path) -> None:
    """`GracefulExit` in the file asks for the exit; evaluation stops too."""
    asked = tmp_path / "config.json"
    asked.write_text('{"GracefulExit": 1}')
    leave = train.OnRequestExit(file_name="net", directory=str(tmp_path), config_file=str(asked))
    seen: list[int] = []
    watch = train.LambdaCallback(on_train_step_end=lambda c: seen.append(1), on_eval_step_end=lambda c: seen.append(2))
    model({"loss"}).train(2, rows(), callbacks=[leave, watch])
    model({"loss"}).eval(rows(), callbacks=[leave, watch])
    assert seen == [1, 2]
    assert {p.name for p in (tmp_path / "rank_0").iterdir()} == {"net_train.ckpt", "net_eval.ckpt"}
