"""MindSpore's import paths, one line each, where `sporax` has no file of that name.

    nn.optim.sgd                = sporax.nn: SGD
    nn.layer.{conv,pooling}     = sporax.nn.layer
    common.tensor               = sporax: Tensor tensor; sporax._src.core.tensor: Tensor as StubTensor
    . common                    = sporax: jit_class as ms_class                                              @mindspore

A line says of one or more paths below `sporax` and `mindspore` which modules their names come from: all public names of a
module, or those that are listed. Braces expand as in a shell; `.` is the top module; a line that begins with a blank goes on.
Where `sporax` has a file of the path, the line adds names to it. A path between, of which no line speaks, is an empty package.
`@mindspore` marks what MindSpore 2.7 itself no longer has, or no program needs under another name: it is there only while
the name `mindspore` is served. `@home` marks the module in which MindSpore defines the classes that the line names; `shown` reads
it. `finder` makes the modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sporax._src.compat.tables import base, data, nn, ops, parallel, train

TABLE = "".join(part.TABLE for part in (base, parallel, data, nn, ops, train))


class Source(NamedTuple):
    """Where names come from: a module, and the names by what they are called there; None for all of its public names."""

    module: str
    names: dict[str, str] | None


Paths = dict[str, list[Source]]
_NAME = re.compile(r"(\w+)(?: as (\w+))?")


def read(table: str) -> tuple[Paths, Paths]:
    """Return the sources of each path: those that are always there, and those of the lines marked `@mindspore`."""
    always: Paths = {}
    marked: Paths = {}
    for paths, sources, mark in _lines(table):
        for path in paths:
            (marked if mark == "mindspore" else always).setdefault(path, []).extend(sources)
    return always, marked


def homes(table: str) -> Iterator[tuple[str, Source]]:
    """Give the path and the source of each line marked `@home`: the classes that MindSpore defines in that module."""
    for paths, sources, mark in _lines(table):
        if mark == "home":
            yield from ((path, source) for path in paths for source in sources)


def _lines(table: str) -> Iterator[tuple[list[str], list[Source], str]]:
    """Give the paths, the sources and the mark of each line."""
    for line in re.sub(r"(,?)\n +", lambda end: end[1] or " ", table).splitlines():
        if line and not line.startswith("#"):
            line, _, mark = line.partition("@")
            paths, _, sources = line.partition(" = ")
            expanded = [one.strip(".") for path in paths.split() for one in expand(path)]
            yield expanded, [_source(text) for text in sources.split(";")], mark.strip()


def expand(path: str) -> list[str]:
    """Return the paths that one with braces stands for.

    >>> expand("{nn,train}.metrics.{loss,roc}")
    ['nn.metrics.loss', 'nn.metrics.roc', 'train.metrics.loss', 'train.metrics.roc']
    """
    before, brace, rest = path.partition("{")
    inside, _, after = rest.partition("}")
    return [tail for part in inside.split(",") for tail in expand(before + part + after)] if brace else [path]


def _source(text: str) -> Source:
    module, listed, names = text.strip().partition(":")
    return Source(module, {new or name: name for name, new in _NAME.findall(names)} if listed else None)
