"""The names in a converted file for MindSpore's objects, and the imports of these names."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from sporax._src.migrate.source.helper_modules import PACKAGE
from sporax._src.migrate.source.nodes import every

# Modules that get a name of their own; what else is below `mindspore` is written out.
MODULES = {
    "mindspore": "import mindspore",
    "collections": "import collections",
    "contextlib": "import contextlib",
    "copy": "import copy",
    "functools": "import functools",
    "itertools": "import itertools",
    "mint": "from mindspore import mint",
    "nn": "from mindspore import nn",
    "ops": "from mindspore import ops",
    "dataset": "import mindspore.dataset as dataset",
    "np": "import numpy as np",
    "math": "import math",
    "multiprocessing": "import multiprocessing",
    "typing": "import typing",
    "mslinalg": "import mindspore.scipy.linalg as mslinalg",
    "gzip": "import gzip",
    "hashlib": "import hashlib",
    "os": "import os",
    "pickle": "import pickle",
    "PIL": "import PIL.Image",
    "safetensors": "import safetensors.numpy",
    "shutil": "import shutil",
    "urllib": "import urllib.request",
}

_OF_MINDSPORE = ("mint", "nn", "ops", "dataset")


class Imports:
    """The names of MindSpore in a file.

    Args:
        tree: The file, whose own names are not taken away from it.
        target: "mint" or "classic".
        replaced: The helpers that are written in the place of names.
    """

    def __init__(self, tree: ast.AST, target: str = "mint", replaced: Mapping[str, str] | None = None) -> None:
        self.target = target
        self._replaced = replaced or {}
        self._own_names = {n.id for n in every(tree, ast.Name) if isinstance(n.ctx, ast.Store)}
        self._own_names |= {n.arg for n in every(tree, ast.arg)}
        self._own_names |= {n.name for n in every(tree, ast.FunctionDef, ast.ClassDef)}
        self._there = {ast.unparse(n) for n in getattr(tree, "body", ()) if isinstance(n, (ast.Import, ast.ImportFrom))}
        self.lines: dict[str, None] = {}
        self.helpers: dict[str, None] = {}

    def name(self, path: str) -> str:
        """Return how a name of MindSpore (`mint.add`, `mindspore.Tensor`, `_helper`) is written, and note its import."""
        path = self._replaced.get(path, path)
        root = path.partition(".")[0]
        if root.startswith("_"):
            self.helpers[root] = None
            return path
        if root in MODULES and (root not in self._own_names or root not in _OF_MINDSPORE):
            self.lines[MODULES[root]] = None
        elif root in MODULES:
            self.lines[f"import mindspore.{root}" if root == "dataset" else MODULES["mindspore"]] = None
            return f"mindspore.{path}"
        return path

    def text(self, used: set[str]) -> str:
        """Return the import lines of the names that are used, but for those that the file has."""
        needed = [line for line in self.lines if line not in self._there]
        lines = [line for line in needed if line.split()[-1].split(".")[0] in used]
        return "\n".join(sorted(lines, key=lambda line: (not line.startswith("import "), PACKAGE in line, line)))
