"""The parameters of public functions and classes, and the names that classes and their objects have."""

import json
from pathlib import Path

import mindspore

from .common import write_json
from .signature_text import names, objects

FIRST = "2.7.0"


def record(out: Path) -> None:
    """Write ``signatures.json``; under a newer release what differs from it, added to ``newer_signatures.json``."""
    found = names("mindspore")
    if mindspore.__version__ == FIRST:
        write_json(out / "signatures.json", {"names": found, "objects": objects("mindspore")})
        return
    first = json.loads((out / "signatures.json").read_text(encoding="utf-8"))["names"]
    file = out / "newer_signatures.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    known[mindspore.__version__] = {
        "gone": [name for name in first if name not in found],
        "names": {
            name: _changed(first.get(name, {}), entry) for name, entry in found.items() if entry != first.get(name)
        },
    }
    write_json(file, known)


def _changed(before: dict[str, str | None], now: dict[str, str | None]) -> dict[str, str | None]:
    """Return the parameters that are others now, and what a class has more (``+``) and no longer (``-``)."""
    changed = {method: text for method, text in now.items() if method != "members" and text != before.get(method, "-")}
    old, new = (set((entry.get("members") or "").split()) for entry in (before, now))
    members = [f"+{name}" for name in sorted(new - old)] + [f"-{name}" for name in sorted(old - new)]
    return changed | ({"members": " ".join(members)} if members else {})
