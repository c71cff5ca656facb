"""MindSpore's own tests of parallel training, which compile networks for devices that are not there, under sporax.

    python tools/parallel_tests.py TESTS                              # all; writes results/parallel_tests.json
    python tools/parallel_tests.py TESTS --only batch_matmul          # the files with that in their names; only prints
    python tools/parallel_tests.py TESTS --out DONE --failed          # the files of which DONE has failed tests, again

TESTS is a checkout of the public repository mindspore-ai/mindspore_test, of which the files of `tests/ut/python/parallel` are run
as they are, each in a process of its own. What a test is for is read from its source: some expect an error, some look at
MindSpore's graphs (its strategies by operator, the files of its IR), which do not exist here, and are left out; the others only
compile. Third-party code is read and never stored.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "tools" / "results" / "parallel_tests.json"
FOLDER = "tests/ut/python/parallel"
COMPILES, RAISES, LOOKS = "only compiles", "expects an error", "looks at MindSpore's graphs"
GRAPHS = {
    "ParallelValidator", "_get_shard_strategy", "_get_num_parallel_ops", "_graph_executor", "_get_allreduce_fusion", "subprocess",
    "save_graphs", "save_graphs_path", "glob", "find_ir_file_path", "check_layout_config", "check_output_layout",
}  # fmt: skip
CLASSES = {  # what a reason has in it, and what it is called
    r"DID NOT RAISE": "MindSpore refuses a strategy that sporax runs",
    r"_tensor'|_parallel_serialization'|restore_group_info_list|build_searched_strategy|set_op_strategy_config|ckpt_save_file": (
        "uses private functions or files of MindSpore"
    ),
    r"MemoryError|RESOURCE_EXHAUSTED": "needs more memory than the 7 GiB of a process",
    r"PipelineCell|PipelineGradReducer|parallel_grad_reducer|micro": "is about pipeline stages",
    r"AdaSum": "uses adaptive summation of gradients (AdaSum)",
    r"process ended|took more than": "the process ended or took too long",
    r"NeighborExchange": "sends messages between neighbours in a graph (NeighborExchange)",
    r"current_phase": "reads the name of MindSpore's graph (current_phase)",
    r"no kernel|no attribute|cannot import|not offered": "uses a name that sporax does not have",
    r"RuntimeError: \S+: .*(strateg|cut|axis)": "sporax refuses the strategy",
    r"^assert|AssertionError|KeyError": "checks MindSpore's own shapes, layouts or error texts",
    r"Tracer|traced": "needs a value that is unknown while a graph is traced",
}
OTHER = "passes shapes or arguments that sporax refuses"
COMMONEST = 20
MOST_BYTES = 7 * 2**30  # for the data of a process: one that asks for more gets an error, and takes no other's memory
NOT_REACHED = "the process ended before"


def kinds(source: str) -> dict[str, str]:
    """Return what each test of a file is for, by name: what the functions and classes of the file that it uses do counts as well.

    >>> kinds("def build():\\n    ParallelValidator(net)\\ndef test_a():\\n    build()\\ndef test_b():\\n    pytest.raises(E)")
    {'test_a': "looks at MindSpore's graphs", 'test_b': 'expects an error'}
    """
    tree = ast.parse(source)
    uses = {
        node.name: {word for part in ast.walk(node) for word in _words(part)}
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    own = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    found = {}
    for name in _tests(own.values()):
        reached = _reached(name, uses)
        found[name] = LOOKS if reached & GRAPHS else RAISES if "raises" in reached else COMPILES
    return found


def _words(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.keyword) and node.arg:
        yield node.arg


def _tests(nodes: Sequence[ast.FunctionDef | ast.ClassDef]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _tests([part for part in node.body if isinstance(part, ast.FunctionDef)])
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            yield node.name


def _reached(name: str, uses: Mapping[str, set[str]]) -> set[str]:
    reached, left = set[str](), [name]
    while left:
        word = left.pop()
        if word not in reached:
            reached.add(word)
            left += uses.get(word, ())
    return reached


def run_files(files: Sequence[Path], tests: Path, left_out: Sequence[tuple[str, str]], limit: float) -> Iterator[dict]:
    """Run files in one process, and those that it did not come to, if it ended before, each in another.

    Args:
        files: The files.
        tests: The checkout.
        left_out: The tests that are not run, by the names of the file and of the test.
        limit: Seconds for each file.

    Yields:
        What became of each test, or of a file that is not collected.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.jsonl"
        out.touch()
        paths = [ROOT, ROOT / "tools" / "clients", tests, tests / "tests" / "ut" / "python"]
        env = os.environ | {
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PARALLEL_TESTS_OUT": str(out),
            "PARALLEL_TESTS_LEFT_OUT": json.dumps(left_out),
        }
        options = [
            "-q",
            "-p",
            "parallel_plugin",
            "-p",
            "no:cacheprovider",
            "-W",
            "ignore",
            "--continue-on-collection-errors",
            "--rootdir",
            tests,
        ]
        command = [sys.executable, "-m", "sporax", "run", "-m", "pytest", *options, *files]
        note = ""
        try:
            done = subprocess.run(
                list(map(str, command)),
                cwd=folder,
                env=env,
                text=True,
                capture_output=True,
                timeout=limit * len(files),
                preexec_fn=_within_bytes,
            )
            if done.returncode not in (0, 1, 2, 5):
                note = f"the process ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-200:]}"
        except subprocess.TimeoutExpired:
            note = f"took more than {limit:.0f} s"
        lines = [json.loads(line) for line in out.read_text().splitlines()]
    yield from lines
    if not note:
        return
    begun = {line["file"] for line in lines}
    left = [file for file in files if file.name not in begun]
    if len(files) > 1:  # the one that ended it is the last that began, or the next
        yield from itertools.chain.from_iterable(run_files([file], tests, left_out, limit) for file in left)
        left = [file for file in files if file.name in begun][-1:]
    yield from ({"file": file.name, "test": "", "outcome": "failed", "reason": note} for file in left)


