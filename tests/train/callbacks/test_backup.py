"""Backups of a run, and exits on request."""

import os
import random
import signal
from pathlib import Path

import numpy as np
import pytest
from disturbed_runs import disturbed
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
def test_processes_resume_where_all_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: list, want: int | None
) -> None:
    places = [(1, 8, A), (2, 16, A)] if others else []
    files = _held(tmp_path, monkeypatch, places, others)
    found = resume.agreed(files, args := InternalCallbackParam())
    assert found == (None if want is None else files[want - 1])
    assert args.training == (A if others else "drawn")


@pytest.mark.parametrize(
    ("others", "told"), [([], "none"), ([(0, 0, "")], "weights"), ([(2, 16, B)], "step 16 of epoch 2")]
)
def test_processes_without_a_common_place_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: list, told: str
) -> None:
    files = _held(tmp_path, monkeypatch, [(1, 8, A), (2, 16, A)], others)
    with pytest.raises(RuntimeError) as error:
        resume.agreed(files, InternalCallbackParam())
    assert str(error.value).splitlines() == [
        "the processes have no save of one training at one place, from which all could go on:",
        "  process 0 has step 8 of epoch 1, step 16 of epoch 2",
        f"  process 1 has {told}",
    ]


def test_a_save_that_only_one_process_has_begun_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = _held(tmp_path, monkeypatch, [(1, 8, A)], [], coming=1)
    assert resume.agreed(files, InternalCallbackParam()) is None


def test_a_save_that_all_have_is_put_in_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = _held(tmp_path, monkeypatch, [(1, 8, A), (2, 16, A)], [(2, 16, A)], coming=1)
    assert resume.agreed(files, args := InternalCallbackParam()) == files[1]
    assert Path(files[1]).exists() and not Path(resume.next_of(files[1])).exists()
    assert args.training == A


@pytest.mark.parametrize(("loaded", "want"), [((2, 12, A), 1), ((3, 20, A), None), ((3, 20, B), 1)])
def test_the_newest_save_of_two_callbacks_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: tuple, want: int | None
) -> None:
    files = _held(tmp_path, monkeypatch, [(2, 16, A), loaded], [(2, 16, A)])
    args = InternalCallbackParam(resume_from=files[1], training=loaded[2])
    assert resume.agreed(files[:1], args) == (None if want is None else files[0])
    assert args.training == (A if want else loaded[2])


def test_a_loaded_save_stays_if_another_callback_has_none_in_common(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = _held(tmp_path, monkeypatch, [(2, 16, A), (1, 8, A)], [])
    args = InternalCallbackParam(resume_from=files[1], training=A)
    assert resume.agreed(files[:1], args) is None and args.training == A


def _held(folder: Path, monkeypatch: pytest.MonkeyPatch, own: list, others: list, coming: int = 0) -> list[str]:
    """Let this process be the first of two, and return its saves, the last of which are only `coming`."""
    files = [str(folder / f"{number}.ckpt") for number in range(len(own))]
    places = {}
    for i, (file, place) in enumerate(zip(files, own, strict=True)):
        written = resume.next_of(file) if i >= len(own) - coming else file
        Path(written).touch()
        places[written] = resume._Place(*place)

    def gather(everyone: list, mine: tuple) -> None:
        everyone[:] = [(*mine[:2], "drawn"), ([resume._Place(*place) for place in others], [], "not taken")]

    for name, value in (
        ("is_joined", lambda: True), ("ranks_of", lambda *_: range(2)), ("all_gather_object", gather),
        ("_place_of", places.__getitem__),
    ):  # fmt: skip
        monkeypatch.setattr(resume, name, value)
    return files


@pytest.mark.slow
def test_a_training_that_is_disturbed_ends_as_one_left_alone(tmp_path: Path) -> None:
    """Many times: `python tools/random_kills.py`."""
    found = disturbed(tmp_path, 2, 12, 2, random.Random(1))
    starts = found.pop("starts of the launcher")
    assert sum(found.values()) <= 2 and starts == 1 + found.get("end all", 0)
