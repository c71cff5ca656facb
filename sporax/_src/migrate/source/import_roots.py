"""The folders from which a program imports: those that are on Python's path when it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from sporax._src.migrate.source.helper_modules import PACKAGE
from sporax._src.migrate.source.nodes import every


class ImportRoots:
    """The import roots of a program.

    The root of a file in a package is the folder above the outermost package. The root of another file is its own folder, unless
    the program imports that folder by name. If the whole program is one package, its files import relative to it, unless they
    import one another by names without the package: such files run as scripts. A file that imports the package by its own name may
    run as a script, too; it imports everything by that name.

    A file that imports from a root above its own takes its helpers from there: that root is on Python's path, too, and two packages
    of helpers would hide one another.

    Args:
        source: The file or folder of the program.
        trees: The syntax trees of its files.
    """

    def __init__(self, source: Path, trees: Mapping[PurePath, ast.Module]) -> None:
        self._folder = source.parent if source.is_file() else source
        self._is_package = source.is_dir() and (source / "__init__.py").exists()
        imported = {file: {p for name in _imported(tree) for p in _prefixes(name)} for file, tree in trees.items()}
        self._imported = {name for names in imported.values() for name in names}
        self._name = self._folder.resolve().name
        self._by_name = {file for file, names in imported.items() if self._name in names}
        self._is_file = source.is_file()
        names = [file.stem for file in self._folder.glob("*.py")] if self._is_package else []
        self._has_scripts = any(name in self._imported for name in names)
        self._names_in: dict[str, set[str]] = {}  # the files and packages of a root
        self._needed: dict[str, set[str]] = {}  # what the files of a root import
        for file, tree in trees.items():
            root, name = self._own(Path(file))
            if name == PACKAGE:
                parts = Path(file).relative_to(self._folder / root).with_suffix("").parts
                self._names_in.setdefault(root, set()).add(parts[0])
                self._needed.setdefault(root, set()).update(n.partition(".")[0] for n in _imported(tree))

    def helpers_of(self, file: Path) -> tuple[str, str]:
        """Return the folder, below the source, that has the helpers of a file, and how the file names their package."""
        root, name = self._own(file)
        while name == PACKAGE and (above := self._above(root)) is not None:
            root = above
        return root, name

    def _above(self, root: str) -> str | None:
        """Return the highest other root, above a root or a folder "src" on the way, from which its files import."""
        needed = self._needed.get(root, set()) - self._names_in.get(root, set())
        folders = [*reversed(PurePath(root).parents), PurePath(root)]
        for folder in (str(inner) for outer in folders for inner in (outer, outer / "src")):
            if folder != root and needed & self._names_in.get(folder, set()):
                return folder
        return None

    def _own(self, file: Path) -> tuple[str, str]:
        """Return what `helpers_of` does for a file that imports from no other root."""
        if self._is_file:
            return ".", PACKAGE
        parts = file.parent.relative_to(self._folder).parts
        depth = len(parts)
        while depth and (self._folder.joinpath(*parts[:depth]) / "__init__.py").exists():
            depth -= 1
        if depth == 0 and self._is_package and not self._has_scripts and file.suffix == ".py":
            return ".", f"{self._name}.{PACKAGE}" if file in self._by_name else "." * (len(parts) + 1) + PACKAGE
        starts = (start for start in range(depth) if ".".join(parts[start:depth]) in self._imported)
        return "/".join(parts[: next(starts, depth)]) or ".", PACKAGE


def _imported(tree: ast.Module) -> Iterator[str]:
    """Give the absolute names of the modules that a file imports."""
    for node in every(tree, ast.Import, ast.ImportFrom):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _prefixes(name: str) -> Iterator[str]:
    """Give "a", "a.b" and "a.b.c" for "a.b.c"."""
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))
