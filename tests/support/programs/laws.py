"""What a random program must satisfy: the values of NumPy and one set of gradients, in PyNative mode and in a graph."""

from __future__ import annotations

import ast
import copy
import linecache
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from laws.operators import close

from programs.calls import nd, numpy_names, tensor_names
from programs.writer import Program
from sporax._src.base.errors import CompileFallback
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.transform.grad import grad
from sporax._src.transform.jit import Jit, jit

RTOL = 1e-7
_POSITIONS = (0, 1, 2)


class Difference(AssertionError):
    """A program whose results differ: `kind` says between what."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class Unusable(Exception):
    """NumPy cannot run the program, or its results are too sensitive to compare."""


def inputs_of(program: Program) -> list[tuple[np.ndarray, ...]]:
    """Return the sets of (x, y, s, n, w) that a program runs on; conditions fall otherwise in each."""
    rng = np.random.default_rng(program.seed)
    shapes = ((2, 3), (3,), (), (2, 3))
    found = []
    for n in (2, 0, 3):
        x, y, s, w = (np.asarray(rng.standard_normal(shape)) for shape in shapes)
        found.append((x, y, s, np.asarray(n), w))
    return found


def load(program: Program, names: dict[str, Any]) -> dict[str, Any]:
    """Run a program's text with `names` as globals; its source can be read like that of a file."""
    filename = f"program_{program.seed}.py"
    linecache.cache[filename] = (len(program.source), None, program.source.splitlines(keepends=True), filename)
    names = {**names, "__name__": f"program_{program.seed}"}
    exec(compile(program.source, filename, "exec"), names)
    return names


# --- NumPy ------------------------------------------------------------------------------------------------------------


