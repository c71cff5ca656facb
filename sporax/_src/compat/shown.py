"""Classes that programs print; each names MindSpore's module of it while the name `mindspore` is served."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from sporax._src.compat.paths import TABLE, homes

_FILES = (
    "amp",
    "common.initializer",
)  # modules of MindSpore whose path is a file of sporax: no line of the table names them


def classes() -> Iterator[tuple[type, str, str]]:
    """Give each class with the module it names while `mindspore` is served, and the one it names else.

    They are the classes that a line of the table marks `@home`, and the others that the files of MindSpore's modules export.
    """
    listed: set[type] = set()
    for path, source in homes(TABLE):
        package = importlib.import_module(source.module)
        for name in source.names or ():
            listed.add(getattr(package, name))
            yield getattr(package, name), f"mindspore.{path}", source.module
    for path in _FILES:
        package = importlib.import_module(f"sporax.{path}")
        for value in map(package.__dict__.get, package.__all__):
            if isinstance(value, type) and value not in listed:
                yield value, f"mindspore.{path}", package.__name__
