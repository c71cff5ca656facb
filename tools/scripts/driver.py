"""What runs in the process of a training script: the script itself, with the same weights, random numbers and data on all sides.

    python driver.py SIDE JOB SCRIPT ARGUMENTS...

SIDE says which framework runs the script: `torch`, `sporax` (a converted script), `run` (`sporax run --torch`) or `mindspore` (a
converted script under MindSpore). JOB is JSON: the folder of the `weights`, the number of `steps`, the file for the `losses`, and,
for MindSpore, the path of `verified_run` and the folder of the converted `names`.

The losses are those that `backward` differentiates under torch, and `value_and_grad` in a converted script. The process ends after
the last step.
"""

import importlib
import importlib.util
import json
import os
import random
import sys
from pathlib import Path

import numpy as np


class Losses:
    """The losses of the first steps of a script."""

    def __init__(self, steps):
        self.steps, self.values = steps, []

    def add(self, loss):
        """Note a loss; end the program after the last step."""
        self.values.append(float(loss))
        if len(self.values) == self.steps:
            raise SystemExit(0)


def record_torch(losses):
    """Note each loss on which `backward` is called."""
    import torch

    torch.set_num_threads(1)
    backward, seed = torch.Tensor.backward, torch.manual_seed

    def noted(loss, *args, **kwargs):
        backward(loss, *args, **kwargs)
        losses.add(loss.detach())

    def seeded(value):
        np.random.seed(value)  # as `mindspore.set_seed` does
        return seed(value)

    torch.Tensor.backward, torch.manual_seed = noted, seeded


def record_mindspore(mindspore, losses):
    """Note each loss that `value_and_grad` computes."""
    value_and_grad = mindspore.value_and_grad

    def noted(*args, **kwargs):
        differentiated = value_and_grad(*args, **kwargs)

        def called(*inputs, **named):
            values, gradients = differentiated(*inputs, **named)
            losses.add((values[0] if isinstance(values, tuple) else values).asnumpy())
            return values, gradients

        return called

    mindspore.value_and_grad = noted


def real_mindspore(names):
    """Return MindSpore, and what names Parameters as torch does, from a folder of its own."""
    mindspore = importlib.import_module("mindspore")
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE, device_target="CPU")
    sys.path.insert(0, names)
    named_parameters = importlib.import_module("names").named_parameters
    sys.path.remove(names)
    for module in [module for module in sys.modules if module.partition(".")[0] in ("names", "_from_torch")]:
        del sys.modules[module]  # the script has its own
    return mindspore, named_parameters


def main(side, job, *words):
    """Run a script and write its losses."""
    job = json.loads(job)
    spec = importlib.util.spec_from_file_location("verified_run", job["verified_run"])
    verified_run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(verified_run)
    weights, losses = Path(job["weights"]), Losses(job["steps"])
    if side == "torch":
        verified_run.prepare_torch(weights)
        record_torch(losses)
    else:
        found = real_mindspore(job["names"]) if side == "mindspore" else verified_run.sporax_as_mindspore()
        verified_run.prepare_mindspore(weights, *found)
        record_mindspore(found[0], losses)
    sys.path[0] = os.getcwd()
    random.seed(0)
    np.random.seed(0)
    try:
        if side == "run":
            command = importlib.import_module("sporax._src.cli.commands.run").run
            command.main(["--torch", *words], standalone_mode=False)
        else:
            verified_run.run(*words)
    finally:
        Path(job["losses"]).write_text(json.dumps(losses.values))


if __name__ == "__main__":
    main(*sys.argv[1:])
