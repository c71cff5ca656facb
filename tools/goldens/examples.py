"""Initial weights and first losses of the programs under ``examples/``, in both modes."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np

from .common import write_json, write_npz

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples"
NAMES = ("mlp", "lenet", "resnet", "char_gpt", "lstm_classifier", "vae")
STEPS = 10
TEXT_LENGTH = 20_000


def run(name: str, *options: str) -> None:
    """Run an example with the Python that runs this program."""
    command = [sys.executable, str(FOLDER / f"{name}.py"), *options]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(command, cwd=folder, env=os.environ | {"GLOG_v": "4"}, stdout=subprocess.DEVNULL, check=True)


def record(out: Path) -> None:
    """Write ``examples/<name>.npz`` and ``examples/<name>.json``, and the text that char_gpt learns from."""
    folder = out / "examples"
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "char_gpt.txt"
    whole = "\n".join(topics[name] for name in sorted(topics))
    text.write_bytes(whole[:TEXT_LENGTH].encode("ascii", "replace"))
    for name in NAMES:
        extra = ["--text", str(text)] if name == "char_gpt" else []
        weights = folder / f"{name}.npz"
        run(name, "--steps", "0", "--save-weights", str(weights), *extra)
        with np.load(weights) as arrays:
            write_npz(weights, dict(arrays))
        data: dict[str, Any] = {"options": ["--text", "char_gpt.txt"] if extra else [], "steps": STEPS}
        for mode in ("graph", "pynative"):
            losses = folder / "losses.json"
            run(name, "--mode", mode, "--steps", str(STEPS), "--weights", str(weights), "--losses", str(losses), *extra)
            data[mode] = json.loads(losses.read_text())
            losses.unlink()
        write_json(folder / f"{name}.json", data)
