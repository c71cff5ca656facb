"""What functions of MindSpore's private modules answer, which copies of its files import."""

import sys
from pathlib import Path

from .common import write_json

SUPPORT = Path(__file__).resolve().parents[2] / "tests" / "support"


def record(out: Path) -> None:
    """Write ``private_calls.json``: by module and expression the value, or the types of the error."""
    sys.path.insert(0, str(SUPPORT))
    from private_calls import calls, evaluate

    found: dict[str, dict] = {}
    for path, expression in calls():
        found.setdefault(path, {})[expression] = evaluate(path, expression)
    write_json(out / "private_calls.json", found)
