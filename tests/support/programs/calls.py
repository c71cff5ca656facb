"""The catalogue of random programs: calls of the op table as templates, and the two namespaces they run in."""

from __future__ import annotations

import ast
import functools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from laws.operators import leaves, oracle
from laws.samples import Sampler

from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine.table import TABLE, Op

# Types of variables: floats of shape (2, 3), (3,) and (); ints and bools of shape (2, 3); an int scalar.
SHAPES = {"M": (2, 3), "V": (3,), "S": (), "N": (2, 3), "B": (2, 3), "I": ()}
_TYPES = {("f", (2, 3)): "M", ("f", (3,)): "V", ("f", ()): "S", ("i", (2, 3)): "N", ("b", (2, 3)): "B"}
# How a float variable is brought into the domain of a place: anything, positive, in (0, 1).
DOMAINS = {"T": "{}", "P": "(ops.abs({}) + 0.5)", "U": "ops.sigmoid({})", "B": "{}", "I": "{}"}


class Nd(np.ndarray):
    """A NumPy array with the aliasing of Tensors: an index gives a copy, `a += b` makes a new array."""

    def __getitem__(self, index: Any) -> Any:
        return nd(np.asarray(self)[_plain(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        np.asarray(self)[_plain(index)] = value

    def __iter__(self) -> Any:
        return iter([self[i] for i in range(len(self))])

    __iadd__ = np.ndarray.__add__  # type: ignore[assignment]
    __isub__ = np.ndarray.__sub__  # type: ignore[assignment]
    __imul__ = np.ndarray.__mul__  # type: ignore[assignment]


def nd(value: Any) -> Any:
    """Return a nested result with every array and NumPy number as an `Nd` of its own."""
    if isinstance(value, (tuple, list)):
        return tuple(nd(v) for v in value)
    return np.array(value).view(Nd) if isinstance(value, (np.ndarray, np.generic)) else value


def _plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_plain(v) for v in value)
    return np.asarray(value) if isinstance(value, Nd) else value


# --- the two namespaces ---------------------------------------------------------------------------------------------


class _References:
    """Operators by name, as their references on `Nd` arrays."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in TABLE:
            raise AttributeError(name)
        fn = oracle(TABLE[name].ref or "")

        def call(*args: Any, **kwargs: Any) -> Any:
            return nd(fn(*_plain(args), **{k: _plain(v) for k, v in kwargs.items()}))

        setattr(self, name, call)
        return call

    @staticmethod
    def assign(parameter: Any, value: Any) -> Any:
        parameter[...] = value
        return parameter

    @staticmethod
    def assign_add(parameter: Any, value: Any) -> Any:
        parameter[...] = parameter + value
        return parameter


class _Rows:
    """Operators by name, as the rows themselves."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in TABLE:
            raise AttributeError(name)
        return TABLE[name].public


_REFERENCES, _ROWS = _References(), _Rows()


def numpy_names(constants: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the globals of a program on NumPy arrays."""
    return {"ops": _REFERENCES, "np": np, "ms": mstype, **{k: nd(v) for k, v in constants.items()}}


def tensor_names(constants: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the globals of a program on Tensors."""
    return {"ops": _ROWS, "np": np, "ms": mstype, **{k: Tensor(v) for k, v in constants.items()}}


# What gives numbers below the least normal one, from zero: arithmetic of XLA's CPU takes those for zero, NumPy's does not, and
# `floor` or a comparison makes a difference of 1 of it.
_SUBNORMAL = ("nextafter",)

# --- entries: a case of a row with places for variables ----------------------------------------------------------------


@dataclass
class Entry:
    """A call: what its places take (type and domain), the constants it needs, the type it returns.

    Attributes:
        template: Its text, with `{0}`, `{1}`, … for the places.
        suffix: What picks one value of a known type out of the result.
        smooth: Whether the row has a derivative.
    """

    row: Op
    template: str
    places: tuple[tuple[str, str], ...]
    constants: dict[str, np.ndarray]
    out: str = ""
    suffix: str = ""

    def text(self, *operands: str) -> str:
        """Return the call with these operands."""
        inside = [DOMAINS[domain].format(o) for o, (_, domain) in zip(operands, self.places, strict=True)]
        return self.template.format(*inside) + self.suffix

    def complete(self) -> bool:
        """Find out what the call returns; False if the reference does not take float64 or returns another dtype."""
        names = [f"a{i}" for i in range(len(self.places))]
        source = f"lambda {', '.join(names)}: {self.text(*names)}"
        rng = np.random.default_rng(0)
        samples = [_sample(rng, kind) for kind, _ in self.places]
        try:
            want = eval(source, numpy_names(self.constants))(*map(nd, samples))
            on_tensors = eval(source, tensor_names(self.constants))
            found = jax.eval_shape(lambda *xs: [t._data for t in leaves(on_tensors(*map(wrap, xs)))], *samples)
            if not self.row.grad:  # not every row without a derivative has one of zero
                jax.eval_shape(lambda *xs: _pulled(on_tensors, xs), *samples)
        except Exception:  # whatever a reference says to operands that it was not written for
            return False
        if isinstance(want, tuple) and want:
            self.suffix, want = "[0]", want[0]
        if not isinstance(want, Nd) or not found or found[0].shape != want.shape:
            return False
        kind = want.dtype.kind
        if kind not in "fib" or found[0].dtype.kind != kind or not np.isfinite(want.astype(float)).all():
            return False
        if kind == "f" and not found[0].dtype == want.dtype == np.float64:
            return False
        self.out = _TYPES.get((kind, want.shape), "")
        if not self.out:
            self.out, reduce = {"f": ("S", ".sum()"), "i": ("I", ".sum()"), "b": ("I", ".any()")}[kind]
            self.suffix += reduce
        return kind != "b" or self.out == "B"


def _pulled(fn: Callable[..., Any], arrays: Sequence[Any]) -> Any:
    floats = [i for i, a in enumerate(arrays) if a.dtype.kind == "f"]

    def of_floats(*xs: Any) -> list[Any]:
        full = list(arrays)
        for i, x in zip(floats, xs, strict=True):
            full[i] = x
        return [t._data for t in leaves(fn(*map(wrap, full))) if t._data.dtype.kind == "f"]

    outs, pull = jax.vjp(of_floats, *[arrays[i] for i in floats])
    return pull(outs)


def _sample(rng: np.random.Generator, kind: str) -> np.ndarray:
    shape = SHAPES[kind]
    if kind == "B":
        return rng.random(shape) < 0.5
    return rng.integers(-5, 5, shape) if kind in "NI" else np.asarray(rng.standard_normal(shape))


class _Places(ast.NodeTransformer):
    """Replaces the arrays that a case asks for by places for variables, or by constants where no variable fits."""

    def __init__(self, label: str, case: str) -> None:
        self.label, self.names = label, Sampler(case).names()
        self.places: list[tuple[str, str]] = []
        self.constants: dict[str, np.ndarray] = {}
        self.fits = True

    def visit_Call(self, node: ast.Call) -> ast.AST:
        kind = node.func.id if isinstance(node.func, ast.Name) else ""
        if kind not in ("T", "P", "U", "I", "B", "D", "C"):
            return self.generic_visit(node)
        value = eval(ast.unparse(node), self.names)
        self.fits = self.fits and value.size > 0 and value.dtype.kind in "fib"
        variable = _TYPES.get((value.dtype.kind, value.shape))
        if variable is not None and kind in "TPUIB" and not node.keywords:
            return self._place(variable, kind)
        name = f"K_{self.label}_{len(self.constants)}"
        self.constants[name] = value.astype({"f": np.float64, "i": np.int64}.get(value.dtype.kind, value.dtype))
        if kind not in "TPU":
            return ast.Name(name)
        # of another shape: a constant that varies with a scalar variable, within the domain
        operator, domain = (ast.Add(), "T") if kind == "T" else (ast.Mult(), "U")
        return ast.BinOp(ast.Name(name), operator, self._place("S", domain))

    def _place(self, kind: str, domain: str) -> ast.Name:
        self.places.append((kind, domain))
        return ast.Name(f"__{len(self.places) - 1}__")


def entries_of(row: Op) -> list[Entry]:
    """Return the cases of a row that a program can call: with a NumPy or SciPy reference, and a place for a variable."""
    random = row.fn is not None and "Key" in row.fn.__annotations__.values()
    if row.ref is None or row.ref.startswith("torch") or not row.jit or random or row.name in _SUBNORMAL:
        return []
    found = []
    for i, case in enumerate(row.cases):
        call = ast.parse(f"f({case})", mode="eval").body
        assert isinstance(call, ast.Call)
        places = _Places(f"{row.name}_{i}", case)
        call.args = [places.visit(a) for a in call.args]
        call.keywords = [places.visit(k) for k in call.keywords]
        text = ast.unparse(call).replace("{", "{{").replace("}", "}}").replace("f(", f"ops.{row.name}(", 1)
        for n in range(len(places.places)):
            text = text.replace(f"__{n}__", f"{{{n}}}")
        if places.fits and places.places:
            found.append(Entry(row, text, tuple(places.places), places.constants))
    return found


def catalogue() -> list[Entry]:
    """Return the calls of all rows, not yet completed."""
    return [entry for row in {r.name: r for r in TABLE.values()}.values() for entry in entries_of(row)]


@functools.cache
def some_entries(seed: int, count: int) -> tuple[Entry, ...]:
    """Return calls chosen at random, completed: as many of each type as there are, up to `count` altogether."""
    rng = random.Random(seed)
    waiting, chosen = catalogue(), []
    rng.shuffle(waiting)
    most = {"S": count // 3, "M": count // 3, "V": count // 6}
    for entry in waiting:
        if len(chosen) == count:
            break
        if entry.complete() and sum(e.out == entry.out for e in chosen) < most.get(entry.out, count // 12):
            chosen.append(entry)
    return tuple(chosen)
