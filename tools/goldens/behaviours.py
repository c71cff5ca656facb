"""What MindSpore answers to the short programs of `tests/support/behaviours`, in both modes."""

import contextlib
import sys
import tempfile
from pathlib import Path

from .common import set_mode, write_json

SUPPORT = Path(__file__).resolve().parents[2] / "tests" / "support"


def record(out: Path) -> None:
    """Write ``behaviours.json``."""
    sys.path.insert(0, str(SUPPORT))
    from behaviours import answer, programs

    found: dict[str, dict] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # where MindSpore writes rewritten networks
        for mode in ("pynative", "graph"):
            for name, program in programs():
                set_mode(mode)
                found.setdefault(name, {})[mode] = answer(program)
    write_json(out / "behaviours.json", found)
