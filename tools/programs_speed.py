"""How long networks of public repositories take to train, under MindSpore 2.7.0 and under sporax, in turns.

    python tools/programs_speed.py CLONES --python MINDSPORE_PYTHON              # those of `NETWORKS`, in both modes
    python tools/programs_speed.py CLONES --python PYTHON --only mindcv:resnet18 # some, in place of their old figures

Of each network and mode two processes live at once, one of either, and never both at work: each makes its first step with an
empty compile cache, then they take turns, some steps each. The figure of a step is the median of the turns, that of memory the
peak of the process. `clients/speed.json` holds the figures; `tools/programs.py --page` puts them into docs/programs.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

from programs import CLIENTS, MARK, MODES, SPEED, Client, Network, clients, read_goldens, write_page

TURNS = 5
TURN_SECONDS = 1.0
NETWORKS = """mindcv:resnet18 mindcv:mobilenet_v2_035_96 mindcv:squeezenet1_0 mindcv:shufflenet_v2_x0_5 mindcv:densenet121
mindcv:convnext_tiny mindcv:poolformer_s12 mindcv:vit_b_32_224 mindflow:fc_sequential""".split()


class Trained:
    """A process in which a network is trained.

    Args:
        command: What runs the driver.
        network: The network.
        folder: Its clone.
        mode: "pynative" or "graph".
        golden: What is recorded of it.
        site: A folder with what it imports besides.
    """

    def __init__(
        self, command: list[str], network: Network, folder: Path, mode: str, golden: dict[str, Any], site: str
    ) -> None:
        self._scratch = tempfile.TemporaryDirectory()
        job = {
            "timed": True,
            "paths": [str(folder / p) for p in network.paths],
            "networks": [network.job(golden, [mode])],
        }
        path = Path(self._scratch.name) / "job.json"
        path.write_text(json.dumps(job))
        env = os.environ | {
            "GLOG_v": "4",
            "PYTHONPATH": os.pathsep.join(filter(None, (site, os.environ.get("PYTHONPATH", "")))),
            "SPORAX_CACHE_DIR": str(Path(self._scratch.name) / "cache"),
        }
        self._process = subprocess.Popen(
            [*command, str(CLIENTS / "driver.py"), str(path)],
            cwd=self._scratch.name, env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.first = self._told("first")

    def __enter__(self) -> Trained:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        self._scratch.cleanup()

    def step(self, count: int) -> float:
        """Return the seconds of a step, of some in a row."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{count}\n")
        self._process.stdin.flush()
        return self._told("step")

    def peak(self) -> float:
        """End the process and return the memory that it took at most, in MiB."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._told("peak")

    def _told(self, key: str) -> float:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(MARK):
                piece = json.loads(line[len(MARK) :])
                if "error" in piece:
                    raise RuntimeError(piece["error"])
                if key in piece:
                    return piece[key]
        raise RuntimeError(f"the process ended with {self._process.wait()}")


def figures_of(network: Network, client: Client, mode: str, arguments: argparse.Namespace) -> dict[str, list[float]]:
    """Return first step and step in seconds and memory in MiB, of sporax and of MindSpore."""
    golden = read_goldens(client.name).get(network.name, {})
    rest = (network, arguments.clones / client.folder, mode, golden, arguments.site)
    with (
        Trained([sys.executable, "-m", "sporax", "run"], *rest) as ours,
        Trained([arguments.python], *rest) as theirs,
    ):
        counts = [max(1, round(TURN_SECONDS / side.step(1))) for side in (ours, theirs)]
        turns = [(ours.step(counts[0]), theirs.step(counts[1])) for _ in range(TURNS)]
        steps = [statistics.median(turn[side] for turn in turns) for side in (0, 1)]
        return {
            "first": [round(ours.first, 2), round(theirs.first, 2)],
            "step": [float(f"{seconds:.3g}") for seconds in steps],
            "peak": [round(ours.peak()), round(theirs.peak())],
        }


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path, help="a folder of clones")
    parser.add_argument("--python", required=True, help="a Python that has MindSpore 2.7.0")
    parser.add_argument("--site", default="", help="a folder with what the programs import besides")
    parser.add_argument("--only", nargs="*", default=NETWORKS, help="networks (mindcv:resnet18)")
    parser.add_argument("--modes", nargs="*", default=MODES, choices=MODES, help="the modes to run")
    arguments = parser.parse_args()
    arguments.clones = arguments.clones.resolve()
    found = json.loads(SPEED.read_text()) if SPEED.exists() else {}
    for client in clients():
        for network in client.networks:
            key = f"{client.name}:{network.name}"
            for mode in arguments.modes if key in arguments.only else ():
                try:
                    figures = figures_of(network, client, mode, arguments)
                except RuntimeError as error:
                    print(f"{key} {mode}: {error}", flush=True)
                    continue
                print(f"{key} {mode}: {figures}", flush=True)
                found.setdefault(key, {})[mode] = figures
                SPEED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    write_page()


if __name__ == "__main__":
    main()
