"""Record what converted programs are compared with: their losses under MindSpore 2.7.0, and the answers of patterns under torch.

Run it with a Python that has sporax and torch, and name one that has ``mindspore==2.7.0`` (CPU)::

    python tools/record_migrated.py MINDSPORE_PYTHON             # every program of `NAMES`
    python tools/record_migrated.py MINDSPORE_PYTHON gpt vae     # some of them
    python tools/record_migrated.py --patterns                   # the answers of tests/migrate/programs/patterns; needs torch only

Each program of ``tests/migrate/programs/sources`` is converted for the target "classic", whose operators MindSpore's CPU has, and
begins with the weights that torch's has after ``torch.manual_seed(0)``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import sporax as ms

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from patterns import RECORDED, patterns, plain  # noqa: E402
from torch_programs import PROGRAMS, STEPS, built, load, torch_run  # noqa: E402

from sporax.migrate import convert  # noqa: E402

NAMES = tuple("dqn gnn gpt image_translation lstm_tagger ppo resnet seq2seq siamese style_transfer vae".split())
GOLDEN = ROOT / "tests" / "goldens" / "migrated.json"

# What runs under MindSpore: the program, the files with the weights of its nets, and the number of steps are its arguments.
RUNNER = """
import contextlib, importlib.util, io, json, sys
import mindspore
mindspore.set_context(mode=mindspore.PYNATIVE_MODE, device_target="CPU")
path, *weights, steps = sys.argv[1:]
sys.path.insert(0, path.rpartition("/")[0])
spec = importlib.util.spec_from_file_location("program", path)
program = sys.modules["program"] = importlib.util.module_from_spec(spec)
with contextlib.redirect_stdout(io.StringIO()):
    spec.loader.exec_module(program)
    model = program.build_model()
    for net, file in zip(model if isinstance(model, tuple) else (model,), weights, strict=True):
        values = mindspore.load_checkpoint(file)
        parameters = dict(net.parameters_and_names())
        assert values.keys() == parameters.keys(), values.keys() ^ parameters.keys()
        for name, parameter in parameters.items():
            parameter.set_data(values[name])
    losses = program.train(model, int(steps))
print(json.dumps([float(loss) for loss in losses]))
"""


def losses_under_mindspore(name: str, python: str, folder: Path) -> list[float]:
    """Convert a program and train it for `STEPS` steps under MindSpore.

    Args:
        name: The program.
        python: A Python that has MindSpore.
        folder: Where its files are written.
    """
    program = folder / f"{name}.py"
    converted = convert((PROGRAMS / f"{name}.py").read_text(), program.name, target="classic")
    assert not converted.todo, converted.todo
    converted.write(program)
    model = built(load(program), torch_run(name).model)
    files = []
    for i, cell in enumerate(model if isinstance(model, tuple) else (model,)):
        files.append(str(folder / f"{name}_{i}.ckpt"))
        ms.save_checkpoint([{"name": path, "data": p} for path, p in cell.parameters_and_names()], files[-1])
    command = [python, "-c", RUNNER, str(program), *files, str(STEPS)]
    done = subprocess.run(command, env=os.environ | {"GLOG_v": "4"}, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip().splitlines()[-1]}\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def record_patterns() -> None:
    """Run every pattern under torch and store its answers."""
    lines = []
    for name, text in patterns().items():
        scope: dict[str, Any] = {}
        try:
            exec(compile(text, name, "exec"), scope)
            lines.append(f" {json.dumps(name)}: {json.dumps(plain(scope['answers']))}")
        except Exception as error:
            raise RuntimeError(f"the pattern '{name}' fails under torch") from error
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    """Record, and print how far MindSpore is from torch."""
    parser = argparse.ArgumentParser(description="Record what converted programs are compared with.")
    parser.add_argument(
        "--patterns", action="store_true", help="record the answers of patterns under torch, nothing else"
    )
    parser.add_argument("python", nargs="?", help="a Python that has mindspore==2.7.0")
    parser.add_argument("names", nargs="*", metavar="name", help="programs to record (default: all)")
    args = parser.parse_args()
    if args.patterns:
        return record_patterns()
    if args.python is None:
        parser.error("name a Python that has MindSpore")
    recorded = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in args.names or NAMES:
            losses = losses_under_mindspore(name, args.python, Path(folder))
            theirs = torch_run(name).losses
            apart = max(abs(a - b) for a, b in zip(losses, theirs, strict=True)) / max(map(abs, theirs))
            print(f"{name:16s} {apart:.1e} from torch", flush=True)
            recorded[name] = losses
            lines = [f" {json.dumps(known)}: {json.dumps(recorded[known])}" for known in sorted(recorded)]
            GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
