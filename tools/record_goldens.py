"""Record what MindSpore 2.7.0 computes, as data that the tests of sporax compare with.

Run it with a Python that has ``mindspore==2.7.0`` (CPU) and ``numpy<2``::

    python tools/record_goldens.py                      # every section
    python tools/record_goldens.py promotion layers     # some of them
    python tools/record_goldens.py --list

Each section is one module of ``tools/goldens`` with a function ``record(out)``, and writes files
that bear its name into the output folder. Sections do not depend on each other.
"""

import argparse
import importlib
import os
import sys
import tempfile
import time
from pathlib import Path

SECTIONS = {
    "paths": "the modules that are attributes once `mindspore` is imported (first: other sections load more)",
    "names": "the names of operators, methods and layers",
    "signatures": "parameters of public functions and classes, and the names that classes have",
    "promotion": "result dtypes of operators over all pairs of dtypes",
    "repr": "str() and repr() of tensors, parameters, dtypes and cells",
    "indexing": "reading and writing through index expressions",
    "initializers": "values or statistics of every initializer",
    "first_values": "the weights that layers begin with after `set_seed`",
    "seeded_draws": "what operators with a seed of their own draw",
    "optimizers": "five steps of every optimizer under several settings",
    "thor": "networks that the optimizer THOR converts, its Parameters, what its layers gather, types of errors",
    "user_optimizers": "optimizers that programs define by the template of the base, and the names of the base",
    "behaviours": "short programs and what they answer in both modes",
    "private_calls": "functions of private modules that copies of MindSpore's files import",
    "parameter_names": "names of Parameters of Cells that are appended, inserted, replaced and removed",
    "lr": "learning-rate lists and schedules",
    "layer_attributes": "what objects of layers, optimizers, schedules, wraps and metrics hold",
    "layers": "layers and losses: parameters, outputs, gradients",
    "table": "the op table's own cases, by function, method and Primitive class; calls of mint and numpy",
    "ops": "functions, tensor methods and primitives: outputs and gradients",
    "checkpoint": "checkpoint files and the values they hold",
    "checkpoint_formats": "every property of the checkpoint formats",
    "metrics": "metrics over batches",
    "training": "Model, callbacks, checkpoints during training, loss scale",
    "dataset": "datasets and their transforms",
    "dataset_names": "the public names of datasets, and what those give that no other section calls",
    "dataset_orders": "the orders in which files of records and of text are read, and joined datasets",
    "dataset_sources": "the sources of public data sets, on small copies of their files",
    "numeric_edges": "casts, quotients, remainders, powers, common divisors at the edges of dtypes",
    "sparse": "sparse Tensors: values, text, gradients, kinds of errors",
    "mindrecord": "files of records and what they hold",
    "encrypted_records": "encrypted files of records and what they hold",
    "converters": "public data sets as files of records (needs opencv-python-headless, pandas<3, tensorflow-cpu)",
    "error_samples": "rows for which an operation of a dataset raises, and lines of texts",
    "text": "operations on text and vocabularies",
    "chinese_words": "how texts are cut by dictionaries and models of Jieba",
    "sentence_pieces": "models of SentencePiece and how they cut texts",
    "audio": "operations on sound",
    "audio_effects": "filters, effects and further spectra of sound",
    "vision": "operations on images",
    "videos": "frames, sound and times of small videos",
    "vision_boxes": "operations on images with bounding boxes",
    "drawn_boxes": "pictures with boxes drawn on them (needs opencv-python-headless)",
    "probability": "distributions and bijectors: values, gradients by the value, types of errors",
    "parallel": "programs of two processes",
    "slices": "checkpoints of several devices, cut in another way",
    "parallel_options": "which values options of parallel training take, and the types of errors for others",
    "releases": "what this release answers to the examples of the table of changes",
    "examples": "initial weights and first losses of the example programs",
}


def parse_args(argv: list[str] | None = None) -> argparse.Namespace:
    """Return the parsed command line."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description="Record goldens from MindSpore 2.7.0.")
    parser.add_argument("sections", nargs="*", metavar="section", help="sections to record (default: all)")
    parser.add_argument("--out", type=Path, default=root / "tests" / "goldens", help="output folder")
    parser.add_argument("--list", action="store_true", help="list the sections and stop")
    args = parser.parse_args(argv)
    unknown = sorted(set(args.sections) - set(SECTIONS))
    if unknown:
        parser.error(f"unknown sections {unknown}; known: {', '.join(SECTIONS)}")
    return args


def main(argv: list[str] | None = None) -> None:
    """Record the sections named on the command line."""
    args = parse_args(argv)
    if args.list:
        for name, text in SECTIONS.items():
            print(f"{name:14} {text}")
        return
    os.environ.setdefault("GLOG_v", "4")
    args.out.mkdir(parents=True, exist_ok=True)
    out = args.out.resolve()
    os.chdir(tempfile.mkdtemp())  # MindSpore leaves folders of dumps where it runs
    for name in args.sections or SECTIONS:
        start = time.perf_counter()
        importlib.import_module(f"goldens.{name}").record(out)
        print(f"{name}: {time.perf_counter() - start:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
