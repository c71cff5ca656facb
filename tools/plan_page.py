"""Write docs/plan.md: what a training step of GPTs takes on 8 to 1,024 H200, as `sporax plan` finds it on this machine.

    python tools/plan_page.py [--sizes 124M 1.3B 7B] [--devices 8,64,1024] [--write]

Without `--write` the page is printed. The largest network takes some minutes and 2 GB of memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "plan.md"
MACHINES = ROOT / "sporax" / "_src" / "cli" / "commands" / "machines.json"
OPTIONS = {"tiny": (1, 2), "124M": (8, 1), "1.3B": (4, 4), "7B": (2, 8)}  # texts for a group, devices of a group

HEAD = """# Training steps on paper

`sporax plan train.py --devices 8,64,1024` shows the cost of a training step of a program on these numbers of devices. The
machine needs none of the devices. The program runs up to its first training step, which is compiled for the number of devices
and not run. Large Parameters take no memory in this run: the plan of the GPT of 7 B weights takes {rss:.1f} GB. For 4,096 devices
it takes a minute and 2 GB.

The figures are read from the compiled program. Memory is XLA's figure: the pieces of weights and moments, arguments, and
`temporary`, which contains activations, gradients and everything else in between. Exchanges are the collective operations, with
the bytes that each device sends or receives. On 8 devices the bytes are those of a real step
(`tests/transform/parallel/test_plan.py`). `--json` writes data, `--sim_level` leaves rows out, and `--machine` selects an entry
of the table of machines (`sporax/_src/cli/commands/machines.json`), which names the source of each figure.

What to keep in mind:

- The compiler is XLA's for CPUs. It computes float16 products in float32, so `temporary` contains copies that a GPU does not
  need; sums of bfloat16 are exchanged as float32, and sums of float16 as float16. This compiler makes no reduce-scatter: with a
  sharded optimizer, every device gets the sum of all gradients.
- The time is that of products at {share:.0%} of the machine's peak, and of exchanges in a ring at the speed of the slowest link
  ({link:.0f} GB/s within a machine, {network:.0f} GB/s for each device between machines). The two do not overlap, and nothing
  else is counted.
- Groups of one size share a row, both within a machine and across several; their times are computed separately.
- A Parameter is sharded further only if its first axis is divisible by the number of devices. The layers of the GPT of 124 M are
  768 wide, so with 1,024 devices each device has more weights than with 64.
- In `data_parallel` and `hybrid_parallel` programs each process is planned as process 0 of the run.
"""


def planned(size: str, devices: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the command and what it finds."""
    batch, group = OPTIONS[size]
    options = ["examples/parallel/gpt.py", "--size", size, "--batch", str(batch), "--model-parallel", str(group)]
    command = ["plan", "--devices", devices, *options]
    done = subprocess.run(
        [sys.executable, "-m", "sporax", *command, "--json"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True
    )
    return " ".join(["sporax", *command]), json.loads(done.stdout)


def size_of(number: float) -> str:
    """Return bytes for readers."""
    return f"{number / 1e9:,.2f} GB" if number >= 1e8 else f"{number / 1e6:,.1f} MB"


def section(size: str, command: str, plans: list[dict[str, Any]]) -> str:
    """Return the part of the page about one network."""
    batch, group = OPTIONS[size]
    rows = [["on each device", *[f"{p['devices']:,} H200" for p in plans]]]
    rows.append(["texts in a batch", *[f"{batch * p['devices'] // group:,}" for p in plans]])
    for part in ("weights", "moments", "temporary", "total"):
        rows.append([f"memory: {part}", *[size_of(p["memory"][part]) for p in plans]])
    rows.append(["products", *[f"{p['flops'] / 1e12:,.1f} TFLOP" for p in plans]])
    for kind in dict.fromkeys(e["kind"] for p in plans for e in p["exchanges"]):
        cells = []
        for p in plans:
            found = [e for e in p["exchanges"] if e["kind"] == kind and e["bytes"] >= 1e6]
            cells.append("; ".join(f"{size_of(e['bytes'])} among {e['group']:,}" for e in found))
        rows.append([kind, *cells])
    for name in ("computing", "exchanging", "step"):
        rows.append([f"time: {name}", *[f"{1e3 * p['seconds'][name]:,.1f} ms" for p in plans]])
    rows.insert(1, ["---"] + ["---:"] * len(plans))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows if any(row[1:]))
    return f"## GPT {size}\n\n```sh\n{command}\n```\n\n{table}\n"


def page(sizes: list[str], devices: str) -> str:
    """Return the whole page."""
    import resource

    parts = [section(size, *planned(size, devices)) for size in sizes]
    h200 = json.loads(MACHINES.read_text())["H200"]
    rss = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    head = HEAD.format(rss=rss, share=h200["share"], link=h200["link"] / 1e9, network=h200["network"] / 1e9)
    sources = "\n".join(f"- {name}: {text}" for name, text in h200["sources"].items())
    note = (
        "\nThe program is [examples/parallel/gpt.py](../examples/parallel/gpt.py): it has strategies in MindSpore's form, products "
        "in float16, everything else in float32, and Adam with a sharded state. This page leaves out exchanges below 1 MB. "
        "`python tools/plan_page.py --write` makes this page.\n"
    )
    return "\n".join([head + note, *parts, f"## Sources of the machine's figures\n\n{sources}\n"])


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", nargs="+", choices=OPTIONS, default=["124M", "1.3B", "7B"])
    parser.add_argument("--devices", default="8,64,1024")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    text = page(args.sizes, args.devices)
    if args.write:
        PAGE.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