class OnNumpy:
    """The program on NumPy arrays: results with the Parameter's value, and the slope of its loss along a direction."""

    def __init__(self, program: Program) -> None:
        self.names = load(program, numpy_names(program.constants))
        self.rng = np.random.default_rng(program.seed + 1)

    def run(self, function: str, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """Return the results of a function and the Parameter's value after it."""
        *arguments, state = map(nd, inputs)
        self.names["w"] = state
        try:
            with np.errstate(all="raise", under="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                out = self.names[function](*arguments)
                out = tuple(np.asarray(o, np.float64) for o in (*(out if isinstance(out, tuple) else (out,)), state))
        except Exception as error:
            raise Unusable(f"{type(error).__name__}: {error}") from error
        if [o.shape for o in out] != ([(2, 3), (), (2, 3)] if function == "program" else [(), (2, 3)]):
            raise Unusable("results have other shapes")
        if not all(np.isfinite(o).all() and np.abs(o).max(initial=0) < 1e4 for o in out):
            raise Unusable("values are too large")
        return out

    def directions(self, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """Return a random direction of (x, y, s, w)."""
        return tuple(np.asarray(self.rng.standard_normal(a.shape)) for a in (*inputs[:3], inputs[4]))

    def loss(self, inputs: tuple[np.ndarray, ...], direction: tuple[np.ndarray, ...], h: float) -> float:
        """Return the loss at a distance along a direction."""
        x, y, s, w = (a + h * d for a, d in zip((*inputs[:3], inputs[4]), direction, strict=True))
        return float(self.run("loss", (x, y, s, inputs[3], w))[0])

    def slope(self, inputs: tuple[np.ndarray, ...], direction: tuple[np.ndarray, ...]) -> float | None:
        """Return the slope of the loss along a direction by central differences; None where there is a kink nearby."""
        h = 1e-5
        here, ends = self.loss(inputs, direction, 0), [self.loss(inputs, direction, k * h) for k in (1, -1, 0.5, -0.5)]
        if abs(self.loss(inputs, direction, 1e-10) - here) > 1e-6:
            raise Unusable("results jump")
        right, left, central, half = ends[0] - here, here - ends[1], ends[0] - ends[1], ends[2] - ends[3]
        scale = max(1.0, abs(central) / (2 * h))
        if scale > 1e4:
            raise Unusable("slopes are too large")
        smooth = abs(right - left) / h < 0.05 * scale and abs(central / (2 * h) - half / h) < 1e-4 * scale
        return central / (2 * h) if smooth else None


# --- sporax -----------------------------------------------------------------------------------------------------------


class OnTensors:
    """The program on Tensors: its function and its gradient, as they are and compiled."""

    def __init__(self, program: Program) -> None:
        self.w: Any = Parameter(Tensor(np.zeros((2, 3))), name="w")
        names = load(program, {**tensor_names(program.constants), "w": self.w})
        gradient = grad(names["loss"], _POSITIONS, [self.w])
        self.calls = {
            "PyNative": names["program"],
            "graph": jit(names["program"]),
            "gradient": gradient,
            "gradient in graph": jit(gradient),
        }
        self.fallbacks: dict[str, str] = {}

    def attempt(self, what: str, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """Return the results of a call, flattened, and the Parameter's value after it.

        A fallback to PyNative mode must be announced by a warning, and is noted.
        """
        fn = self.calls[what]
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                out = self._run(fn, inputs)
            except Exception as error:
                raise Difference(f"{what} raises {type(error).__name__}", str(error)) from error
        told = [str(w.message) for w in seen if issubclass(w.category, CompileFallback)]
        fell = isinstance(fn, Jit) and any(None in entries for entries in fn._entries.values())
        if fell and not told and what not in self.fallbacks:
            raise Difference(f"{what} falls back silently", fn.__name__)
        for text in told:
            self.fallbacks[what] = text
        return out

    def _run(self, fn: Callable[..., Any], inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        *arguments, state = map(Tensor, inputs)
        self.w.set_data(state)
        found: list[Any] = []
        tree.flatten(fn(*arguments), lambda v: is_tensor(v) or isinstance(v, (int, float)), found)
        return tuple(v.asnumpy() if is_tensor(v) else np.asarray(v, np.float64) for v in (*found, self.w))


def _compare(kind: str, got: tuple[np.ndarray, ...], want: tuple[np.ndarray, ...]) -> None:
    if [g.shape for g in got] != [w.shape for w in want]:
        raise Difference(kind, f"shapes {[g.shape for g in got]}, expected {[w.shape for w in want]}")
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        try:
            close(g, w, RTOL, f"result {i}")
        except AssertionError as error:
            raise Difference(kind, str(error)) from None


def check_program(program: Program) -> dict[str, str]:
    """Compare a program's values and gradients in NumPy, PyNative mode and as graphs.

    Args:
        program: The program.

    Returns:
        What ran in PyNative mode instead (`"graph"`, `"gradient in graph"`), with the warning that said so.

    Raises:
        Difference: If results differ, or something fell back without a warning.
        Unusable: If NumPy cannot run it, or the results are too sensitive to compare.
    """
    reference = OnNumpy(program)
    cases = []
    for inputs in inputs_of(program):
        direction = reference.directions(inputs)
        cases.append((inputs, direction, reference.run("program", inputs), reference.slope(inputs, direction)))
    subject = OnTensors(program)
    exact = not program.features & {"assign", "rough"}
    for inputs, direction, want, slope in cases:
        eager = subject.attempt("PyNative", inputs)
        _compare("PyNative and NumPy", eager, want)
        _compare("graph and PyNative", subject.attempt("graph", inputs), eager)
        *found, state = subject.attempt("gradient", inputs)
        got = sum(float((g * d).sum()) for g, d in zip(found, direction, strict=True))
        if exact and slope is not None and not abs(got - slope) <= 1e-4 * max(1.0, abs(slope)):
            raise Difference("gradient and differences", f"{got} along a direction, expected {slope}")
        _compare("gradient in graph and PyNative", subject.attempt("gradient in graph", inputs), (*found, state))
    return subject.fallbacks


# --- a smaller program with the same difference --------------------------------------------------------------------------


def shrink(program: Program, kind: str, seconds: float = 120.0) -> Program:
    """Return the program with every statement and operand taken away that the difference does without."""
    end = time.monotonic() + seconds
    smaller = True
    while smaller and time.monotonic() < end:
        smaller = False
        for source in reductions(program.source):
            candidate = replace(program, source=source)
            if time.monotonic() > end:
                break
            if _kind(candidate) == kind:
                program, smaller = candidate, True
                break
    return program


def cause(warning: str) -> str:
    """Return why a call fell back, without names of variables."""
    found = re.search(r"is built \((.*)\)\. Use", warning, re.DOTALL)
    return re.sub(r"'.*'|variables .* of|\[.*\]", "_", found[1] if found else warning)[:90]


def _kind(program: Program) -> str | None:
    try:
        for what, warning in check_program(program).items():
            return f"{what}: {cause(warning)}"
    except Difference as difference:
        return difference.kind
    except (Unusable, SyntaxError):
        return None
    return None


def reductions(source: str) -> Iterator[str]:
    """Yield the texts with one statement less, one block unindented, or one expression replaced by a part of it."""
    count = len(list(ast.walk(ast.parse(source))))
    for number in range(count):
        for choice in range(4):
            root = ast.parse(source)
            node = list(ast.walk(root))[number]
            if _reduce(root, node, choice) and _ends(root):
                text = ast.unparse(ast.fix_missing_locations(root)) + "\n"
                if len(text) < len(source):
                    yield text


def _ends(root: ast.Module) -> bool:
    """Tell whether every `while` still counts up to its end."""
    loops = [node for node in ast.walk(root) if isinstance(node, ast.While)]
    tests = [ast.unparse(node.test) for node in loops]
    steps = [re.match(r"(c\d+) = \1 \+ 1$", ast.unparse(node.body[0])) for node in loops]
    return all(s and re.match(rf"{s[1]} < (n|\d)( and |$)", t) for s, t in zip(steps, tests, strict=True))


def _is_copy(node: Any) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and ast.unparse(node.right) == "1.0"


def _reduce(root: ast.Module, node: ast.AST, choice: int) -> bool:
    function = root.body[0]
    assert isinstance(function, ast.FunctionDef)
    if node not in ast.walk(function):
        return False
    parent = next((p for p in ast.walk(function) if node in ast.iter_child_nodes(p)), None)
    if parent is None:
        return False
    if isinstance(node, ast.stmt):
        body = next(
            b for b in (getattr(parent, f, None) for f in ("body", "orelse")) if isinstance(b, list) and node in b
        )
        inner = [[], getattr(node, "body", None), getattr(node, "orelse", None)]
        if choice > 2 or inner[choice] is None or (choice and not inner[choice]):
            return False
        at = body.index(node)
        if not choice and _is_copy(getattr(node, "value", None)) and at + 1 < len(body):
            return False  # what makes the next assignment to an index safe
        body[at : at + 1] = copy.copy(inner[choice]) or ([ast.Pass()] if len(body) == 1 else [])
        return True
    if _is_copy(node):
        return False
    if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        parts = [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr) and not isinstance(c, ast.Attribute)]
        if choice >= len(parts):
            return False
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, parts[choice])
                return True
            if isinstance(value, list) and node in value:
                value[value.index(node)] = parts[choice]
                return True
    return False
