"""Programs that nobody here wrote: networks of public repositories, as they are, beside real MindSpore.

    python tools/programs.py record CLONES --python MINDSPORE_PYTHON   # what MindSpore 2.7.0 makes of them, into clients/goldens
    python tools/programs.py check CLONES                              # the same under sporax; writes results and docs/programs.md
    python tools/programs.py check CLONES --only mindcv:resnet18       # some of them, in place of their old results
    python tools/programs.py --quick CLONES                            # five minutes of them; writes clients/quick.json
    python tools/programs.py --page                                    # docs/programs.md anew from the results
    python tools/programs.py --release 2.10 check CLONES               # those that were recorded from another release

CLONES is a folder of clones, each named after its repository (`owner__name`). What else the programs import is found on
`--site`, a folder made by `pip install --target`. Both sides run `clients/driver.py`: the network is built, its Parameters'
names, shapes and order are listed, its weights are drawn by name; it computes an output and three training steps with the norms
of the gradients, in PyNative and in graph mode. What drops values at random is off; a network that draws all the same is trained
as it is in evaluation.

Training enlarges what rounding loses: an element of a ReLU that is 1e-8 on one side and -1e-8 on the other passes its gradient on
or not. Where losses or norms are out of bounds, networks whose weights differ from this one's by rounding are trained as well,
and what is no farther from MindSpore than those are from each other agrees.

A new client is a table in `clients/*.toml`; a new network is a line of one. Where MindSpore's own gradients are shown to be wrong,
the line says in which mode and how (`unsound`): there only the output is compared. Third-party code is read and never stored.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = ROOT / "tools" / "clients"
GOLDENS = CLIENTS / "goldens"
RESULTS = CLIENTS / "results"
SPEED = CLIENTS / "speed.json"
QUICK = CLIENTS / "quick.json"
PAGE = ROOT / "docs" / "programs.md"
MARK = "@@programs@@"
FIRST = "2.7"
MODES = ("pynative", "graph")
BOUNDS = {"forward": 1e-4, "losses": 1e-3, "norms": 1e-2}
HALF = {"forward": 1e-2}  # where half precision is computed in: MindSpore's own two modes are up to 1e-3 apart there
QUICK_SECONDS = 300
START_SECONDS = 120
NEARBY = 8
TOO_LONG = "took more than"
LACKING = re.compile(r"(No module named|cannot import name '\w+' from) '(?!mindspore)")  # or a version of it
IN_ONE_PROCESS = 12  # networks; a process does not give back the memory of all that it compiled


@dataclass(frozen=True)
class Network:
    """A network of a client.

    Args:
        client: The client's name, that of its table.
        name: Its own.
        paths: The folders of the clone that it is imported from.
        setup: Statements that run first.
        build: An expression of the network.
        inputs: An expression of its inputs.
        optimizer: An expression of what trains it, given `net` and `params`; "" for plain SGD.
        unsound: Of the modes in which MindSpore's gradients are wrong, what shows it.
        half: Whether it computes in half precision somewhere.
    """

    client: str
    name: str
    paths: tuple[str, ...]
    setup: str
    build: str
    inputs: str
    optimizer: str = ""
    unsound: Mapping[str, str] = field(default_factory=dict)
    half: bool = False

    def job(self, golden: dict[str, Any], modes: Sequence[str], nearby: int = 0) -> dict[str, Any]:
        """Return what the driver is told."""
        known = {"training": golden["training"]} if "training" in golden else {}
        known |= {"nearby": nearby} if nearby else {}
        known |= {"optimizer": self.optimizer} if self.optimizer else {}
        return {
            "name": self.name,
            "setup": self.setup,
            "build": self.build,
            "inputs": self.inputs,
            "modes": modes,
            **known,
        }


@dataclass(frozen=True)
class Client:
    """A repository with the networks that are built of it."""

    name: str
    repository: str
    commit: str
    networks: list[Network] = field(repr=False)

    @property
    def title(self) -> str:
        """What it is called on the page."""
        return self.repository if self.repository.endswith(self.name) else f"{self.repository} ({self.name})"

    @property
    def folder(self) -> str:
        """The name of its clone."""
        return self.repository.replace("/", "__")


def read_client(path: Path) -> Client:
    """Return the client of a table.

    Each network is a line of `[networks]`: what it says comes before what the table says for all, and `{name}` and `{options}` in
    `build` stand for the network's.
    """
    table = tomllib.loads(path.read_text())
    common = {"path": ["."], "setup": "", "options": "", "optimizer": "", "unsound": {}, "half": False} | {
        k: v for k, v in table.items() if k != "networks"
    }
    networks = []
    for name, line in table["networks"].items():
        row = common | line
        build = row["build"].replace("{name}", name).replace("{options}", row["options"])
        networks.append(
            Network(
                path.stem,
                name,
                tuple(row["path"]),
                row["setup"],
                build,
                row["inputs"],
                row["optimizer"],
                row["unsound"],
                row["half"],
            )
        )
    return Client(path.stem, table["repository"], table["commit"], networks)


def clients() -> list[Client]:
    """Return all clients."""
    return [read_client(path) for path in sorted(CLIENTS.glob("*.toml"))]


def of_release(folder: Path, release: str) -> Path:
    """Return where a folder has the files of a release."""
    return folder if release == FIRST else folder / release


def read_goldens(client: str, release: str = FIRST) -> dict[str, Any]:
    """Return what a release of MindSpore made of the networks of a client.

    Of a newer one the file has what differs from the first: Parameters, and all of each mode.
    """
    path = of_release(GOLDENS, release) / f"{client}.json.gz"
    goldens = json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {}
    first = read_goldens(client) if release != FIRST and goldens else {}
    for name, golden in goldens.items():
        golden |= {key: first[name][key] for key in golden.pop("as_before", ())}
    return goldens


def sound_goldens(client: Client, release: str = FIRST) -> dict[str, Any]:
    """Return what MindSpore made of the networks of a client, without training that is known to be wrong."""
    goldens = read_goldens(client.name, release)
    for network in client.networks:
        golden = goldens.get(network.name, {})
        for mode in network.unsound.keys() & golden.keys():
            if "forward" not in golden[mode]:
                continue  # this release does not run it in this mode
            golden[mode] = {"forward": golden[mode]["forward"], "error": network.unsound[mode]}
    return goldens


def write_goldens(client: str, goldens: dict[str, Any], release: str = FIRST) -> None:
    """Write what a release of MindSpore made of the networks of a client, the same bytes for the same values."""
    folder = of_release(GOLDENS, release)
    folder.mkdir(exist_ok=True)
    first = {} if release == FIRST else read_goldens(client)
    kept = {}
    for name, golden in goldens.items():
        before = first.get(name, {})
        same = [key for key in ("parameters", "own_names") if key in golden and golden[key] == before.get(key)]
        kept[name] = {key: value for key, value in golden.items() if key not in same}
        kept[name] |= {"as_before": same} if same else {}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"))
    (folder / f"{client}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


# --- running --------------------------------------------------------------------------------------------------------


def lines_of(process: subprocess.Popen[str]) -> queue.Queue[str | None]:
    """Return a queue of what a process prints, None at its end."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        with process.stdout as printed:
            for line in printed:
                lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    return lines


