"""Backups of a run, and exits on request."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from launching import PROGRAMS, launched
from training import model, rows

from sporax import train
from sporax._src.train.callbacks import resume
from sporax._src.train.callbacks.callback import InternalCallbackParam


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


# --- several processes ------------------------------------------------------------------------------------------------


def _ends(folder: Path) -> list[str]:
    return [(folder / f"end_{rank}").read_text() for rank in range(2)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the weights of two processes that nobody disturbs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run = launched(PROGRAMS / "stopping.py", folder, "none")
    assert run.returncode == 0, run.stdout + run.stderr
    first, second = _ends(folder)
    assert first == second and first.startswith("32 False")
    return first.split()[-1]


@pytest.mark.slow
def test_processes_start_again_after_a_kill(tmp_path: Path, undisturbed: str) -> None:
    run = launched("--max_restarts", 2, PROGRAMS / "stopping.py", tmp_path, "backup")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "process 1 was ended by SIGKILL; the others were ended." in run.stderr
    assert run.stderr.count("sporax launch: all processes start again, 1 of 2 times.") == 1
    assert run.stdout.count("The run goes on after epoch 1 of 4, from ") == 2
    assert _ends(tmp_path) == [f"24 False {undisturbed}"] * 2
    assert not list(tmp_path.rglob("*.ckpt"))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_signal_to_one_process_stops_all_after_one_step(tmp_path: Path, undisturbed: str, number: int) -> None:
    run = launched(PROGRAMS / "stopping.py", tmp_path, "exit", int(number))
    assert run.returncode == 75, run.stdout + run.stderr
    assert "sporax launch: all processes have saved and stopped; the run can go on." in run.stderr
    first, second = _ends(tmp_path)
    assert first == second and first.split()[1] == "True"
    done = int(first.split()[0])
    assert 10 <= done < 32
    run = launched(PROGRAMS / "stopping.py", tmp_path, "exit", int(number))
    assert run.returncode == 0, run.stdout + run.stderr
    assert _ends(tmp_path) == [f"{32 - done} False {undisturbed}"] * 2


A, B = ("one", "other")


@pytest.mark.parametrize(
    ("others", "want"),
    [
        ([], None),
        ([(1, 8, A), (2, 16, A)], 2),
        ([(1, 8, A)], 1),
        ([(1, 8, A), (2, 16, B)], 1),
    ],
)
def test_processes_resume_where_all_can(monkeypatch: pytest.MonkeyPatch, others: list, want: int | None) -> None:
    places = [resume._Place(1, 8, A), resume._Place(2, 16, A)] if others else []
    found = resume.agreed(_held(monkeypatch, places, others), args := InternalCallbackParam())
    assert found == (None if want is None else f"{want}")
    assert args.training == (A if others else "drawn")


@pytest.mark.parametrize(
    ("others", "told"), [([], "none"), ([(0, 0, "")], "weights"), ([(2, 16, B)], "step 16 of epoch 2")]
)
def test_processes_without_a_common_place_stop(monkeypatch: pytest.MonkeyPatch, others: list, told: str) -> None:
    files = _held(monkeypatch, [resume._Place(1, 8, A), resume._Place(2, 16, A)], others)
    with pytest.raises(RuntimeError) as error:
        resume.agreed(files, InternalCallbackParam())
    assert str(error.value).splitlines() == [
        "the processes have no save of one training at one place, from which all could go on:",
        "  process 0 has step 8 of epoch 1, step 16 of epoch 2",
        f"  process 1 has {told}",
    ]


def _held(monkeypatch: pytest.MonkeyPatch, own: list, others: list) -> list[str]:
    """Let this process be the first of two, and return the names of its saves."""

    def gather(everyone: list, mine: object) -> None:
        everyone[:] = [(mine[0], "drawn"), ([resume._Place(*place) for place in others], "not taken")]

    for name, value in (
        ("is_joined", lambda: True), ("ranks_of", lambda *_: range(2)), ("all_gather_object", gather),
        ("_place_of", lambda file: own[int(file) - 1]),
    ):  # fmt: skip
        monkeypatch.setattr(resume, name, value)
    return [str(number) for number in range(1, len(own) + 1)]
