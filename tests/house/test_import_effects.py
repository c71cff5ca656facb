"""Importing sporax changes in the process what docs/jax.md lists and nothing else; dependencies have tested versions."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from house import ROOT

from sporax._src.startup.process import PLATFORMS

CODE = """
import os, signal, sys, threading, warnings
import numpy as np

def state():
    handlers = [signal.getsignal(s) for s in signal.valid_signals() if s not in (signal.SIGKILL, signal.SIGSTOP)]
    files = sorted(os.readlink(f"/proc/self/fd/{f}") for f in os.listdir("/proc/self/fd") if int(f) < 3)
    opened = len(os.listdir("/proc/self/fd"))
    children = open(f"/proc/self/task/{os.getpid()}/children").read()
    return handlers, files, opened, children, threading.active_count(), np.geterr(), warnings.filters[:], os.listdir(".")

before = state()
import sporax
assert state() == before, (before, state())
"""


def test_the_process_is_as_it_was(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", CODE], cwd=tmp_path, check=True)


JAX_CODE = """
import json, jax
from jax._src.interpreters import mlir
import jax.experimental.checkify  # which adds a lowering of its own

def state():
    tables = mlir._platform_specific_lowerings
    on_platforms = {f"{p} {platform}": v for platform, table in tables.items() for p, v in table.items()}
    return dict(jax.config.values), on_platforms, dict(mlir._lowerings)

settings, on_platforms, anywhere = state()
import sporax
now, on_platforms_now, anywhere_now = state()
assert anywhere.items() <= anywhere_now.items()
changed = lambda before, after: sorted(k for k in after if k not in before or after[k] != before[k])
print(json.dumps([changed(settings, now), changed(on_platforms, on_platforms_now)]))
"""


def test_jax_is_changed_as_the_document_lists() -> None:
    """Settings of JAX, and lowerings by platform, are those of the two tables of docs/jax.md."""
    run = subprocess.run([sys.executable, "-c", JAX_CODE], capture_output=True, text=True, check=True)
    settings, lowerings = json.loads(run.stdout)
    text = (ROOT / "docs" / "jax.md").read_text()
    assert settings == sorted(re.findall(r"^\| `(jax_\w+)` \|", text, re.MULTILINE))
    assert lowerings == sorted(map(" ".join, re.findall(r"^\| `(\w+)` \| `(\w+)` \|", text, re.MULTILINE)))
    assert {line.split()[1] for line in lowerings} == set(PLATFORMS)


LOGGING = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(name)s")
import sporax as ms
ms.Tensor([1.0]).sum().item()
logging.debug("own")
"""


def test_a_root_logger_does_not_tell_of_jax() -> None:
    """A program that logs at DEBUG reads its own lines; JAX_LOGGING_LEVEL asks for JAX's."""

    def lines(**asked: str) -> list[str]:
        code = "import jax, sporax\n" + LOGGING  # what `import jax` itself says is not sporax's
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | asked)
        return run.stdout.split()

    assert lines() == ["root"]
    assert any(name.startswith("jax") for name in lines(JAX_LOGGING_LEVEL="DEBUG"))


def test_dependencies_have_upper_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [n for group in (project["dependencies"], *project["optional-dependencies"].values()) for n in group]
    assert [n for n in needed if not re.search(r"<\d|==\d", n) and not n.startswith("sporax[")] == []
