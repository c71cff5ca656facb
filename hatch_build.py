"""Build the kernels for the CPU into the wheel, where a compiler of C++ is; without one, sporax works, and computes them by XLA.

python hatch_build.py        # in a checkout that is on the path, without an installation
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path(__file__).resolve().parent / "sporax" / "_src" / "lowering" / "cpu" / "kernels"
LIBRARY = FOLDER / "kernels.so"


def build() -> bool:
    """Compile the kernels, and return whether this worked."""
    compiler = shlex.split(os.environ.get("CXX") or "c++")  # it may have options: "ccache g++"
    jaxlib = find_spec("jaxlib")
    if shutil.which(compiler[0]) is None or jaxlib is None or jaxlib.origin is None:
        return False
    headers = Path(jaxlib.origin).parent / "include"
    flags = ("-O3", "-std=c++17", "-fPIC", "-fno-math-errno", "-Wno-psabi", "-isystem", str(headers))
    made = LIBRARY.with_suffix(f".{os.getpid()}.so")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = {source: Path(folder, f"{source.stem}.o") for source in sorted(FOLDER.glob("*.cc"))}
        pieces = [[*compiler, *flags, "-c", str(source), "-o", str(target)] for source, target in objects.items()]
        whole = [*compiler, *flags, "-shared", *map(str, objects.values()), "-o", str(made)]
        failure = next(filter(None, pool.map(_failure, pieces)), "") or _failure(whole)
    if failure:
        print(f"sporax: the kernels for the CPU are left out; {failure}", file=sys.stderr)
        return False
    made.replace(LIBRARY)
    return True


def _failure(command: list[str]) -> str:
    """Run a command, and return how it failed; empty if it did not."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{' '.join(command)} failed:\n{done.stderr}" if done.returncode else ""


class KernelsHook(BuildHookInterface):
    """Hatchling's hook: a wheel with kernels is for one platform, one without for all."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the kernels before hatchling collects the files."""
        if self.target_name == "wheel" and sys.platform != "win32" and build():
            build_data["artifacts"].append(str(LIBRARY.relative_to(self.root)))
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


if __name__ == "__main__":
    sys.exit(not build())
