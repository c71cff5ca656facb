"""Writes a run down: `results.json` with every number, `RESULTS.md` with the tables and what falls short."""

import json
from pathlib import Path

from bench.driver import LAUNCHED, PLAIN, TWO
from bench.specs import SPECS
from bench.targets import judge
from bench.variants import VARIANTS

MODES = {
    "compiled": ("sporax-graph", "jax", "torch-compile", "torch-eager", "mindspore-graph"),
    "eager": ("sporax-pynative", "torch-eager", "mindspore-pynative"),
}
FIELDS = (
    ("Training step (ms)", "median"),
    ("First step with an empty compile cache (s)", "first_cold"),
    ("First step in a second process, with the disk cache (s)", "first_warm"),
    ("Peak memory of the process (MiB)", "memory_mib"),
)
FILES = ("sporax-graph", PLAIN, "torch-eager", "mindspore-graph")
OPS = ("sporax-pynative", "jax", "torch-eager", "mindspore-pynative")


def write(results: dict, folder: Path) -> None:
    """Write both files into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / "RESULTS.md").write_text(markdown(results))


def markdown(results: dict) -> str:
    """The report as Markdown."""
    models = results["models"]

    def column(field: str) -> dict[str, dict[str, float]]:
        return {SPECS[model].title: {key: row[field] for key, row in rows.items()} for model, rows in models.items()}

    def medians(topic: str) -> dict[str, dict[str, float]]:
        table = results.get(topic, {})
        return {name: {key: row["median"] for key, row in rows.items()} for name, rows in table.items()}

    modules = {f"`{name}`": row["seconds"] for name, row in results["imports"].items()}
    parts = [
        "# Benchmark results",
        "Made by `python -m bench`; [README.md](README.md) says what is measured and how. In parentheses: sporax's "
        "figure divided by this one, so less than 1 means that sporax is faster, or smaller.",
        _machine(results),
        *(_table(f"{title}, {mode}", column(field), keys) for title, field in FIELDS for mode, keys in MODES.items()),
        *(_table(f"Layer and its gradient (ms), {mode}", medians("layers"), keys) for mode, keys in MODES.items()),
        *(
            _table(f"Update of 500 Parameters (ms), {mode}", medians("optimizers"), keys)
            for mode, keys in MODES.items()
        ),
        _table(
            "Step from batches on the host (ms), Model.train in sink mode", medians("epochs"), ("sporax-graph", "jax")
        ),
        _table("Checkpoint until it is on the disk (s)", medians("files"), FILES),
        _table(
            "Data parallel step, one core and one batch for each process (ms)",
            {SPECS[model].title: row for model, row in medians("processes").items()},
            (TWO, *(key for key in LAUNCHED if key != TWO)),
        ),
        _table("Eager op (us)", {f"`{name}`": row for name, row in medians("ops").items()}, OPS),
        _table("Import (s)", {"`import`": modules}, ("`sporax`", "`jax`", "`torch`", "`mindspore`")),
        _verdicts(results),
        _left_out(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _machine(results: dict) -> str:
    lines = [f"- {key}: {value}" for key, value in results["machine"].items()]
    lines += [f"- {v['framework']} {v['version']} on {v['device']}" for v in results["versions"].values()]
    return "## Machine and versions\n\n" + "\n".join(lines)


def _table(title: str, rows: dict[str, dict[str, float]], columns: tuple[str, ...]) -> str:
    present = [key for key in columns if any(key in row for row in rows.values())]
    if not present:
        return ""
    names = [VARIANTS[key].title if key in VARIANTS else key for key in present]
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(present) + 1) + "|"]
    for label, row in rows.items():
        lines.append(f"| {label} | " + " | ".join(_cell(row, key, columns[0]) for key in present) + " |")
    return f"## {title}\n\n" + "\n".join(lines)


def _cell(row: dict[str, float], key: str, ours: str) -> str:
    if key not in row:
        return "–"
    number = f"{row[key]:.3g}" if row[key] < 1000 else f"{row[key]:.0f}"
    if key == ours:
        return f"**{number}**"
    return f"{number} ({row[ours] / row[key]:.2f}×)" if ours in row else number


def _verdicts(results: dict) -> str:
    verdicts = judge(results)
    measured = [v for v in verdicts if v.value is not None]
    short = [v for v in measured if not v.met]
    lines = [f"- {v.what}: {v.value:.2f} {v.unit}, target {v.limit:g} {v.unit}" for v in short]
    unknown = [f"- {v.what}: not measured" for v in verdicts if v.value is None]
    head = f"{len(measured) - len(short)} of {len(measured)} measured targets are met."
    return "## Where it falls short\n\n" + "\n".join([head, "", *lines, *unknown]).rstrip()


def _left_out(results: dict) -> str:
    if not results["left_out"]:
        return ""
    return "## Left out\n\n" + "\n".join(f"- {line}" for line in results["left_out"])
