"""Child processes that answer questions by turns, and the parts of DATA.md."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "bench" / "DATA.md"


class NoAnswer(RuntimeError):
    """A process does not answer in time."""


class Child:
    """A process that runs ``python -m MODULE serve NAME``; the question is one line of JSON, as is the answer.

    Args:
        python: The Python.
        module: The module.
        name: What it serves.
        path: Its PYTHONPATH, behind the repository. Default: that of this process.
        limit: How many seconds an answer may take. Default: any.
    """

    def __init__(
        self, python: str, module: str, name: str, path: str | None = None, limit: float | None = None
    ) -> None:
        self._limit = limit
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH") if path is None else path])]
        self._command = [python, "-m", module, "serve", name]
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=self._environment,
            start_new_session=True,
        )  # fmt: skip

    def ask(self, **question: Any) -> dict[str, Any]:
        """Return the answer to a question.

        Raises:
            NoAnswer: If there is none in time; another process takes the next question.
            RuntimeError: If the process has ended.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], self._limit)[0]:
            self._kill()
            self._process = self._started()
            raise NoAnswer(f"bench.data: {self._command[-1]} does not answer {question} within {self._limit} s.")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"bench.data: a process ended with code {self._process.wait()}.")
        return json.loads(line)

    def end(self) -> None:
        """End the process, and the workers that a framework leaves: some wait for each other for ever."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()


def serve(answer: Callable[..., dict[str, Any]]) -> None:
    """Answer the questions of the parent until it closes the pipe; what libraries print goes to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(answer(**json.loads(line))) + "\n")
        answers.flush()


def write_part(name: str, text: str) -> None:
    """Replace the part `name` of DATA.md, or add it."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# Data pipelines, measured\n"
    part = f"<!-- {name} -->\n{text.strip()}\n<!-- end of {name} -->\n"
    whole = re.compile(rf"<!-- {name} -->\n.*?<!-- end of {name} -->\n", re.DOTALL)
    found = whole.search(page)
    page = page[: found.start()] + part + page[found.end() :] if found else f"{page}\n{part}"
    PAGE.write_text(page, encoding="utf-8")


def machine() -> str:
    """Return a name of this machine."""
    model = ""
    if os.path.exists("/proc/cpuinfo"):
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        model = found[1] if found else ""
    return f"{model or platform.machine()}, {os.cpu_count()} processors"
