"""A process that fails, hangs, is killed or ends too early: all of them end, and the launcher's status tells."""

import os
import signal
import socket
import subprocess
import time

import pytest
from click.testing import CliRunner
from launching import PROGRAMS, command, launched

from sporax._src.cli.commands.launch import LaunchCommand, launch

PROGRAM = PROGRAMS / "failing.py"


@pytest.mark.parametrize(
    ("how", "status", "told"),
    [
        ("raise", 1, "ValueError: no luck"),
        ("kill", 137, "process 1 was ended by SIGKILL; the others were ended."),
        ("return", 1, "process 0 ended with status 1 after process 1 had ended; the others were ended."),
    ],
)
def test_all_end_when_one_does(how: str, status: int, told: str):
    run = launched(PROGRAM, how)
    assert run.returncode == status and told in run.stdout + run.stderr, run.stdout + run.stderr
    if how == "return":
        assert "RuntimeError: an exchange with the other processes of the run failed; one has ended" in run.stdout


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_processes_end_with_their_launcher(tmp_path, number: signal.Signals, status: int):
    run = subprocess.Popen(command(PROGRAM, "busy", tmp_path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert run.stdout is not None
    while len(found := list(tmp_path.iterdir())) < 2:
        assert run.poll() is None
        time.sleep(0.1)
    run.send_signal(number)
    assert run.wait(30) == status
    if number == signal.SIGINT:
        assert b"sporax launch: SIGINT came; all processes were ended." in run.stdout.read()
    end = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{file.name}") for file in found):
        assert time.monotonic() < end, "a process of the run goes on"
        time.sleep(0.1)
    run.stdout.close()


def test_a_taken_port_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = launched("--master_port", port, PROGRAM, "raise")
    assert run.returncode == 1
    assert f"cannot listen at 127.0.0.1:{port} (Address already in use); name another --master_port." in run.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--local_worker_num", 3), "node 0 with 3 processes exceeds the run's 2"),
        (("--min_worker_num", 3), "--min_worker_num is 3, greater than the run's 2 processes"),
        (("--interface", "eth77"), "--interface: this machine has no 'eth77'; it has lo"),
        (("--bind_core", "some"), """expected true, false or {"device0": ["0-3"], ...}, got 'some'."""),
        (("--tail_worker_log", "first"), "expected numbers of processes such as 0,1, got 'first'."),
    ],
)
def test_wrong_options_are_refused(options: tuple, told: str):
    run = CliRunner().invoke(launch, list(map(str, ["-n", 2, *options, PROGRAM])))
    assert run.exit_code == 2 and told in run.output


def test_logs_are_written_and_shown_as_msrun_does(tmp_path):
    options = "--log_dir", tmp_path, "--worker_log_name", "of_{hostname}", "--tail_worker_log", "1"
    run = launched(*options, "--bind_core", '{"device1": ["0-0"]}', "--cluster_time_out", 60, PROGRAM, "exit")
    assert run.returncode == 3 and "process 1 ended with status 3; the others were ended." in run.stderr
    logs = [(tmp_path / f"of_{socket.gethostname()}_{rank}.log").read_text() for rank in range(2)]
    assert [f"this is {rank}\n" in log for rank, log in enumerate(logs)] == [True, True]
    assert "[1] this is 1" in run.stdout and "this is 0" not in run.stdout


def invoked(*words: str) -> str:
    done = CliRunner().invoke(launch, [*words, "train.py"])
    assert done.exit_code == 2
    return done.output


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("-n", "0"), "0 is not in the range x>=1"),
        (("--master_port", "65536"), "65536 is not in the range 1<=x<=65535"),
        (("--bind_core", "some"), "expected true, false or"),
        (("--bind_core", '{"device0": 3}'), "expected true, false or"),
        (("--tail_worker_log", "a"), "expected numbers of processes such as 0,1, got 'a'"),
    ],
)
def test_options_that_cannot_be(words: tuple[str, ...], text: str) -> None:
    assert text in invoked(*words)


def test_values_of_options() -> None:
    options = {option.name: option.type for option in launch.params}
    cores, local = options["bind_core"], options["tail_worker_log"]
    assert cores.convert("True", None, None) is True and cores.convert("false", None, None) is False
    assert cores.convert('{"device0": ["0-2", "5-5"], "1": ["3-4"]}', None, None) == {0: {0, 1, 2, 5}, 1: {3, 4}}
    assert local.convert("0,2", None, None) == {0, 2} and local.convert("-1", None, None) == {-1}


def test_options_behind_the_program_are_the_programs() -> None:
    assert isinstance(launch, LaunchCommand)
    context = launch.make_context("launch", ["-n", "2", "train.py", "-n", "3", "--lr", "0.1"])
    assert context.params["worker_num"] == 2 and context.params["program"] == ("train.py", "-n", "3", "--lr", "0.1")


def test_a_script_that_is_missing_starts_no_process(tmp_path):
    done = CliRunner().invoke(launch, ["-n", "2", str(tmp_path / "train.py")])
    assert done.exit_code == 2 and done.output.count("train.py', and no such command.") == 1
