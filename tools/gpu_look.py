"""Compile the training steps of bench/gpu for an NVIDIA card that this machine lacks, in sporax and in JAX written by hand.

    python tools/gpu_look.py [--card H200] [--models gpt,vit] [--precisions bfloat16]   # tools/results/gpu_look.json, docs/gpu.md

Needs JAX's CUDA plugin, but no GPU and no driver: `pip install 'sporax[cuda12]'`. A step takes one to five minutes on two
cores. Rows that were not asked for stay as they are.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "tools" / "results" / "gpu_look.json"
PAGE = ROOT / "docs" / "gpu.md"
MODELS = ("gpt", "bert", "vit", "resnet50", "lstm")
PRECISIONS = ("bfloat16", "float32")
WRITERS = ("sporax", "jax")
TITLES = {
    "gpt": "GPT-2 124M, 8 × 1,024",
    "bert": "BERT-base, 32 × 512",
    "vit": "ViT-B/16, 128",
    "resnet50": "ResNet-50, 128",
    "lstm": "LSTM, 64 × 128",
}
NAMES = {"sporax": "sporax", "jax": "JAX by hand"}
MARKS = ("<!-- the table of tools/gpu_look.py -->\n", "<!-- its end -->\n")
HEAD = ("step", "precision", "written in", "kernels", "fused by XLA", "of libraries", "casts", "copies", "temporary MiB",
        "arguments MiB", "compiled in")  # fmt: skip


def in_sporax(model: str, precision: str, card: str, more: list[str]) -> dict[str, Any]:
    """Return what `sporax plan --kernels` finds."""
    program = [str(ROOT / "bench" / "gpu" / "sporax_steps.py"), model, precision, *more]
    return answer([sys.executable, "-m", "sporax", "plan", "--kernels", "--machine", card, "--json", *program])


def by_hand(model: str, precision: str, card: str, more: list[str]) -> dict[str, Any]:
    """Return the same of the step in plain JAX, compiled in a process of its own."""
    return answer([sys.executable, __file__, "--by-hand", model, precision, "--card", card, *more])


def answer(command: list[str]) -> dict[str, Any]:
    """Return the data that a command writes, or its last error."""
    env = os.environ | {"JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), env.get("PYTHONPATH")]))
    done = subprocess.run(command, capture_output=True, env=env, text=True)
    if done.returncode == 0:
        return json.loads(done.stdout)
    errors = re.findall(r"^[\w.]+(?:Error|Exception): .*$", done.stderr, re.MULTILINE)
    return {"error": errors[-1][:120] if errors else done.stderr[-300:]}


def compiled_by_hand(model: str, precision: str, card: str, small: bool) -> dict[str, Any]:
    """Compile a step in plain JAX, with JAX's own settings."""
    import jax

    from bench.gpu.jax_steps import state_of, step_of
    from bench.gpu.sizes import size
    from sporax._src.processes.cards import compiled_for
    from sporax._src.transform.parallel.card_plan import needs_on_card

    jax.config.update("jax_enable_x64", False)
    jax.config.update("jax_default_matmul_precision", "highest" if precision == "float32" else None)
    at, implementation = size(small), "cudnn" if precision == "bfloat16" else "xla"
    start = time.perf_counter()
    step = step_of(model, at, precision, implementation)
    compiled = compiled_for(card, step, state_of(model, at), *at.batches(model)[0], donate=(0,))
    return {**needs_on_card(compiled), "seconds": time.perf_counter() - start}


def row_of(model: str, precision: str, writer: str, found: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a step."""
    row = {"model": model, "precision": precision, "writer": writer}
    if "error" in found:
        return row | found
    memory = {name: round(size / 2**20, 1) for name, size in found["memory"].items()}
    return row | {"kernels": found["kernels"], "memory_mib": memory, "seconds": round(found["seconds"], 1)}


def key(row: dict[str, Any]) -> tuple[int, int, int]:
    """Return where a row stands in the table."""
    return MODELS.index(row["model"]), PRECISIONS.index(row["precision"]), WRITERS.index(row["writer"])


def table(results: dict[str, Any]) -> str:
    """Return the table of the page."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---|---|" + "---:|" * (len(HEAD) - 3)]
    for row in results["rows"]:
        step = [TITLES[row["model"]], row["precision"], NAMES[row["writer"]]]
        if "error" in row:
            lines.append("| " + " | ".join([*step, f"`{row['error']}`"]) + " |" * (len(HEAD) - 3))
            continue
        kernels, memory = row["kernels"], row["memory_mib"]
        calls = ", ".join(f"{n} {short(name)}" for name, n in sorted(kernels["custom_calls"].items()))
        cells = [
            *step, f"{kernels['all']:,}", f"{kernels['fusions']:,}",
            calls, f"{kernels['converts']:,}", f"{kernels['copies']:,}", f"{memory['temporary']:,.0f}",
            f"{memory['arguments']:,.0f}", f"{row['seconds']:.0f} s",
        ]  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    said = f"Compiled for {results['card']} by {results['versions']}."
    return "\n".join([said, "", *lines, ""])


def short(name: str) -> str:
    """Return the name of a library's kernel without the library's marks.

    Examples:
        >>> short("__cudnn$fmhaSoftmaxBackward")
        'cudnn fmhaSoftmaxBackward'
    """
    return re.sub(r"\W+", " ", name.lstrip("_")).strip()


def write_page(results: dict[str, Any]) -> None:
    """Put the table between its marks in docs/gpu.md."""
    text = PAGE.read_text()
    before, _, rest = text.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    PAGE.write_text(f"{before}{MARKS[0]}{table(results)}{MARKS[1]}{after}")


def versions() -> str:
    """Return the compiler and the plugin."""
    names = ("jax", "jax-cuda12-pjrt", "jax-cuda13-pjrt")
    found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions() if d.metadata["Name"] in names}
    return ", ".join(f"{name} {version}" for name, version in sorted(found.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--card", default="H200", choices=("H100", "H200"))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--precisions", default=",".join(PRECISIONS))
    parser.add_argument("--writers", default=",".join(WRITERS))
    parser.add_argument("--small", action="store_true", help="small sizes, printed and not written")
    parser.add_argument("--page", action="store_true", help="write the page from the results, and compile nothing")
    parser.add_argument("--by-hand", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.by_hand:
        return print(json.dumps(compiled_by_hand(*args.by_hand, args.card, args.small)))
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() and not args.small else {"rows": []}
    if args.page:
        return write_page(results)
    if results.get("card", args.card) != args.card:
        results = {"rows": []}
    results |= {"card": args.card, "versions": versions()}
    for precision in args.precisions.split(","):
        for model in args.models.split(","):
            for writer in args.writers.split(","):
                compile_in = in_sporax if writer == "sporax" else by_hand
                found = compile_in(model, precision, args.card, ["--small"] if args.small else [])
                row = row_of(model, precision, writer, found)
                print(json.dumps(row), flush=True)
                results["rows"] = sorted([*(r for r in results["rows"] if key(r) != key(row)), row], key=key)
                if not args.small:
                    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    if args.small:
        return print(table(results))
    write_page(results)


if __name__ == "__main__":
    main()
