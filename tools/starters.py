"""Run two processes under the starters that this machine has: Open MPI, MPICH, torchrun and Slurm, for which it starts a cluster.

    python tools/starters.py    # writes tools/results/starters.json

On Debian: `apt-get install openmpi-bin slurm-wlm munge` as root; torchrun comes with PyTorch. Others are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = [sys.executable, "-m", "sporax", "run", str(ROOT / "tests" / "dist" / "programs" / "by_hand.py")]
STARTERS = {
    "mpirun": ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"],
    "mpiexec.hydra": ["mpiexec.hydra", "-n", "2"],
    "torchrun": ["torchrun", "--nproc-per-node", "2", "--no-python"],
    "torchrun --standalone": ["torchrun", "--standalone", "--nproc-per-node", "2", "--no-python"],
    "srun": ["srun", "-n", "2", "--overcommit"],
    "srun --mpi=pmi2": ["srun", "--mpi=pmi2", "-n", "2", "--overcommit"],
    "srun of sporax launch": ["srun", "-n", "1", *PROGRAM[:3], "launch", "-n", "2", PROGRAM[-1]],
}
MEETING = {"mpiexec.hydra": {"MASTER_ADDR": "127.0.0.1"}}  # what a starter does not say
CONFIGURATION = """
ClusterName=trial
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=YES
"""


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[dict[str, str]]:
    """Run Slurm with this machine as its only node; yield the variables for its commands."""
    (folder / "state").mkdir(), (folder / "spool").mkdir()
    key, configuration = folder / "munge.key", folder / "slurm.conf"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o400)
    names = {"host": socket.gethostname().partition(".")[0], "folder": folder, "cores": os.cpu_count()}
    configuration.write_text(CONFIGURATION.format(**names))
    munge = [
        f"--{name}={folder}/munge.{name.partition('-')[0]}"
        for name in ("key-file", "socket", "pid-file", "log-file", "seed-file")
    ]
    commands = [
        ["munged", "--force", "--foreground", *munge],
        ["slurmctld", "-D", "-f", str(configuration)],
        ["slurmd", "-D", "-f", str(configuration)],
    ]
    path = f"{os.environ['PATH']}:/usr/sbin"
    started = []
    try:
        for command in commands:
            started.append(
                subprocess.Popen(
                    [shutil.which(command[0], path=path) or command[0], *command[1:]],
                    stderr=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            )
            time.sleep(3)
        yield {"SLURM_CONF": str(configuration)}
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def version(program: str, variables: dict[str, str]) -> str:
    """Return what a starter says of its version."""
    if program == "torchrun":
        return f"torch {importlib.metadata.version('torch')}"
    return subprocess.run(
        [program, "--version"], env=os.environ | variables, capture_output=True, text=True
    ).stdout.splitlines()[0]


def outcome(command: list[str], variables: dict[str, str]) -> dict[str, object]:
    """Start two processes, and return what they printed."""
    began = time.monotonic()
    run = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=60)
    lines = [line.partition("] ")[2] if line.startswith("[") else line for line in run.stdout.splitlines()]
    told = sorted(line for line in lines if line.startswith("process"))
    if told != ["process 0 of 2 [3.0]", "process 1 of 2 [3.0]"]:
        print(run.stdout, run.stderr)
    return {"status": run.returncode, "printed": told, "seconds": round(time.monotonic() - began, 1)}


def main() -> None:
    """Try all starters, and write what came."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        for name, command in STARTERS.items():
            if shutil.which(command[0]) is None:
                print(name, "is not there")
                continue
            variables = MEETING.get(name, {})
            if command[0] == "srun":
                if not any(Path(folder).iterdir()):
                    slurm = stack.enter_context(cluster(Path(folder)))
                variables = slurm
            whole = command if PROGRAM[-1] in command else [*command, *PROGRAM]
            results[name] = {"version": version(command[0], variables), **outcome(whole, variables)}
            print(name, results[name], flush=True)
    (ROOT / "tools" / "results" / "starters.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
