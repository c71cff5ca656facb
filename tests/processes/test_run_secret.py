"""The secret of a run: who shares it, and who is asked for it."""

import os
import re
import stat

import pytest
from click.testing import CliRunner
from launching import PROGRAMS
from run_table import KNOWN

from sporax._src.cli.commands.launch import launch
from sporax._src.processes import rank_assignment, run_secret

PROGRAM = PROGRAMS / "doors.py"


def test_processes_of_one_user_share_a_secret_on_their_machine(monkeypatch, tmp_path):
    monkeypatch.setattr(rank_assignment.tempfile, "gettempdir", lambda: str(tmp_path))
    found = {run_secret.secret_of(address) for address in ("127.0.0.1:1", "localhost:2", "[::1]:3")}
    assert len(found) == 1 and re.fullmatch("[0-9a-f]{64}", *found)
    (folder,) = tmp_path.iterdir()
    (file,) = folder.iterdir()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)
    other = os.getuid() + 1
    monkeypatch.setattr(rank_assignment.os, "getuid", lambda: other)
    folder.rename(tmp_path / f"sporax-{other}")
    with pytest.raises(ValueError, match="belongs to another user; set RANK_ID or MS_NODE_ID, and SPORAX_SECRET"):
        run_secret.secret_of("127.0.0.1:1")


def test_an_address_that_others_reach_needs_a_secret(monkeypatch):
    told = "this run meets at 192.0.2.1:8118, which other machines can reach: set the environment variable SPORAX_SECRET to one"
    with pytest.raises(ValueError, match=re.escape(told)):
        run_secret.secret_of("192.0.2.1:8118")
    options = ["-n", "2", "--local_worker_num", "1", "--node_rank", "1", "--master_addr", "192.0.2.1", str(PROGRAM)]
    assert told in CliRunner().invoke(launch, options).output
    monkeypatch.setenv("SPORAX_SECRET", KNOWN)
    assert run_secret.secret_of("192.0.2.1:8118") == KNOWN
    monkeypatch.setenv("SPORAX_SECRET", "short")
    with pytest.raises(ValueError, match=r"variable SPORAX_SECRET must have at least 16 characters, got 5\."):
        run_secret.secret_of("127.0.0.1:8118")
