"""MindSpore's records of rows that fail and of lines."""

import json
from pathlib import Path

TOLD = json.loads((Path(__file__).parents[1] / "goldens" / "error_samples.json").read_text(encoding="utf-8"))
