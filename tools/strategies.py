"""Run the law of strategies: networks whose operators are cut over eight devices compute what they do on one.

    python tools/strategies.py                    # all networks; writes tools/results/strategies.json
    python tools/strategies.py --every 40         # each 40th of them, into no file

Networks are the layers of `tests/support/layer_cases.py`, networks composed of blocks, and those of `bench`. Each operator of
their graphs gets a strategy drawn by the seed (`tests/support/strategy_laws.py`).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # as the tests: programs are small, and compiled often
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # XLA tells of each array that it gathers to cut it otherwise
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

import composed_networks
import jax
import layer_cases
import numpy as np
from laws.samples import parse, to_tensors
from strategy_laws import NEAR, Network, compared

import sporax as ms
from sporax import nn
from sporax._src.compat.finder import install

SCOPE = {"nn": nn, "ms": ms, "OrderedDict": OrderedDict}
COMPOSED = 60


def networks() -> list[Network]:
    """Return the networks of the law."""
    layers = [
        Network(
            f"{constructor} @ {case}",
            lambda constructor=constructor: eval(f"nn.{constructor}", SCOPE),
            lambda case=case: to_tensors(parse(case)[0]) if case else (),
        )
        for constructor, case in layer_cases.ALL
    ]
    composed = [
        Network(
            f"composed {seed}", lambda s=seed: composed_networks.build(s), lambda s=seed: composed_networks.inputs(s)
        )
        for seed in range(COMPOSED)
    ]
    return [*layers, *composed, *_of_bench()]


def _of_bench() -> list[Network]:
    """Return the small networks of the bench, with small batches."""
    install()
    models = importlib.import_module("bench.models.mindspore_models").MODELS
    draw = np.random.default_rng(0)

    def images(*shape: int) -> Any:
        return lambda: (ms.Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32)),)

    tokens = draw.integers(0, 256, (8, 64)).astype(np.int32)
    given = {
        "mlp": images(8, 784), "deep": images(8, 10), "lenet": images(8, 1, 32, 32), "lstm": images(8, 16, 64),
        "gpt": lambda: (ms.Tensor(tokens),),
    }  # fmt: skip
    return [Network(f"bench {name}", models[name], inputs) for name, inputs in given.items()]


def run(chosen: list[Network], seeds: int) -> dict[str, Any]:
    """Run the law and return the results."""
    start, different, rounded, operators, cut, uncut, worst = time.monotonic(), {}, {}, 0, 0, [], 0.0
    for network in chosen:
        cuts = 0
        for seed in range(seeds):
            try:
                found = compared(network, seed)
            except Exception as error:  # of whatever kind: it is what the law looks for
                different[f"{network.name}, seed {seed}"] = f"{type(error).__name__}: {error}"[:400]
                print(f"{network.name}: {error}", flush=True)
                continue
            operators, cut, cuts = operators + found.operators, cut + found.cut, cuts + found.cut
            text = f"differs by {found.distance:.1e}; moved by a last bit, by {found.rounding:.1e} from itself"
            if not found.holds:
                different[f"{network.name}, seed {seed}"] = text
                print(f"{network.name}: {text}", flush=True)
            elif found.distance > NEAR:
                rounded[f"{network.name}, seed {seed}"] = text
            else:
                worst = max(worst, found.distance)
        if not cuts:
            uncut.append(network.name)
    return {
        "jax": jax.__version__,
        "seconds": round(time.monotonic() - start),
        "networks": len(chosen),
        "seeds": seeds,
        "operators": operators,
        "operators_cut": cut,
        "greatest_distance_of_equal": float(f"{worst:.2g}"),
        "equal_within_rounding_only": rounded,
        "networks_nothing_of_which_can_be_cut": uncut,
        "different": different,
    }


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="take each n-th network only; results are not written")
    parser.add_argument("--seeds", type=int, default=2, help="how many strategies each network is run with")
    parser.add_argument(
        "--only", default="", help="a part of the names of the networks to run; results are not written"
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "strategies.json")
    options = parser.parse_args()
    chosen = [n for n in networks() if options.only in n.name][:: options.every]
    results = run(chosen, options.seeds)
    if options.every == 1 and not options.only:
        options.out.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps({k: v for k, v in results.items() if k != "networks_nothing_of_which_can_be_cut"}))
    sys.exit(bool(results["different"]))


if __name__ == "__main__":
    main()
