"""The kinds of a program's values, recorded in a run, for values whose kind the text does not show.

The files of the source are compiled with a probe around every expression whose kind the conversion may need, and the
script runs with torch in a separate process. A probe returns its value and records the value's classes.

Reading order: `trace` starts the process, whose `main` runs the script; `_Probed` sets the probes; `kind` reads their
    records.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

# The dotted names of the classes of each kind of value that an expression had, by the expression's location.
Trace = Mapping[str, Sequence[Sequence[str]]]

_PROBE = "__sporax_probe__"
_WHOLE = "torch.LongTensor"  # beside a Tensor's class: it holds whole numbers
_NONE = ["builtins.NoneType"]


def location(node: ast.expr) -> str:
    """Return the position of an expression in its file."""
    return f"{node.lineno}:{node.col_offset}-{node.end_lineno}:{node.end_col_offset}"


def trace(source: Path, command: Sequence[str]) -> dict[str, Trace]:
    """Run a script of a program and return the kinds of its values, by file (below the source) and location.

    The script prints to the output of this process. If it is interrupted, the kinds recorded so far are returned.

    Args:
        source: The file or folder of the program.
        command: The script and its arguments.

    Raises:
        FileNotFoundError: If there is no such script in the source.
        RuntimeError: If the script fails.
    """
    script = next((path for path in (Path(command[0]), source / command[0]) if path.is_file()), None)
    inside = script is not None and (source.resolve() in (script.resolve(), *script.resolve().parents))
    if script is None or not inside:
        raise FileNotFoundError(f"there is no script {command[0]} in {source} to trace.")
    with tempfile.TemporaryDirectory() as scratch:
        record = Path(scratch, "seen.json")
        arguments = [str(record), str(source.resolve()), str(script.resolve()), *command[1:]]
        try:
            done = subprocess.run([sys.executable, "-B", __file__, *arguments], check=False).returncode
        except KeyboardInterrupt:
            done = 0
        if done or not record.exists():
            raise RuntimeError(f"{' '.join(command)} ended with status {done}; trace a run that succeeds.")
        seen: dict[str, Trace] = json.loads(record.read_text())
        return seen


def kind(seen: Sequence[Sequence[str]], known: Callable[[Sequence[str]], list[str]]) -> str:
    """Return the kind of an expression: the most specific one of all its values. None is ignored if there are others.

    Args:
        seen: The names of the classes of each kind of value, nearest first.
        known: Returns the kinds that the names of an object's classes stand for.
    """
    candidates = [known(classes) for classes in seen if list(classes) != _NONE]
    return next((one for one in candidates[0] if all(one in kinds for kinds in candidates)), "") if candidates else ""


def names_of_values(seen: Trace) -> set[str]:
    """Return the names of the classes of all values that were seen in a file."""
    return {name for kinds in seen.values() for classes in kinds for name in classes}


class _Probes:
    """The records: for each expression with a probe, the classes of its values."""

    def __init__(self) -> None:
        self.locations: list[tuple[str, str]] = []
        self.classes: list[set[tuple[type, bool]]] = []

    def add(self, file: str, node: ast.expr) -> int:
        self.locations.append((file, location(node)))
        self.classes.append(set())
        return len(self.locations) - 1

    def __call__(self, value: object, at: int) -> Any:
        cls = type(value)
        self.classes[at].add((cls, _is_whole(value)))
        return value

    def seen(self) -> dict[str, dict[str, list[list[str]]]]:
        files: dict[str, dict[str, list[list[str]]]] = {}
        for (file, where), classes in zip(self.locations, self.classes, strict=True):
            if classes:
                names = sorted([*([_WHOLE] if is_whole else []), *_names(cls)] for cls, is_whole in classes)
                files.setdefault(file, {})[where] = names
        return files


def _names(cls: type) -> list[str]:
    return [f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__ if base is not object]


def _is_whole(value: Any) -> bool:
    """Return whether a value is a Tensor of integers, which its class does not show."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return False
    return not (value.dtype.is_floating_point or value.dtype.is_complex or value.dtype is torch.bool)


class _Probed(ast.NodeTransformer):
    """Sets probes around objects of attributes, operands of operators, and arguments of functions."""

    def __init__(self, file: str, probes: _Probes) -> None:
        self.file, self.probes = file, probes

    def _probed(self, node: ast.expr) -> ast.expr:
        """Return an expression with a probe around it, unless it is a literal or not a complete expression."""
        if isinstance(node, (ast.Constant, ast.Starred, ast.GeneratorExp, ast.Lambda)):
            return self.visit(node)
        at = self.probes.add(self.file, node)
        call = ast.Call(ast.Name(_PROBE, ast.Load()), [self.visit(node), ast.Constant(at)], [])
        return ast.copy_location(call, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        node.value = self._probed(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        node.left, node.right = self._probed(node.left), self._probed(node.right)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        node.value, node.slice = self._probed(node.value), self.visit(node.slice)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.func = self.visit(node.func)
        node.args = [self._probed(value) for value in node.args]
        for keyword in node.keywords:
            keyword.value = self._probed(keyword.value)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """Leave an f-string unchanged, because before Python 3.12 the locations inside it are not those of the text."""
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        """Leave the pattern unchanged, which is not an expression."""
        node.guard = self.visit(node.guard) if node.guard else None
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return node  # an annotation is none of the program's values

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.target = self.visit(node.target)
        node.value = self.visit(node.value) if node.value else None
        return node

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args = self.visit(node.args)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function


def _compiled(data: bytes | str, path: str, root: Path, probes: _Probes) -> CodeType:
    below = root.parent if root.is_file() else root
    tree = ast.parse(data, filename=path)
    probed = _Probed(Path(path).resolve().relative_to(below).as_posix(), probes).visit(tree)
    return compile(ast.fix_missing_locations(probed), path, "exec", dont_inherit=True)


def _loader(root: Path, probes: _Probes) -> type[SourceFileLoader]:
    """Return the loader of modules. It adds probes to those of the program, and does not cache their byte code."""

    class Loader(SourceFileLoader):
        def path_stats(self, path: str) -> Mapping[str, Any]:
            if _is_below(path, root):
                raise OSError(f"{path} is compiled anew")
            return super().path_stats(path)

        def source_to_code(self, data: Any, path: Any, *, _optimization: int = -1) -> CodeType:
            if _is_below(path, root):
                return _compiled(data, path, root, probes)
            return super().source_to_code(data, path)

    return Loader


def _is_below(path: str, root: Path) -> bool:
    return root in (Path(path).resolve(), *Path(path).resolve().parents)


def main(record: str, root: str, script: str, *arguments: str) -> None:
    """Run a script like Python, with probes in the files below a folder, and write their records."""
    probes = _Probes()
    setattr(builtins, _PROBE, probes)
    loaders = (_loader(Path(root), probes), SOURCE_SUFFIXES)
    finder = FileFinder.path_hook(
        (ExtensionFileLoader, EXTENSION_SUFFIXES), loaders, (SourcelessFileLoader, BYTECODE_SUFFIXES)
    )
    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.clear()
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).parent)
    atexit.register(lambda: Path(record).write_text(json.dumps(probes.seen())))
    module = ModuleType("__main__")
    module.__file__ = script
    sys.modules["__main__"] = module
    exec(_compiled(Path(script).read_bytes(), script, Path(root), probes), vars(module))


if __name__ == "__main__":
    main(*sys.argv[1:])
