"""What the running release of MindSpore answers to the examples of the table of changes, added to the answers of the others.

The examples come from `releases_examples.json`, which `tools/releases.py` writes.
"""

import json
import sys
from pathlib import Path

import mindspore as ms
import mindspore.dataset

from .common import set_mode

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS / "support"))

from release_answers import answer  # noqa: E402


def record(out: Path) -> None:
    """Write the answers under the name of the release."""
    set_mode("pynative")
    examples = json.loads((TESTS / "goldens" / "releases_examples.json").read_text(encoding="utf-8"))
    file = out / "releases.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    known[ms.__version__] = {example: answer(example, ms) for example in examples}
    file.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
