"""A run on the hosts of a file; `ssh` is a script that runs the command here."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from launching import free_port

from sporax._src.cli.commands.launch import launch
from sporax._src.cli.hosts import Host, hosts_of

PROGRAM = """
import os, sys, time
from mindspore.communication import get_group_size, get_rank, init
init()
print("process", get_rank(), "of", get_group_size(), "with", sys.argv[1:], flush=True)
open(f"{os.environ['SPORAX_FOLDER']}/{os.getpid()}", "w")
time.sleep(float(sys.argv[1]))
"""
SSH = """#!/bin/sh
[ "$3" = node3 ] && exit 255
echo "$@" >> "$SSH_LOG"
exec env -u SPORAX_SECRET -u SPORAX_FOLDER sh -c "$4"
"""


def test_lines_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("# the cluster\nnode1 slots=8\nnode2:4  # half\n\n10.0.0.3\n[fe80::1]:2\n")
    assert hosts_of(str(tmp_path / "hosts")) == [
        Host("node1", 8), Host("node2", 4), Host("10.0.0.3", 1), Host("[fe80::1]", 2)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("node1 slots=x\n", "line 1: expected a host such as `node1 slots=8`, got 'node1 slots=x'."),
        ("node1 slots=0\n", "line 1: expected a host such as"),
        ("node1\nnode1:2\n", "line 2: the host node1 is named twice."),
        ("# none\n", "names no host; a line is, for example, `node1 slots=8`."),
        ("node1 slots=2\n", "have 2 slots, the run 3 processes."),
    ],
)
def test_files_that_cannot_be(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "hosts").write_text(text)
    done = CliRunner().invoke(launch, ["-n", "3", "--hostfile", str(tmp_path / "hosts"), __file__])
    assert done.exit_code == 2 and told in done.output
    done = CliRunner().invoke(launch, ["--hostfile", str(tmp_path / "none"), __file__])
    assert done.exit_code == 2 and "No such file or directory" in done.output


def _start(folder: Path, hosts: str, seconds: float) -> subprocess.Popen[str]:
    (folder / "bin").mkdir()
    (folder / "bin" / "ssh").write_text(SSH)
    (folder / "bin" / "ssh").chmod(0o755)
    (folder / "hosts").write_text(hosts)
    (folder / "train.py").write_text(PROGRAM)
    (folder / "started").mkdir()
    environment = os.environ | {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "SSH_LOG": str(folder / "log"),
        "SPORAX_SECRET": "a secret of some length", "SPORAX_FOLDER": str(folder / "started"),
    }  # fmt: skip
    command = [sys.executable, "-m", "sporax", "launch", "--hostfile", "hosts", "--master_addr", "127.0.0.1"]
    command += ["--master_port", str(free_port()), "--cluster_time_out", "60", "train.py", str(seconds), "a b"]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, env=environment, cwd=folder, **output)  # type: ignore[call-overload]


def test_a_launcher_starts_on_each_host(tmp_path: Path) -> None:
    run = _start(tmp_path, "node1 slots=1\nnode2 slots=1\n", 0)
    told = run.communicate(timeout=120)[0]
    assert run.returncode == 0, told
    for rank in range(2):
        assert f"[{rank}] process {rank} of 2 with ['0', 'a b']" in told
    lines = (tmp_path / "log").read_text()
    assert "node1" in lines and "node2" in lines and "a secret of some length" not in lines


def test_a_signal_ends_all(tmp_path: Path) -> None:
    run = _start(tmp_path, "node1 slots=1\nlocalhost slots=1\n", 300)
    while len(started := list((tmp_path / "started").iterdir())) < 2:
        assert run.poll() is None, run.communicate()[0]
        time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    told = run.communicate(timeout=60)[0]
    assert run.returncode != 0 and "SIGTERM came; all processes were ended." in told
    end = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{file.name}") for file in started):
        assert time.monotonic() < end, "a process of the run goes on"
        time.sleep(0.1)


def test_a_host_that_cannot_be_reached(tmp_path: Path) -> None:
    run = _start(tmp_path, "node1 slots=1\nnode3 slots=1\n", 0)
    told = run.communicate(timeout=60)[0]
    assert run.returncode != 0
    assert "sporax launch: ssh could not start a launcher on node3, or lost it." in told