def _within_bytes() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))


def outcomes(file: Path, found: Mapping[str, str], lines: Sequence[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Return what became of the tests of a file: kind, outcome, reason.

    Args:
        file: The file.
        found: What its tests are for.
        lines: What its process wrote.
    """
    results: dict[str, dict[str, str]] = {}
    for line in lines:
        name = line["test"].rpartition("::")[2].partition("[")[0]
        if name and results.get(line["test"], {}).get("outcome") != "failed":
            results[line["test"]] = {"kind": found[name], "outcome": line["outcome"], "reason": line["reason"]}
    known = {test.rpartition("::")[2].partition("[")[0] for test in results}
    why = next((line["reason"] for line in lines if not line["test"]), NOT_REACHED)
    for name, kind in found.items():
        if kind == LOOKS:
            results[name] = {"kind": kind, "outcome": "left out", "reason": ""}
        elif name not in known:
            results[name] = {"kind": kind, "outcome": "failed", "reason": why}
    return {f"{file.name}::{test}": result for test, result in results.items()}


def general(reason: str) -> str:
    """Return a reason without what differs from test to test.

    >>> general("ValueError: x must be 4, got [2, 30] at 0x7f")
    'ValueError: x must be N, got [N, N] at 0x'
    """
    reason = re.sub(r" \(/[^)]*\)", "", re.sub(r"0x[0-9a-f]+", "0x", reason))  # nor where a package lay
    return re.sub(r"\d+(\.\d+)?", "N", reason)[:120]


def class_of(reason: str) -> str:
    """Return what kind of reason one is.

    >>> class_of("Failed: DID NOT RAISE RuntimeError")
    'MindSpore refuses a strategy that sporax runs'
    """
    return next((name for pattern, name in CLASSES.items() if re.search(pattern, reason)), OTHER)


def totals(results: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return how many tests of each kind there are and pass, and the commonest reasons of those that do not."""
    counts = Counter((result["kind"], result["outcome"]) for result in results.values())
    kept: dict[str, Any] = {
        kind: {outcome: number for (of, outcome), number in sorted(counts.items()) if of == kind}
        for kind in (COMPILES, RAISES, LOOKS)
    }
    for kind in (COMPILES, RAISES):
        reasons = Counter(
            general(r["reason"]) for r in results.values() if (r["kind"], r["outcome"]) == (kind, "failed")
        )
        kept[kind]["reasons"] = dict(reasons.most_common(COMMONEST))
        failed = [r["reason"] for r in results.values() if (r["kind"], r["outcome"]) == (kind, "failed")]
        kept[kind]["classes"] = dict(Counter(map(class_of, failed)).most_common())
    return kept


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=Path, help="the checkout")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--together", type=int, default=1, help="files in a process; more is faster")
    parser.add_argument("--only", default="", help="what the names of the files match")
    parser.add_argument("--limit", type=float, default=300, help="seconds for each file")
    parser.add_argument("--out", type=Path, help="where what became of each test is written, beside what stands there")
    parser.add_argument("--failed", action="store_true", help="run only files of which --out has failed tests")
    arguments = parser.parse_args()
    tests, began = arguments.tests.resolve(), time.monotonic()
    results = json.loads(arguments.out.read_text()) if arguments.out and arguments.out.exists() else {}
    known = bool(results)
    every = sorted((tests / FOLDER).rglob("test_*.py"))
    files = [f for f in every if re.search(arguments.only, f.name)]
    if arguments.failed:
        failed = {test.partition("::")[0] for test, result in results.items() if result["outcome"] == "failed"}
        files = [f for f in files if f.name in failed]
    purposes = {file: kinds(file.read_text()) for file in every}
    looks = {f"{file.name}::{name}" for file in every for name, kind in purposes[file].items() if kind == LOOKS}
    for test in results:
        if "::".join((test.partition("::")[0], test.rpartition("::")[2].partition("[")[0])) in looks:
            results[test] = {"kind": LOOKS, "outcome": "left out", "reason": ""}
    groups = [files[start : start + arguments.together] for start in range(0, len(files), arguments.together)]

    def run(group: Sequence[Path]) -> dict[str, dict[str, str]]:
        left_out = [(file.name, name) for file in group for name, kind in purposes[file].items() if kind == LOOKS]
        lines = list(run_files(group, tests, left_out, arguments.limit))
        parts = [outcomes(f, purposes[f], [line for line in lines if line["file"] == f.name]) for f in group]
        return {test: result for part in parts for test, result in part.items()}

    results = {
        test: result for test, result in results.items() if test.partition("::")[0] not in {f.name for f in files}
    }
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for group, part in zip(groups, pool.map(run, groups), strict=True):
            good, bad = (sum(r["outcome"] == outcome for r in part.values()) for outcome in ("passed", "failed"))
            print(f"{good} passed, {bad} failed: {', '.join(file.name for file in group)}", flush=True)
            results |= part
            if arguments.out:
                arguments.out.write_text(json.dumps(results, indent=1))
    found = totals(results)
    print(json.dumps(found, indent=1), f"{time.monotonic() - began:.0f} s")
    if (known or not arguments.only) and {test.partition("::")[0] for test in results} >= {
        f.name for f in every if purposes[f]
    }:
        RESULTS.write_text(json.dumps({"files": len(every), **found}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
