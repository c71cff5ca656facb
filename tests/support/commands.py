"""Commands of sporax, in processes of their own."""

import subprocess
import sys
from pathlib import Path


def sporax(*args: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "sporax", *args], capture_output=True, text=True, cwd=cwd)
