"""Build the archive of sources, and the wheel from it; install the wheel in fresh environments, and use it as a newcomer does.

python tools/wheel.py python3.11 python3.12 python3.13    # writes tools/results/wheel.json

For each Python: `sporax --version`, `demo` and `check`, and two tutorials, with the packages that the wheel requires.
Then, with extras, the tour, the tutorial on ONNX, and the examples of docs/friends.md. It takes minutes for each Python.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "tools" / "results" / "wheel.json"
COMMANDS = (("--version",), ("demo",), ("check",))
PAGES = ("first_network", "several_devices")
EXTRAS = "onnx,summary,wandb,mlflow"
OTHERS = ("datasets", "grain")
# A program that runs a page as the tests do: its arguments are their folder and the page.
RUN_PAGE = """import pathlib, sys
sys.path.append(sys.argv[1])
from documents import run_page
run_page(pathlib.Path(sys.argv[2]), pathlib.Path.cwd())
print("as the page shows")"""


def build(folder: Path) -> tuple[Path, Path]:
    """Return the archive of this checkout's sources and the wheel made from it, in a folder."""
    python = environment(sys.executable, folder / "build", "build")
    subprocess.run([python, "-m", "build", "--outdir", folder, ROOT], stdout=subprocess.DEVNULL, check=True)
    (archive,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return archive, wheel


def environment(python: str, home: Path, *packages: object) -> Path:
    """Return the Python of a fresh environment that has some packages."""
    subprocess.run([python, "-m", "venv", home], check=True)
    install(home / "bin" / "python", *packages)
    return home / "bin" / "python"


def install(python: Path, *packages: object) -> None:
    """Install packages in the environment of a Python."""
    subprocess.run([python, "-m", "pip", "install", "-q", *map(str, packages)], check=True)


def lost(archive: Path) -> list[str]:
    """Return the files of the checkout that the archive lacks."""
    with tarfile.open(archive) as opened:
        packed = {name.partition("/")[2] for name in opened.getnames()}
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in filter(None, listed.split("\0")) if (ROOT / name).exists() and name not in packed)


def strays(wheel: Path) -> list[str]:
    """Return what a wheel has beside the package and its description."""
    with zipfile.ZipFile(wheel) as opened:
        return sorted(name for name in opened.namelist() if not re.match(r"sporax(-[^/]+\.dist-info)?/", name))


def ran(call: Sequence[object], folder: Path) -> dict[str, object]:
    """Run a command in a folder; return its exit status, the seconds that it took, and the last line it printed."""
    folder.mkdir(exist_ok=True)
    start = time.monotonic()
    settings = {**os.environ, "SPORAX_CACHE_DIR": str(folder.parent / "cache"), "WANDB_SILENT": "true"}
    settings.pop("PYTHONPATH", None)
    done = subprocess.run(list(map(str, call)), cwd=folder, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        print(*call, done.stdout, done.stderr, sep="\n", file=sys.stderr)
    lines = [line for line in done.stdout.splitlines() if any(map(str.isalnum, line))]  # no frames of tables
    return {
        "status": done.returncode,
        "seconds": round(time.monotonic() - start, 1),
        "last": lines[-1] if lines else "",
    }


def tour(python: Path, folder: Path) -> dict[str, dict[str, object]]:
    """Return what the programs of the tour did."""
    text = (ROOT / "docs" / "start" / "tour.md").read_text(encoding="utf-8")
    names = re.findall(r"ave this file as `(\w+\.py)`", text)
    folder.mkdir()
    for name, block in zip(names, re.findall(r"```python\n(.*?)```", text, re.DOTALL), strict=True):
        (folder / name).write_text(block, encoding="utf-8")
    train, predict = names
    return {
        "tour: train": ran([python.with_name("sporax"), "run", train], folder),
        "tour: predict": ran([python, predict], folder),
    }


def page(python: Path, name: str, folder: Path) -> dict[str, object]:
    """Return what a tutorial did."""
    return ran([python, "-c", RUN_PAGE, ROOT / "tests" / "support", ROOT / "docs" / "tutorials" / f"{name}.md"], folder)


def friends(python: Path, folder: Path) -> dict[str, dict[str, object]]:
    """Return what the examples of docs/friends.md did; blocks named `py` need packages that the tests do not install."""
    text = (ROOT / "docs" / "friends.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^## ([^\n]+)|```py(?:thon)?\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    found: dict[str, dict[str, object]] = {}
    title = ""
    for heading, block in blocks:
        title = heading or title
        if block:
            found[f"friends: {title}, {len(found) + 1}"] = ran([python, "-c", block], folder)
    return found


def tried(python: str, wheel: Path, folder: Path) -> dict[str, object]:
    """Return what a newcomer's commands and programs did in a fresh environment of a Python, and its JAX."""
    folder.mkdir()
    start = time.monotonic()
    own = environment(python, folder / "home", wheel)
    seconds = round(time.monotonic() - start, 1)
    work = folder / "work"
    found: dict[str, object] = {" ".join(c): ran([own.with_name("sporax"), *c], work) for c in COMMANDS}
    install(own, "pytest")  # the reader of pages asks it to skip
    found |= {f"tutorial: {name}": page(own, name, folder / name) for name in PAGES}
    install(own, f"{wheel}[{EXTRAS}]", *OTHERS)
    found |= tour(own, folder / "tour")
    found["tutorial: export_serve"] = page(own, "export_serve", folder / "export_serve")
    found |= friends(own, folder / "friends")
    asked = (
        "import importlib.metadata as m, json, platform as p; print(json.dumps([p.python_version(), m.version('jax')]))"
    )
    told = subprocess.run([own, "-c", asked], capture_output=True, text=True, check=True)
    version, jax = json.loads(told.stdout)
    return {"python": version, "jax": jax, "install": seconds, **found}


def main() -> int:
    """Try each Python; exit status 1 if a file is missing or too much, or a command failed in one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs="+", metavar="PYTHON", help="the interpreters")
    pythons = parser.parse_args().pythons
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive, wheel = build(folder)
        found = [tried(python, wheel, folder / str(number)) for number, python in enumerate(pythons)]
        results: dict[str, object] = {"wheel": wheel.name, "lost": lost(archive), "strays": strays(wheel)}
    results["pythons"] = found
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=1))
    failed = any(run["status"] for one in found for run in one.values() if isinstance(run, dict))
    return int(failed or bool(results["lost"]) or bool(results["strays"]))


if __name__ == "__main__":
    sys.exit(main())
