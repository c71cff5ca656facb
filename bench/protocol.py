"""JSON lines between the driver and its workers: `serve` is the worker's end, `Worker` the driver's."""

import json
import math
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

from bench.machine import process_seconds

_REST = 0.5  # seconds between two looks at the time that a worker has used


class WorkerError(Exception):
    """A worker answered with an error, or died."""


def serve(backend: object) -> None:
    """Answer one request a line with the backend's method of that name until stdin closes."""
    with os.fdopen(os.dup(1), "w", buffering=1) as replies:
        os.dup2(2, 1)  # whatever the framework prints goes to the log
        for line in sys.stdin:
            request = json.loads(line)
            try:
                reply = getattr(backend, request.pop("do"))(**request)
            except Exception as error:
                traceback.print_exc()
                reply = {"error": f"{type(error).__name__}: {error}"}
            replies.write(json.dumps(reply) + "\n")


class Worker:
    """A process that serves requests, stopped in between so that it takes no core from the others."""

    def __init__(self, command: list[str], *, env: dict[str, str], cwd: Path, log: Path) -> None:
        self.log = log
        with log.open("w") as stderr:
            self.process = subprocess.Popen(
                command, env=env, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                text=True, bufsize=1, start_new_session=True,
            )  # fmt: skip

    def ask(self, do: str, **request: object) -> dict:
        """Wake the worker, have it do one thing, and stop it again."""
        self._signal(signal.SIGCONT)
        try:
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise WorkerError(f"ended with status {self.process.wait()}: {self._last_words()}")
        self._signal(signal.SIGSTOP)
        reply = json.loads(line)
        if "error" in reply:
            raise WorkerError(reply["error"].strip().splitlines()[0][:200])
        return reply

    def rest(self, share: float) -> None:
        """Leave the worker awake until it uses less than this share of a core: what it does on other threads is done then."""
        self._signal(signal.SIGCONT)
        used = -math.inf
        while (now := process_seconds(self.process.pid)) - used > share * _REST:
            used = now
            time.sleep(_REST)
        self._signal(signal.SIGSTOP)

    def close(self) -> None:
        """End the worker and every process it started."""
        self._signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def _last_words(self) -> str:
        lines = [line.strip() for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return lines[-1][:200] if lines else "no output"
