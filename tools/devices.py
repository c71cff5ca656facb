"""Train on 1, 2 and 4 processes with 1, 2 and 4 simulated devices each, and compare the losses with those of one device.

python tools/devices.py    # writes tools/results/devices.json
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from device_grid import differences, trained  # noqa: E402  of the tests

SIZES = (1, 2, 4)
LARGEST = 1e-6  # relative difference of a loss


def main() -> None:
    """Train everywhere, write the differences, and fail if one is too large."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        alone = trained(Path(folder), 1, 1)[0]
        results = {}
        for processes, devices in [(p, d) for p in SIZES for d in SIZES if p * d > 1]:
            found = trained(Path(folder), processes, devices)
            held = {kind: max(rank[kind]["devices"] for rank in found) for kind in alone}
            results[f"{processes} x {devices}"] = {
                kind: {"difference": float(f"{value:.1e}"), "devices of a weight": held[kind]}
                for kind, value in differences(found, alone).items()
            }
            print(f"{processes} x {devices}", results[f"{processes} x {devices}"], flush=True)
    (ROOT / "tools" / "results" / "devices.json").write_text(json.dumps(results, indent=1) + "\n")
    assert all(kind["difference"] <= LARGEST for row in results.values() for kind in row.values())


if __name__ == "__main__":
    main()