def merge(result: dict[str, Any], piece: dict[str, Any]) -> None:
    """Add a piece to what a network gave."""
    for key, value in piece.items():
        if isinstance(value, dict):
            result.setdefault(key, {}).update(value)
        else:
            result[key] = value


def run_batch(
    command: Sequence[str], env: dict[str, str], job: dict[str, Any], limit: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run networks in one process, as far as it comes.

    Args:
        command: What runs the driver.
        env: Its environment.
        job: What it runs.
        limit: Seconds for each network.

    Yields:
        The name of each network that was begun, and what it gave; after one that took too long or ended the process, nothing more.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(job))
        process = subprocess.Popen(
            [*command, str(CLIENTS / "driver.py"), str(path)],
            cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        lines = lines_of(process)
        name, result, until = job["networks"][0]["name"], dict[str, Any](), time.monotonic() + limit + START_SECONDS
        try:
            while True:
                try:
                    line = lines.get(timeout=max(0.1, until - time.monotonic()))
                except queue.Empty:
                    yield name, result | {"error": f"{TOO_LONG} {limit:.0f} s"}
                    return
                if line is None:
                    code = process.wait()
                    if result or code:
                        yield name, result | {"error": f"the process ended with {code}"}
                    return
                if not line.startswith(MARK):
                    continue
                piece = json.loads(line[len(MARK) :])
                if piece.pop("begun", False):
                    name, result, until = piece["name"], {"begun": True}, time.monotonic() + limit
                    continue
                done = piece.pop("done", False)
                del piece["name"]
                merge(result, piece)
                if done:
                    del result["begun"]
                    yield name, result
                    result = {}
        finally:
            process.kill()
            process.wait()


def run_networks(
    networks: Sequence[Network],
    folder: Path,
    command: Sequence[str],
    goldens: dict[str, Any],
    options: argparse.Namespace,
    nearby: int = 0,
) -> Iterator[tuple[Network, dict[str, Any]]]:
    """Run networks of a client, those that are imported from the same folders in one process.

    Args:
        networks: The networks.
        folder: The clone.
        command: What runs the driver.
        goldens: What is recorded of the client.
        options: What the command was told.
        nearby: How many networks with nearly the same weights are trained besides each.

    Yields:
        Each network and what it gave.
    """
    env = os.environ | {
        "GLOG_v": "4",
        "PYTHONPATH": os.pathsep.join(filter(None, (options.site, os.environ.get("PYTHONPATH", "")))),
    }
    left = list(networks)
    while left:
        batch = [network for network in left if network.paths == left[0].paths][:IN_ONE_PROCESS]
        paths = [str(folder / path) for path in batch[0].paths]
        job = {
            "paths": paths,
            "networks": [network.job(goldens.get(network.name, {}), options.modes, nearby) for network in batch],
        }
        by_name = {network.name: network for network in batch}
        for name, result in run_batch(command, env, job, options.limit):
            result.pop("begun", None)
            left.remove(by_name[name])
            yield by_name[name], result


# --- comparing ------------------------------------------------------------------------------------------------------


def relative(ours: Sequence[float], theirs: Sequence[float], floor: float = 0.0) -> float:
    """Return how far numbers are from others at most, in parts of those or of a floor."""
    a, b = np.asarray(ours, float), np.asarray(theirs, float)
    if a.shape != b.shape:
        return float("inf")
    if not a.size:
        return 0.0
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    distance = np.where(same, 0, np.abs(a - b) / np.maximum(np.maximum(np.abs(b), floor), 1e-30))
    return float(np.nan_to_num(distance, nan=np.inf).max())


def forward_distance(ours: list[Any], theirs: list[Any]) -> float:
    """Return how far outputs are from others, in parts of their root mean square."""
    if [entry[:2] for entry in ours] != [entry[:2] for entry in theirs]:
        return float("inf")
    pairs = zip(ours, theirs, strict=True)
    return max(
        (relative([a[2], *a[3]], [b[2], *b[3]], b[2] / max(1, np.prod(b[0])) ** 0.5) for a, b in pairs), default=0.0
    )


def losses_and_norms(ours: Sequence[Any], theirs: Sequence[Any]) -> dict[str, float]:
    """Return how far losses and norms are from others."""
    floors = 1e-3, 1e-2 * max(theirs[1], default=0)
    return {key: relative(*pair) for key, *pair in zip(("losses", "norms"), ours, theirs, floors, strict=True)}


def spread(nearby: Sequence[Any]) -> dict[str, float]:
    """Return how far the losses and norms of networks with nearly the same weights are from each other."""
    pairs = [losses_and_norms(a, b) for number, a in enumerate(nearby) for b in nearby[:number]]
    return {key: max((pair[key] for pair in pairs), default=0.0) for key in ("losses", "norms")}


def state_faults(ours: Sequence[Any], theirs: Sequence[Any]) -> list[str]:
    """Return where the Parameters of an optimizer are others, by name, shape or norm."""
    if [entry[:2] for entry in ours] != [entry[:2] for entry in theirs]:
        return [f"Parameters of the optimizer: {[e[0] for e in ours]}, not {[e[0] for e in theirs]}"]
    pairs = zip(ours, theirs, strict=True)
    return [f"{a[0]} {a[2]:.6g}, not {b[2]:.6g}" for a, b in pairs if relative([a[2]], [b[2]], 1e-6) > BOUNDS["losses"]]


def compare_mode(
    ours: dict[str, Any], theirs: dict[str, Any], nearby: Sequence[Any], least: Mapping[str, float]
) -> dict[str, Any]:
    """Return how far a mode of a network is from MindSpore's: distances, and what does not agree as text."""
    if "forward" not in theirs:
        return {"skipped": theirs.get("error", "not recorded")}
    if "forward" not in ours:
        return {"fault": ours.get("error", "no output")}
    found = {"forward": forward_distance(ours["forward"], theirs["forward"])}
    if "losses" in theirs:
        if "losses" not in ours:
            return found | {"fault": f"training: {ours.get('error', 'no losses')}"}
        found |= losses_and_norms(*((side["losses"], side["norms"]) for side in (ours, theirs)))
    near = spread([(ours["losses"], ours["norms"]), *nearby]) if nearby and "losses" in found else {}
    bounds = {key: max(bound, near.get(key, 0)) for key, bound in least.items()}
    over = [f"{key} {distance:.1e}" for key, distance in found.items() if not distance <= bounds[key]]
    if "state" in theirs:
        over += state_faults(ours.get("state", []), theirs["state"])
    return found | ({"spread": near} if near else {}) | ({"fault": "differs: " + ", ".join(over)} if over else {})


def compare_parameters(ours: list[Any], theirs: list[Any]) -> str:
    """Return how lists of Parameters differ, "" if they do not."""
    if ours == theirs:
        return ""
    mine, golden = {p[0]: p[1:] for p in ours}, {p[0]: p[1:] for p in theirs}
    if missing := [name for name in golden if name not in mine]:
        return f"{len(missing)} names of {len(golden)} missing, first {missing[0]}"
    if further := [name for name in mine if name not in golden]:
        return f"{len(further)} names too many, first {further[0]}"
    if other := [name for name in golden if golden[name] != mine[name]]:
        return f"{other[0]} is {mine[other[0]]}, not {golden[other[0]]}"
    return "another order"


def compare(
    ours: dict[str, Any], theirs: dict[str, Any], modes: Sequence[str] = MODES, half: bool = False
) -> dict[str, Any]:
    """Return what a check of a network in some modes finds, as far as they are recorded."""
    found: dict[str, Any] = {"seconds": ours.get("seconds"), "seconds_mindspore": theirs.get("seconds")}
    if "parameters" not in theirs:
        return found | {"skipped": theirs.get("error", "not recorded")}
    if "parameters" not in ours:
        return found | {"fault": ours.get("error", "not built")}
    found["parameters"] = len(theirs["parameters"])
    if fault := compare_parameters(ours["parameters"], theirs["parameters"]):
        found["parameters_fault"] = fault
    elif ours["own_names"] != theirs["own_names"]:
        pairs = zip(ours["own_names"], theirs["own_names"], strict=False)
        found["parameters_fault"] = "names of Parameters: {}, not {}".format(*next(p for p in pairs if p[0] != p[1]))
    for mode in [mode for mode in modes if mode in theirs]:
        lost = {"error": theirs["error"]} if "error" in theirs else {}
        own = {"error": ours["error"]} if "error" in ours else {}
        sides = own | ours.get(mode, {}), lost | theirs.get(mode, {})
        found[mode] = compare_mode(*sides, ours.get("nearby", ()), BOUNDS | (HALF if half else {}))
    return found


# --- the commands ---------------------------------------------------------------------------------------------------


def chosen(only: Sequence[str], client: Client) -> list[Network]:
    """Return the networks of a client that are asked for: by `client`, `client:name`, or all."""
    asked = {client.name, *(f"{client.name}:{network.name}" for network in client.networks)} & set(only)
    return [n for n in client.networks if not only or client.name in asked or f"{client.name}:{n.name}" in asked]


def is_due(golden: dict[str, Any], modes: Sequence[str]) -> bool:
    """Return whether a network was not recorded in a mode, or was not given the time."""
    if "parameters" not in golden:
        return "error" not in golden or TOO_LONG in golden["error"]
    return any("losses" not in golden.get(mode, {}) and "error" not in golden.get(mode, {}) for mode in modes)


def record(arguments: argparse.Namespace) -> None:
    """Record what MindSpore makes of the networks; without `--again`, of those that have no golden yet."""
    for client in clients():
        goldens = read_goldens(client.name, arguments.release)
        asked = chosen(arguments.only, client)
        networks = [n for n in asked if arguments.again or is_due(goldens.get(n.name, {}), arguments.modes)]
        folder = arguments.clones / client.folder
        for network, result in run_networks(networks, folder, [arguments.python], goldens, arguments):
            print(f"{client.name}:{network.name} {result.get('seconds')} s {faults_of_record(result)}", flush=True)
            if LACKING.search(faults_of_record(result)):
                continue  # nothing is known of MindSpore until --site has the module
            goldens = read_goldens(client.name, arguments.release)
            golden = goldens.setdefault(network.name, {})
            golden.pop("error", None)
            golden.update(result)
            write_goldens(client.name, goldens, arguments.release)


def faults_of_record(result: dict[str, Any]) -> str:
    """Return what MindSpore could not do."""
    places = {"": result} | {mode: result.get(mode, {}) for mode in MODES}
    return "; ".join(f"{place} {found['error'][:200]}" for place, found in places.items() if "error" in found)


def fault(row: dict[str, Any]) -> str:
    """Return what of a checked network does not agree, "" if all does."""
    modes = [f"{mode}: {row[mode]['fault']}" for mode in MODES if "fault" in row.get(mode, {})]
    return "; ".join(filter(None, [row.get("fault", ""), row.get("parameters_fault", ""), *modes]))


def trains_otherwise(row: dict[str, Any]) -> bool:
    """Return whether a network agrees but for its losses and norms."""
    modes = [row[mode] for mode in MODES if "fault" in row.get(mode, {})]
    return bool(modes) and all("norms" in mode and "forward" not in mode["fault"] for mode in modes)


def checked(
    client: Client, networks: Sequence[Network], arguments: argparse.Namespace
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run networks of a client under sporax and compare.

    Yields:
        The name of each, and its row; what is not equal is printed with it.
    """
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
    goldens = sound_goldens(client, arguments.release)
    command = [sys.executable, "-m", "sporax", "run", "--mindspore", arguments.release]
    without_modes = argparse.Namespace(**vars(arguments) | {"modes": ()})
    folder = arguments.clones / client.folder
    for network, result in run_networks(networks, folder, command, goldens, arguments):
        row = compare(result, goldens[network.name], arguments.modes, network.half)
        if trains_otherwise(row):
            for _, nearby in run_networks([network], folder, command, goldens, without_modes, NEARBY):
                if "error" in nearby:
                    print(f"networks near {network.name}: {nearby['error']}", flush=True)
                row = compare({**nearby, **result}, goldens[network.name], arguments.modes, network.half)
        print(f"{client.name}:{network.name} {row['seconds']} s {fault(row) or 'agrees'}", flush=True)
        yield network.name, row


def recorded(client: Client, only: Sequence[str] = (), release: str = FIRST) -> list[Network]:
    """Return the networks of a client that MindSpore builds and that are asked for."""
    goldens = read_goldens(client.name, release)
    return [network for network in chosen(only, client) if "parameters" in goldens.get(network.name, {})]


def check(arguments: argparse.Namespace) -> int:
    """Check networks and write what they gave; what was not given the time, or lacks a module, is told and changes nothing.

    Returns:
        The number of those that do not agree.
    """
    bad = 0
    for client in clients():
        for name, row in checked(client, recorded(client, arguments.only, arguments.release), arguments):
            if TOO_LONG in fault(row) or LACKING.search(fault(row)):
                continue
            bad += bool(fault(row))
            results = read_results(client.name, arguments.release)
            before = results.get(name, {})
            kept = {mode: before[mode] for mode in MODES if mode not in arguments.modes and mode in before}
            results[name] = kept | row
            write_results(client.name, results, arguments.release)
    write_page()
    return bad


def check_quickly(arguments: argparse.Namespace) -> int:
    """Check a sample of all clients within QUICK_SECONDS, each an equal share of what is left, and write what they gave.

    Returns:
        The number of those that do not agree.
    """
    began, sample = time.monotonic(), {}
    there = [client for client in clients() if (arguments.clones / client.folder).is_dir() and recorded(client)]
    for number, client in enumerate(there):
        goldens = read_goldens(client.name)
        now = time.monotonic()
        arguments.limit = max(1.0, (began + QUICK_SECONDS - now) / (len(there) - number))
        networks = sorted(recorded(client), key=lambda network: goldens[network.name].get("seconds", 1e3))
        for name, row in checked(client, networks, arguments):
            if TOO_LONG not in fault(row) and not LACKING.search(fault(row)):
                sample[f"{client.name}:{name}"] = fault(row) or "agrees"
            if time.monotonic() > now + arguments.limit:
                break
    QUICK.write_text(json.dumps({"seconds": round(time.monotonic() - began), "networks": sample}, indent=1) + "\n")
    write_page()
    return sum(found != "agrees" for found in sample.values())


def read_results(client: str, release: str = FIRST) -> dict[str, Any]:
    """Return the last results of a client."""
    path = of_release(RESULTS, release) / f"{client}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def write_results(client: str, results: dict[str, Any], release: str = FIRST) -> None:
    """Write the results of a client."""
    folder = of_release(RESULTS, release)
    folder.mkdir(exist_ok=True)
    (folder / f"{client}.json").write_text(json.dumps(results, indent=1, sort_keys=True) + "\n")


def cell(found: dict[str, Any]) -> str:
    """Return the cell of the page for a mode."""
    if "skipped" in found:
        return "–"
    if "fault" in found:
        return "no"
    over = any(found.get(key, 0) > bound for key, bound in BOUNDS.items())
    return f"{'~' * over}{max(found[key] for key in BOUNDS if key in found):.0e}"


def row_of(name: str, row: dict[str, Any]) -> str:
    """Return the line of the page for a network."""
    parameters = f"{row['parameters']:,}" if "parameters" in row else ""
    names = "" if "parameters" not in row else "no" if "parameters_fault" in row else "yes"
    modes = " | ".join(cell(row[mode]) if mode in row else "no" if "fault" in row else "" for mode in MODES)
    seconds = " | ".join("" if row[key] is None else f"{row[key]:.0f}" for key in ("seconds_mindspore", "seconds"))
    return f"| {name} | {parameters} | {names} | {modes} | {seconds} |"


def write_page() -> None:
    """Write docs/programs.md from the results and the goldens."""
    bounds = ", ".join(f"{key} {bound:.0e}" for key, bound in BOUNDS.items())
    text = [
        "# Public programs\n",
        "The networks come from public repositories and are unmodified. Each network is built under MindSpore 2.7.0 on a CPU and",
        "under sporax, with the same weights. In each mode with an entry it is also run and trained for three steps. This page is",
        "written by `tools/programs.py`, whose docstring describes the measurement.",
        "*Names* says whether names, shapes and order of the Parameters are MindSpore's. A number is the largest relative distance",
        f"of outputs, losses and norms of gradients (bounds: {bounds}). The mark ~",
        "means that the distance exceeds the bounds, but not the effect of rounding on this network (for a network that computes",
        f"in half precision: {HALF['forward']:.0e}). The mark – means that MindSpore itself does not run the network. A mode",
        "without an entry is not recorded or not checked yet. The counts of a mode are the networks that agree, that were checked,",
        "and that MindSpore ran. Seconds were measured on a loaded machine.\n",
        "| client | commit or version | tried | MindSpore builds | names, of checked | PyNative | graph |",
        "|---|---|---|---|---|---|---|",
    ]
    details, left_out = [], []
    for client in clients():
        goldens, results = sound_goldens(client), read_results(client.name)
        rows = {n.name: results[n.name] for n in client.networks if n.name in goldens and n.name in results}
        ran = {name for name, golden in goldens.items() if "parameters" in golden}
        counts = [f"{sum('parameters' in r and 'parameters_fault' not in r for r in rows.values())} of {len(rows)}"]
        for mode in MODES:
            ran_there = [name for name, golden in goldens.items() if "forward" in golden.get(mode, {})]
            there = [rows[name] for name in ran_there if mode in rows.get(name, {}) or "fault" in rows.get(name, {})]
            agree = sum("fault" not in row.get(mode, row) for row in there)
            counts.append(f"{agree} of {len(there)} of {len(ran_there)}")
        text.append(f"| {client.title} | {client.commit[:10]} | {len(goldens)} | {len(ran)} | {' | '.join(counts)} |")
        details.append(
            f"\n## {client.title}\n\n| network | Parameters | names | PyNative | graph | s MindSpore | s sporax |"
        )
        details.append("|---|---|---|---|---|---|---|")
        details += [row_of(name, row) for name, row in rows.items()]
        faults = [f"- {name}: {escaped(fault(row))}" for name, row in rows.items() if fault(row)]
        details += ["\nWhat does not agree:\n", *faults] if faults else []
        lost = {name: faults_of_record(golden) for name, golden in goldens.items()}
        left_out += [
            f"- {client.name}:{n}: {escaped(text)}" for n, text in lost.items() if text and TOO_LONG not in text
        ]
    text += newer_lines() + quick_lines() + speed_table() + details
    text += ["\n## What MindSpore 2.7.0 itself does not run\n", *left_out] if left_out else []
    PAGE.write_text("\n".join(text) + "\n")


def newer_lines() -> list[str]:
    """Return what the page says of other releases of MindSpore."""
    lines = []
    for folder in sorted(path for path in RESULTS.iterdir() if path.is_dir()):
        lines += [
            f"\nThe same of a part of the networks beside MindSpore {folder.name} (`--release {folder.name}`):\n",
            "| client | MindSpore builds | names | PyNative | graph |\n|---|---|---|---|---|",
        ]
        told = []
        for client in clients():
            rows, goldens = read_results(client.name, folder.name), sound_goldens(client, folder.name)
            counts = [f"{sum('parameters' in r and 'parameters_fault' not in r for r in rows.values())} of {len(rows)}"]
            for mode in MODES:
                ran = [row for name, row in rows.items() if "forward" in goldens[name].get(mode, {})]
                counts.append(f"{sum('fault' not in row.get(mode, row) for row in ran)} of {len(ran)}")
            built = sum("parameters" in golden for golden in goldens.values())
            lines += [f"| {client.title} | {built} of {len(goldens)} | {' | '.join(counts)} |"] if rows else []
            told += [f"- {client.name}:{name}: {escaped(fault(row))}" for name, row in rows.items() if fault(row)]
        lines += ["\nWhat does not agree:\n", *told] if told else []
    return lines


def quick_lines() -> list[str]:
    """Return what the page says of the last sample."""
    if not QUICK.exists():
        return []
    last = json.loads(QUICK.read_text())
    differ = [f"`{name}`: {found}" for name, found in last["networks"].items() if found != "agrees"]
    agree = f"{len(last['networks']) - len(differ)} of {len(last['networks'])}"
    return [
        f"\nIn the last sample of all clients, in every recorded mode (`tools/programs.py --quick CLONES`), {agree} networks agree "
        f"in {last['seconds']} s.",
        *differ,
    ]


def speed_table() -> list[str]:
    """Return the lines of the page that `programs_speed.py` has measured."""
    if not SPEED.exists():
        return []
    lines = [
        "\n## Speed\n",
        "The table has a training step in ms, the first step (with compilation, nothing cached) in s, and the peak memory in MiB.",
        "A cell has the value of sporax / the value of MindSpore 2.7.0 = their ratio. The ratio is below 1 if sporax is faster or",
        "smaller. `tools/programs_speed.py` measures both in turns.",
        "Ratios of first steps are above 1, because XLA compiles each graph, and in PyNative mode each operation at each shape.",
        "MindSpore's kernels are compiled in advance. Programs that XLA has compiled are kept on disk, so the next start of a",
        "program does not wait for them. Ratios of memory are above 1 because of XLA's code (1 to 3 MB for a graph) and the arrays",
        "of PyNative operations that a gradient keeps.\n",
        "| network | mode | step | first step | memory |\n|---|---|---|---|---|",
    ]
    for name, modes in json.loads(SPEED.read_text()).items():
        for mode, figures in modes.items():
            steps = [1000 * seconds for seconds in figures["step"]]
            cells = [f"{a:.3g} / {b:.3g} = {a / b:.2f}" for a, b in (steps, figures["first"], figures["peak"])]
            lines.append(f"| {name} | {mode} | {' | '.join(cells)} |")
    return lines


def escaped(text: str) -> str:
    """Return a text that is no markup."""
    return "`" + text.replace("`", "'")[:300] + "`"


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="*", help="record CLONES, check CLONES, or CLONES with --quick")
    parser.add_argument("--quick", action="store_true", help="a sample of five minutes")
    parser.add_argument("--page", action="store_true", help="write docs/programs.md from the last results")
    parser.add_argument("--python", default=sys.executable, help="a Python that has this release of MindSpore")
    parser.add_argument("--release", default=FIRST, help="the release of MindSpore to record, or to follow")
    parser.add_argument("--site", default="", help="a folder with what the programs import besides")
    parser.add_argument("--only", nargs="*", default=[], help="clients (mindcv) or networks (mindcv:resnet18)")
    parser.add_argument("--again", action="store_true", help="record what has a golden too")
    parser.add_argument("--modes", nargs="*", default=MODES, choices=MODES, help="the modes to run")
    parser.add_argument("--limit", type=float, default=150, help="seconds for each network")
    arguments = parser.parse_args()
    if arguments.page:
        write_page()
        return 0
    *command, clones = arguments.command or parser.error("which command?")
    arguments.clones = Path(clones).resolve()
    if command == ["record"]:
        record(arguments)
        return 0
    if arguments.quick:
        return min(check_quickly(arguments), 1)
    if command == ["check"]:
        return min(check(arguments), 1)
    return parser.error(f"no command {' '.join(arguments.command)}")


if __name__ == "__main__":
    sys.exit(main())
