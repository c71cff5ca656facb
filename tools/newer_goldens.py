"""Write what a newer release answers otherwise than MindSpore 2.7.0, from goldens that were recorded with both.

    NEW_PYTHON tools/record_goldens.py --out FOLDER table ops numeric_edges     # with the wheel of the newer release
    python tools/newer_goldens.py FOLDER

It writes `tests/goldens/newer.json`. Rounding, texts of errors, and memory that a kernel leaves as it finds it are no differences
(`recorded/test_newer.py` names the last). Arrays are written as [dtype, shape, elements].
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

BASE = Path(__file__).resolve().parent.parent / "tests" / "goldens"
NEAR = 1e-4  # of the largest element


def read(folder: Path, section: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return what a section tells, and its arrays."""
    told = json.loads((folder / f"{section}.json").read_text(encoding="utf-8"))
    arrays = folder / f"{section}.npz"
    return told, dict(np.load(arrays)) if arrays.exists() else {}


def same(one: Any, two: Any) -> bool:
    """Tell whether two answers agree up to rounding."""
    if isinstance(one, np.ndarray) and isinstance(two, np.ndarray):
        if one.dtype != two.dtype or one.shape != two.shape:
            return False
        if one.dtype.kind not in "fc":
            return bool(np.array_equal(one, two))
        scale = np.max(np.abs(one[np.isfinite(one)]), initial=0.1)
        with np.errstate(invalid="ignore"):
            return bool(np.allclose(one, two, rtol=0, atol=NEAR * scale, equal_nan=True))
    if isinstance(one, tuple) and isinstance(two, tuple):
        return one[0] == two[0] and same(one[1], two[1])
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return type(one) is type(two) and one == two


def failed(entry: dict[str, Any]) -> str:
    """Return the type of an entry's error, without its text."""
    return str(entry.get("error", "")).partition(":")[0]


def plain(value: Any) -> Any:
    """Return an answer with its arrays written out; complex elements are pairs."""
    if isinstance(value, np.ndarray):
        return plain((value.dtype.name, value))
    if isinstance(value, tuple):
        dtype, array = value
        flat = array.ravel()
        flat = flat.view(flat.real.dtype).reshape(-1, 2) if flat.dtype.kind == "c" else flat
        return [dtype, list(array.shape), flat.tolist()]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


# --- the op table -----------------------------------------------------------------------------------------------------


def unpacked(text: str, arrays: dict[str, np.ndarray]) -> Any:
    """Return the dtype and the array that the text of a result stands for; other text as it is."""
    found = re.fullmatch(r"(\w+)(\[[\d,]*\])@(\d+)", text)
    if found is None:
        return text
    shape, start = json.loads(found[2]), int(found[3])
    return found[1], arrays[found[1]][start : start + int(np.prod(shape))].reshape(shape)


def answer(entry: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return what an entry of the op table says of results: errors by type, and the dtypes that are taken."""
    if "error" in entry:
        return {"error": failed(entry)}
    found: dict[str, Any] = {
        part: [unpacked(text, arrays) for text in entry[part]] for part in ("result", "gradient") if part in entry
    }
    taken = entry.get("dtypes", {}) | ({"empty": entry["empty"]} if "empty" in entry else {})
    return found | {"dtypes": {dtype: text for dtype, text in taken.items() if not text.startswith("!")}}


def entry_of(told: dict[str, Any], name: str, case: str) -> dict[str, Any]:
    """Return the entry of a call, that of the row's first name if it is the same; nothing if there is none."""
    entry = told["calls"].get(name, {}).get(case, {})
    if entry != "=":
        return entry
    first = next(names[0] for names in told["names"].values() if name in names[1:])
    return told["calls"][first][case]


def table(folder: Path) -> dict[str, Any]:
    """Return the calls of the op table that are answered otherwise, and in what."""
    (old, old_arrays), (new, new_arrays) = read(BASE, "table"), read(folder, "table")
    found: dict[str, Any] = {}
    for name, cases in new["calls"].items():
        for case in cases:
            entry, before = entry_of(new, name, case), entry_of(old, name, case)
            if not before or not entry or "drawn" in before or "drawn" in entry:
                continue
            is_, was = answer(entry, new_arrays), answer(before, old_arrays)
            other = {part: is_[part] for part in is_ if part != "dtypes" and not same(is_[part], was.get(part))}
            dtypes = {d: t for d, t in is_.get("dtypes", {}).items() if was.get("dtypes", {}).get(d) != t}
            if other or ("dtypes" in was and dtypes):
                found.setdefault(name, {})[case] = plain(other) | ({"dtypes": dtypes} if dtypes else {})
    return found


# --- calls by expressions ---------------------------------------------------------------------------------------------


def calls(folder: Path) -> dict[str, Any]:
    """Return the expressions that are answered otherwise."""
    (old, old_arrays), (new, new_arrays) = read(BASE, "ops"), read(folder, "ops")

    def of(case: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        start = f"{case.get('case')}/"
        own = {name.removeprefix(start): arrays[name] for name in arrays if name.startswith(start)}
        return {"error": failed(case)} if "error" in case else {"output": case["output"], **own}

    found: dict[str, Any] = {}
    for key in new["cases"].keys() & old["cases"].keys():
        was, is_ = of(old["cases"][key], old_arrays), of(new["cases"][key], new_arrays)
        if not same({k: v for k, v in was.items() if k in is_ or k == "error"}, is_):
            found[key] = plain(is_)
    return found


def edges(folder: Path) -> dict[str, Any]:
    """Return the answers at the edges of dtypes that differ, or that there were none of."""
    (old, _), (new, _) = read(BASE, "numeric_edges"), read(folder, "numeric_edges")
    found: dict[str, Any] = {}
    for kind in ("quotients", "powers", "divisors"):
        for call, dtypes in new[kind].items():
            other = {d: values for d, values in dtypes.items() if old[kind].get(call, {}).get(d) != values}
            if other:
                found.setdefault(kind, {})[call] = other
    return found


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="goldens recorded with the newer release")
    folder = parser.parse_args().folder
    sections = {"table": table(folder), "ops": calls(folder), "numeric_edges": edges(folder)}
    lines = [
        f" {json.dumps(section)}: {{\n"
        + ",\n".join(f"  {json.dumps(key)}: {json.dumps(found[key], sort_keys=True)}" for key in sorted(found))
        + "\n }"
        for section, found in sections.items()
    ]
    (BASE / "newer.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
