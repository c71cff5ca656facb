"""From the text of a module to its code: converted, with the positions of the source, and kept on disk."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import marshal
import sys
from importlib import resources
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from sporax._src.migrate.running.disk_cache import DiskCache
from sporax._src.migrate.running.leftovers import make_raise
from sporax._src.migrate.running.packages import Packages, dumped
from sporax._src.migrate.running.positions import move_to_source
from sporax._src.migrate.running.stand_in import roots
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.helper_modules import HOME
from sporax._src.migrate.source.program import Program
from sporax._src.migrate.source.source_text import ConversionFault

_HOME = "sporax._src.migrate"
_PARTS = ("source", "torch_map", "helpers", "running")


class Module(NamedTuple):
    """A converted module.

    Args:
        code: Its code; the positions are those of the source.
        left: The code that was not converted: line and reason.
        notes: Differences of results: line, name and text.
    """

    code: CodeType
    left: list[tuple[int, str]]
    notes: list[tuple[int, str, str]]


class Compiler:
    """Converts and compiles modules, each text once.

    Attributes:
        modules: What has been compiled in this process, by file name.
        conversions: How many of these were converted, not read from the disk.
    """

    def __init__(self) -> None:
        self._cache = DiskCache()
        self._packages = Packages(self._cache, version())
        self.modules: dict[str, Module] = {}
        self.conversions = 0

    def compile(self, data: bytes, filename: str, name: str, is_main: bool = False) -> CodeType | None:
        """Return the code of a module, None if the module has nothing to convert.

        Args:
            data: The source.
            filename: Its file.
            name: The name of the module.
            is_main: Whether it is the program itself.

        Raises:
            SyntaxError: If the source is not Python.
            ImportError: If the converter fails for it.
        """
        path = Path(filename)
        if not self._packages.is_converted(name, path, data):
            return None
        program = self._packages.program_of(name, path)
        key = self._key(data, filename, is_main, program)
        kept = self._cache.get(key)
        module = _loaded(kept) if kept else self._converted(data, filename, name, is_main, program)
        if kept is None:
            self._cache.put(key, marshal.dumps(module and tuple(module)))
        if module is None:
            return None
        self.modules[filename] = module
        return module.code

    def _key(self, data: bytes, filename: str, is_main: bool, program: Program) -> str:
        """Return a digest of all that the code depends on."""
        settings = [version(), importlib.util.MAGIC_NUMBER, sys.flags.optimize, filename, is_main, roots()]
        return hashlib.sha256(b"\0".join([repr(settings).encode(), dumped(program), data])).hexdigest()

    def _converted(self, data: bytes, filename: str, name: str, is_main: bool, program: Program) -> Module | None:
        """Convert a module; None if the conversion does not change it."""
        source = importlib.util.decode_source(data)
        try:
            done = convert(source, filename, program=program, helpers_from=HOME)
        except (ConversionFault, RecursionError) as fault:
            raise ImportError(f"{filename} cannot be converted: {fault}", name=name, path=filename) from fault
        if not done.lines:
            return None
        self.conversions += 1
        tree = ast.parse(done.text)
        tree = make_raise(tree, done.text, is_main)
        move_to_source(tree, done.text, source, done.lines)
        return Module(compile(tree, filename, "exec", dont_inherit=True), done.todo, done.notes)


def _loaded(data: bytes) -> Module | None:
    parts = marshal.loads(data)
    return parts and Module(*parts)


@functools.cache
def version() -> str:
    """Return a digest of the converter."""
    digest = hashlib.sha256()
    for part in _PARTS:
        waiting = [resources.files(_HOME).joinpath(part)]
        while waiting:
            entry = waiting.pop()
            if entry.is_dir():
                waiting += sorted(entry.iterdir(), key=lambda one: one.name)
            elif entry.name.endswith((".py", ".rows")):
                digest.update(entry.name.encode() + entry.read_bytes())
    return digest.hexdigest()
