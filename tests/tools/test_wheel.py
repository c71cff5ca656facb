"""`tools/wheel.py` sees what an archive lacks and what a wheel should not have, and runs the examples that it says it runs."""

import importlib.util
import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from house import ROOT

spec = importlib.util.spec_from_file_location("wheel_tool", ROOT / "tools" / "wheel.py")
wheel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(wheel)


def test_a_file_that_an_archive_lacks_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = tmp_path / "checkout"
    listed.mkdir()
    for name in ("a.py", "b.py"):
        (listed / name).touch()
    monkeypatch.setattr(wheel, "ROOT", listed)
    files = subprocess.CompletedProcess([], 0, "a.py\0b.py\0gone.py\0")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: files)
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("sporax-1/a.py"), io.BytesIO())
    assert wheel.lost(tmp_path / "x.tar.gz") == ["b.py"]  # `gone.py` is deleted in the checkout


def test_what_a_wheel_should_not_have_is_found(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.whl", "w") as opened:
        for name in ("sporax/a.py", "sporax-0.2.0.dist-info/METADATA", "tests/a.py", "sporax_tests/a.py"):
            opened.writestr(name, "")
    assert wheel.strays(tmp_path / "x.whl") == ["sporax_tests/a.py", "tests/a.py"]


def test_a_command_tells_its_status_and_its_last_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    good = wheel.ran([sys.executable, "-c", "print('a'); print('b'); print('━━')"], tmp_path / "good")
    assert (good["status"], good["last"]) == (0, "b")
    assert wheel.ran([sys.executable, "-c", "raise SystemExit('why')"], tmp_path / "bad")["status"] == 1
    assert "why" in capfd.readouterr().err


def test_each_example_of_the_page_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(wheel, "ran", lambda call, folder: ran.append(call[-1]))
    found = wheel.friends(Path("python"), tmp_path)
    assert [*found] == [
        "friends: Files of Hugging Face, 1",
        "friends: Data, 2",
        "friends: Data, 3",
        "friends: TensorBoard, Weights & Biases, MLflow, 4",
        "friends: TensorBoard, Weights & Biases, MLflow, 5",
        "friends: TensorBoard, Weights & Biases, MLflow, 6",
    ]
    for block in ran:
        compile(block, "friends.md", "exec")
    assert [name in "".join(ran) for name in ("datasets", "grain", "WandbCallback", "MLflowCallback")] == [True] * 4


def test_the_programs_of_the_tour_are_run_by_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[object]] = []
    monkeypatch.setattr(wheel, "ran", lambda call, folder: ran.append(call))
    wheel.tour(tmp_path / "python", tmp_path / "tour")
    assert ran == [[tmp_path / "sporax", "run", "train.py"], [tmp_path / "python", "predict.py"]]
    assert sorted(path.name for path in (tmp_path / "tour").iterdir()) == ["predict.py", "train.py"]
