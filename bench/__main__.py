"""The benchmark's command line: `python -m bench --sporax-python PY --mindspore-python PY --torch-python PY`."""

import argparse
import datetime
import sys
from pathlib import Path

from bench import machine, report
from bench.driver import Driver
from bench.specs import SPECS
from bench.targets import PROCESSES
from bench.variants import VARIANTS

TOPICS = ("steps", "ops", "layers", "optimizers", "epochs", "files", "processes", "imports")


def parse(argv: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    for framework in ("sporax", "jax", "mindspore", "torch"):
        default = " (default: sporax's, else this one)" if framework == "jax" else ""
        parser.add_argument(f"--{framework}-python", metavar="PY", help=f"a python with {framework}{default}")
    parser.add_argument("--models", default=",".join(SPECS), help="which models, with commas between (default: all)")
    parser.add_argument("--topics", default=",".join(TOPICS), help=f"which of {', '.join(TOPICS)} (default: all)")
    parser.add_argument(
        "--contestants", default=",".join(VARIANTS), help=f"which of {', '.join(VARIANTS)} (default: all)"
    )
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--threads", type=int, default=2, help="cores and threads that each contestant gets")
    parser.add_argument("--rounds", type=int, help="interleaved rounds (default: 15, or 5 with --quick)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="where the two result files go")
    args = parser.parse_args(argv)
    args.models, args.topics, args.contestants = (
        chosen.split(",") for chosen in (args.models, args.topics, args.contestants)
    )
    for chosen, known in ((args.models, SPECS), (args.topics, TOPICS), (args.contestants, VARIANTS)):
        if unknown := set(chosen) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    return args


def main(argv: list[str]) -> None:
    """Run the benchmark and write its results."""
    args = parse(argv)
    pythons = {name: getattr(args, f"{name}_python") for name in ("sporax", "jax", "mindspore", "torch")}
    pythons["jax"] = pythons["jax"] or pythons["sporax"] or sys.executable
    driver = Driver(
        pythons={name: python for name, python in pythons.items() if python},
        contestants=args.contestants,
        device=args.device,
        threads=args.threads,
        rounds=args.rounds or (5 if args.quick else 15),
        round_seconds=0.15 if args.quick else 0.4,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    driver.find()
    imports = driver.imports() if "imports" in args.topics else {}
    ops = driver.ops() if "ops" in args.topics else {}
    layers = driver.layers() if "layers" in args.topics else {}
    optimizers = driver.optimizers() if "optimizers" in args.topics else {}
    epochs = driver.epochs() if "epochs" in args.topics else {}
    files = driver.files() if "files" in args.topics else {}
    processes = driver.processes(m for m in PROCESSES if m in args.models) if "processes" in args.topics else {}
    models = {model: driver.model(model) for model in args.models} if "steps" in args.topics else {}
    noise = sorted(driver.noise) or [0.0]
    about = {
        "date": datetime.date.today().isoformat(),
        "device": args.device,
        "threads": args.threads,
        "rounds": f"{driver.rounds} of {driver.round_seconds} s{', a quick look' if args.quick else ''}",
        "cores taken by other work in the timed rounds": f"{noise[len(noise) // 2]:.2f} in the median, {noise[-1]:.2f} "
        "at most",
    }
    results = {
        "machine": machine.describe() | about,
        "versions": driver.versions,
        "imports": imports,
        "ops": ops,
        "layers": layers,
        "optimizers": optimizers,
        "epochs": epochs,
        "files": files,
        "processes": processes,
        "models": models,
        "left_out": driver.left_out,
    }
    report.write(results, args.out)
    print(report.markdown(results))


if __name__ == "__main__":
    main(sys.argv[1:])
