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
    flags = ("-O3", "-std=c++17", "-shared", "-fPIC", "-fno-math-errno", "-Wno-psabi", "-isystem", str(headers))
    made = LIBRARY.with_suffix(f".{os.getpid()}.so")
    command = [*compiler, *flags, *map(str, sorted(FOLDER.glob("*.cc"))), "-o", str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(
            f"sporax: the kernels for the CPU are left out; {' '.join(command)} failed:\n{done.stderr}", file=sys.stderr
        )
        return False
    made.replace(LIBRARY)
    return True


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
