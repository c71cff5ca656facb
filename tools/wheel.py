"""Build the wheel, install it into a fresh environment of each Python, and run `sporax demo` and `sporax check` there.

python tools/wheel.py python3.11 python3.12 python3.13    # writes tools/results/wheel.json
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "tools" / "results" / "wheel.json"
COMMANDS = (("--version",), ("demo",), ("check",))


def build(folder: Path) -> Path:
    """Return the wheel of this checkout, made in a folder."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def tried(python: str, wheel: Path, folder: Path) -> dict[str, object]:
    """Return what the commands did in a fresh environment: the seconds that each took, and the last line it printed."""
    start = time.monotonic()
    home = folder / Path(python).name
    subprocess.run([python, "-m", "venv", home], check=True)
    subprocess.run([home / "bin" / "pip", "install", "-q", wheel], check=True)
    found: dict[str, object] = {"install": round(time.monotonic() - start, 1)}
    environment = {**os.environ, "SPORAX_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": ""}
    for command in COMMANDS:
        start = time.monotonic()
        shell = [home / "bin" / "sporax", *command]
        done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if any(map(str.isalnum, line))] or [
            ""
        ]  # no frames of tables
        found[" ".join(command)] = {
            "status": done.returncode,
            "seconds": round(time.monotonic() - start, 1),
            "last": lines[-1],
        }
    return found


def main() -> int:
    """Try each Python; exit status 1 if a command failed in one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="+", metavar="PYTHON", help="the interpreters")
    pythons = parser.parse_args().pythons
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        results = {"wheel": wheel.name} | {Path(python).name: tried(python, wheel, folder) for python in pythons}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=1))
    runs = [value for found in results.values() if isinstance(found, dict) for value in found.values()]
    return int(any(isinstance(run, dict) and run["status"] for run in runs))


if __name__ == "__main__":
    sys.exit(main())
