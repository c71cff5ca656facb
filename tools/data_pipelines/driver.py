"""One pipeline in one process: what `tools/data_pipelines.py` runs under MindSpore and under sporax.

    python driver.py JOB         # JOB is JSON: the statements, the seeds, and where the answer goes

The answer is a file of JSON with the sizes, the types and the figures of each column for each seed, and a file of arrays with the
rows for the first seed.
"""

import contextlib
import importlib
import io
import json
import os
import random
import runpy
import sys
import time
from itertools import islice

import mindspore.dataset as ds
import numpy as np


def _as_many_workers_as_there_are() -> None:
    """MindSpore refuses more workers than there are processors; the programs ask for up to 64. sporax takes fewer by itself."""
    most, made = os.cpu_count(), ds.Dataset.__init__

    def init(self, children=None, num_parallel_workers=None, cache=None):
        made(self, children, num_parallel_workers and min(num_parallel_workers, most), cache)

    ds.Dataset.__init__ = init
    importlib.import_module("mindspore.dataset.core.validator_helpers").cpu_count = lambda: 64


if "sporax" not in sys.modules:
    _as_many_workers_as_there_are()


class _Found(BaseException):
    """A script is about to read a dataset."""

    def __init__(self, dataset):
        super().__init__()
        self.dataset = dataset


def first_read(script, *arguments):
    """Run a script until it reads a dataset, and return the dataset."""

    def found(self, *_args, **_named):
        raise _Found(self)

    names = ["create_dict_iterator", "create_tuple_iterator", "__iter__"]
    before = {name: getattr(ds.Dataset, name) for name in names}
    words, sys.argv = sys.argv, [script, *arguments]
    try:
        for name in names:
            setattr(ds.Dataset, name, found)
        runpy.run_path(script, run_name="__main__")
    except _Found as done:
        return done.dataset
    finally:
        sys.argv = words
        for name in names:
            setattr(ds.Dataset, name, before[name])
    raise RuntimeError(f"{script} reads no dataset")


def facts(dataset):
    """Return what a dataset says of itself before it is read."""
    return {
        "columns": dataset.get_col_names(),
        "size": dataset.get_dataset_size(),
        "batch": dataset.get_batch_size(),
        "repeat": dataset.get_repeat_count(),
        "shapes": [[-1 if n is None else n for n in shape] for shape in dataset.output_shapes()],
        "types": [
            np.dtype(kind).name if np.dtype(kind).kind not in "US" else "string" for kind in dataset.output_types()
        ],
    }


def figures(rows):
    """Return for each column what its numbers are, over all rows."""
    found = {}
    for name in rows[0] if rows else ():
        arrays = [np.asarray(row[name]) for row in rows]
        if all(array.dtype.kind in "biuf" for array in arrays):
            flat = np.concatenate([array.ravel() for array in arrays]).astype(np.float64)
            found[name] = [flat.mean(), flat.std(), flat.min(), flat.max()] if flat.size else [0.0] * 4
    return {name: [float(value) for value in values] for name, values in found.items()}


def text(value):
    """Return strings as Unicode: an array of `object` would be pickled."""
    return value.astype(str) if value.dtype.kind in "OS" else value


def main(job):
    """Run a job and write its answer."""
    names = {"ds": ds, "np": np, "first_read": first_read}
    exec(job["setup"], names)
    answer = {"seconds": [], "figures": [], "count": []}
    for seed in job["seeds"]:
        ds.config.set_seed(seed)
        np.random.seed(seed)
        random.seed(seed)
        with contextlib.redirect_stdout(io.StringIO()):
            dataset = eval(job["build"], names)
        if "facts" not in answer:
            answer["facts"] = facts(dataset)
        began = time.perf_counter()
        rows = list(islice(dataset.create_dict_iterator(num_epochs=1, output_numpy=True), job["most"]))
        answer["seconds"].append(time.perf_counter() - began)
        answer["count"].append(len(rows))
        answer["figures"].append(figures(rows))
        if seed == job["seeds"][0]:
            arrays = {
                f"{number}/{name}": text(np.asarray(row[name])) for number, row in enumerate(rows) for name in row
            }
            np.savez(job["rows"], **arrays)
    with open(job["answer"], "w") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main(json.loads(sys.argv.pop()))  # a program that reads its own arguments finds none
