"""The op table: every row's own cases under each of its names, and the calls of `mint` and `numpy`.

The names and cases come from ``table_calls.json``, which ``tools/export_table_calls.py`` writes.
"""

import json
import multiprocessing
import warnings
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from . import table_calls
from .common import write_json, write_npz

LAYOUT = (
    "by name, then by case: result and gradient list a tensor each as dtype[shape]@offset, where offset counts elements "
    "of the flat array of that dtype in table.npz (bfloat16 as float32); = stands for the entry of the row's first name "
    "(names); dtypes: what the results are where operands of float32 have another dtype; empty: where nothing is left "
    "of their first axis; ! marks types of errors; drawn: the values are random; parameter: the first operand is one."
)
CALLS = Path(__file__).resolve().parents[2] / "tests" / "goldens" / "table_calls.json"
PATIENCE = 90.0


def tasks(path: Path) -> list[dict[str, Any]]:
    """Return everything to ask; values come first."""
    told = json.loads(path.read_text(encoding="utf-8"))
    first, rest = [], []
    for row, about in told["rows"].items():
        names = [("ops", n, None) for n in about["functions"] if hasattr(table_calls.ops, n)]
        classes = [("primitive", n, taken) for n, taken in about["primitives"].items() if hasattr(table_calls.ops, n)]
        methods = [("Tensor", n, None) for n in about["methods"] if hasattr(table_calls.Tensor, n)]
        for order, (kind, name, taken) in enumerate(names + classes + methods):
            for case in about["cases"]:
                call = {"kind": kind, "name": name, "case": case, "row": row, "params": about["params"], "taken": taken}
                first.append({"ask": "value", "call": call})
                if order == 0:
                    rest += [{"ask": ask, "call": call} for ask in ("gradient", *table_calls.varied(call))]
    for space, calls in told["namespaces"].items():
        for text in calls:
            name, case = text[:-1].split("(", 1)
            call = {"kind": space, "name": name, "case": case}
            first.append({"ask": "value", "call": call})
            rest.append({"ask": "gradient", "call": call})
    return first + rest


def key(call: dict[str, Any]) -> str:
    """Return the name under which a call's entries stand."""
    return f"{call['kind']}.{call['name']}"


def ask(wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answer tasks in processes of their own: one that crashes or hangs costs one task."""
    answers: list[dict[str, Any]] = []
    queue = deque(wanted)
    spawn = multiprocessing.get_context("spawn")
    while queue:
        pipe, end = spawn.Pipe(duplex=False)
        worker = spawn.Process(target=table_calls.work, args=(list(queue), end), daemon=True)
        worker.start()
        end.close()
        try:
            while queue and pipe.poll(PATIENCE):
                answers.append(pipe.recv())
                queue.popleft()
            why = "TimeoutError"
        except EOFError:
            why = "Crash"
        worker.kill()
        worker.join()
        if queue:
            answers.append(failed(queue.popleft(), why))
    return answers


def failed(task: dict[str, Any], why: str) -> dict[str, Any]:
    """Return the answer of a task that ended its process."""
    wanted = task["ask"]
    if wanted in ("value", "gradient"):
        return {"error" if wanted == "value" else "gradient_error": f"{why}: the process of MindSpore ended"}
    return {"empty": f"!{why}"} if wanted == "empty" else {"dtypes": {wanted: f"!{why}"}}


class Store:
    """Arrays one after the other, by dtype."""

    def __init__(self) -> None:
        self.parts: dict[str, list[np.ndarray]] = {}
        self.sizes: dict[str, int] = {}

    def add(self, leaf: Any) -> str:
        """Return the text that stands for a result: of an array its place, of anything else itself."""
        if isinstance(leaf, str):
            return leaf
        name, array = leaf
        start = self.sizes.get(name, 0)
        self.parts.setdefault(name, []).append(array.ravel())
        self.sizes[name] = start + array.size
        return f"{name}{list(array.shape)}@{start}".replace(" ", "")

    def entry(self, found: dict[str, Any]) -> dict[str, Any]:
        """Return an entry with places for arrays; what is drawn keeps dtype and shape alone."""
        for part in ("result", "gradient"):
            if part in found:
                texts = [self.add(leaf) for leaf in found[part]] if "drawn" not in found else None
                found[part] = texts or [leaf if isinstance(leaf, str) else outline(leaf) for leaf in found[part]]
        return found


def outline(leaf: Any) -> str:
    """Return dtype and shape of an array."""
    return f"{leaf[0]}{list(leaf[1].shape)}".replace(" ", "")


def same(one: dict[str, Any], two: dict[str, Any]) -> bool:
    """Tell whether two calls gave the same, or failed the same way."""
    if "error" in one or "error" in two:
        return one.get("error") == two.get("error")
    return len(one["result"]) == len(two["result"]) and all(
        a == b if isinstance(a, str) or isinstance(b, str) else outline(a) == outline(b) and np.array_equal(a[1], b[1])
        for a, b in zip(one["result"], two["result"], strict=True)
    )


def record(out: Path) -> None:
    """Write ``table.json`` and ``table.npz``."""
    warnings.simplefilter("ignore")
    wanted = tasks(CALLS)
    write(out, wanted, ask(wanted))


def write(out: Path, wanted: list[dict[str, Any]], answers: list[dict[str, Any]]) -> None:
    """Write what tasks were answered."""
    found: dict[str, dict[str, Any]] = {}
    names: dict[str, list[str]] = {}
    first: dict[str, str] = {}
    for task, answer in zip(wanted, answers, strict=True):
        call = task["call"]
        name = key(call)
        entry = found.setdefault(name, {}).setdefault(call["case"], {})
        entry.setdefault("dtypes", {}).update(answer.pop("dtypes", {}))
        entry.update(answer)
        known = names.setdefault(call.get("row", name), [])
        if name not in known:
            known.append(name)
        first[name] = known[0]
    store = Store()
    written: dict[str, Any] = {}
    for name in sorted(found):
        for case, entry in found[name].items():
            if name != first[name] and same(entry, found[first[name]][case]):
                written.setdefault(name, {})[case] = "="
                continue
            if "error" in entry:
                entry = {k: v for k, v in entry.items() if k != "gradient_error"}
            written.setdefault(name, {})[case] = store.entry({k: v for k, v in entry.items() if v != {}})
    rows = {row: known for row, known in names.items() if row not in found}
    write_json(out / "table.json", {"layout": LAYOUT, "names": rows, "calls": written})
    write_npz(out / "table.npz", {name: np.concatenate(parts) for name, parts in store.parts.items()})
