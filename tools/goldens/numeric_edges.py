"""Casts, quotients, remainders, powers and common divisors at the edges of dtypes.

Each answer is asked for of one element and of 17, which MindSpore's kernels compute in another loop. What differs is
recorded as ``varies``. Integer kernels that divide without looking end the process, so that each operation runs in a child.
"""

import json
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Tensor, mint, ops

from .common import DTYPES, set_mode, to_numpy, write_json

NAMES = {"ms": ms, "ops": ops, "mint": mint, "mnp": ms.numpy, "Tensor": Tensor}

INTEGERS = [name for name in DTYPES if "int" in name]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]

_POWERS = [2.0**n for n in (7, 8, 15, 16, 31, 32, 63, 64)]
_NEAR = [v for p in _POWERS for v in (p, p - 0.5, p - 1, p + 1, math.nextafter(p, 0), math.nextafter(p, math.inf))]
_NEAR += [float(np.float32(p) * np.float32(f)) for p in _POWERS for f in (1 - 2**-24, 1 + 2**-23)]
_REAL = [0.0, 0.5, 0.9, 1.0, 1.5, 300.2, 70000.7, 2.0**33 + 7, 2.0**40 + 2**20, 2.0**53, 1e30, math.inf, *_NEAR]
REALS = [*[s * v for v in _REAL for s in (1, -1)], math.nan]

QUOTIENTS = """
a // b
a % b
a // n
a % n
m // b
m % b
ops.floor_divide(a, b)
ops.floor_div(a, b)
ops.floor_mod(a, b)
ops.remainder(a, b)
ops.fmod(a, b)
ops.truncate_div(a, b)
ops.truncate_mod(a, b)
ops.div(a, b, rounding_mode='floor')
ops.div(a, b, rounding_mode='trunc')
ops.FloorDiv()(a, b)
ops.FloorMod()(a, b)
ops.Mod()(a, b)
ops.TruncateDiv()(a, b)
ops.TruncateMod()(a, b)
ops.RealDiv()(a, b)
a.floor_divide(b)
a.remainder(b)
a.fmod(b)
a.div(b, rounding_mode='floor')
a.div(b, rounding_mode='trunc')
mint.floor_divide(a, b)
mint.remainder(a, b)
mint.fmod(a, b)
mint.div(a, b, rounding_mode='floor')
mint.div(a, b, rounding_mode='trunc')
mnp.floor_divide(a, b)
mnp.mod(a, b)
mnp.remainder(a, b)
mnp.fmod(a, b)
mnp.divmod(a, b)[0]
mnp.divmod(a, b)[1]
"""

POWERS = """
a ** b
a ** n
m ** b
ops.pow(a, b)
ops.Pow()(a, b)
a.pow(b)
mint.pow(a, b)
mnp.power(a, b)
"""

DIVISORS = """
ops.gcd(a, b)
ops.lcm(a, b)
a.gcd(b)
a.lcm(b)
mnp.gcd(a, b)
mnp.lcm(a, b)
"""


def integer_pairs(dtype: str) -> list[tuple[int, int]]:
    """Return operands of quotients and common divisors."""
    low, high = _limits(dtype)
    rows = [
        (1, 0),
        (0, 0),
        (-1, 0),
        (7, 0),
        (low, 0),
        (high, 0),
        (low, -1),
        (high, -1),
        (low, low),
        (low, high),
        (high, low),
    ]
    rows += [(-7, 2), (7, -2), (-7, -2), (7, 2), (low, 2), (high, 2), (high, 3), (high, high - 1), (high - 1, high)]
    rows += [
        (1, low),
        (6, low),
        (-1, low),
        (low, 6),
        (12, 18),
        (-12, 18),
        (-12, -18),
        (0, 5),
        (5, 0),
        (0, low),
        (low, 1),
    ]
    return [p for p in rows if all(low <= v <= high for v in p)]


def power_pairs(dtype: str) -> list[tuple[int, int]]:
    """Return bases and exponents."""
    low, high = _limits(dtype)
    bits = np.dtype(dtype).itemsize * 8
    rows = [(0, 0), (3, 0), (0, -1), (0, -2), (1, -1), (-1, -1), (-1, -2), (2, -1), (-2, -3), (low, -1), (high, -1)]
    rows += [(b, bits + k) for b in (2, -2) for k in (-2, -1, 0, 1)]
    rows += [(3, 20), (3, 21), (-3, 41), (3, 39), (5, 13), (10, 9), (10, 10), (10, 19), (10, 20), (2, 100), (-1, high)]
    rows += [
        (high, 2),
        (high, 3),
        (low, 2),
        (high, 1),
        (low, 1),
        (46341, 2),
        (-46341, 2),
        (46340, 2),
        (-1, low),
        (1, low),
    ]
    return [p for p in rows if all(low <= v <= high for v in p)]


def _limits(dtype: str) -> tuple[int, int]:
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def _tensor(values: list[Any], dtype: str) -> Tensor:
    kind = np.dtype(np.float32 if dtype == "bfloat16" else dtype)
    with np.errstate(all="ignore"):
        made = Tensor(np.array(values, kind) if kind.kind in "iu" else np.array(values).astype(kind))
    return made.astype(ms.bfloat16) if dtype == "bfloat16" else made


def _answer(run: Callable[[int], Tensor]) -> Any:
    """Return the element that a call answers, of one and of 17 elements; or an error's type."""
    try:
        found = [v for length in (1, 17) for v in to_numpy(run(length)).ravel().tolist()]
    except Exception as error:
        return {"error": type(error).__name__}
    shown = sorted({_shown(v) for v in found})
    return shown[0] if len(shown) == 1 else {"varies": shown}


def _shown(value: Any) -> str:
    return repr(complex(value)) if isinstance(value, complex) else repr(value)


def _pairs(expression: str, dtype: str, pairs: list[tuple[int, int]]) -> Iterator[Any]:
    set_mode("pynative")
    for m, n in pairs:
        yield _answer(
            lambda length, m=m, n=n: eval(
                expression,
                NAMES | {"a": _tensor([m] * length, dtype), "b": _tensor([n] * length, dtype), "m": m, "n": n},
            )
        )


def _table(lines: str, pairs_of: Callable[[str], list[tuple[int, int]]]) -> dict[str, Any]:
    """Return the answers of each expression for each dtype; None where it takes no such operands."""
    table: dict[str, Any] = {}
    for expression in filter(None, lines.split("\n")):
        table[expression] = row = {}
        for dtype in INTEGERS:
            pairs = pairs_of(dtype)
            answers: list[Any] = []
            while len(answers) < len(pairs):
                answers += _until_the_end(expression, dtype, pairs[len(answers) :])
            if not all("error" in a for a in answers):
                row[dtype] = answers
    return table


def _until_the_end(expression: str, dtype: str, pairs: list[tuple[int, int]]) -> list[Any]:
    """Return the answers that a child gives before its process ends."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            for answer in _pairs(expression, dtype, pairs):
                pipe.write(json.dumps(answer) + "\n")
                pipe.flush()
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answers = [json.loads(line) for line in pipe]
    os.waitpid(pid, 0)
    return answers if len(answers) == len(pairs) else [*answers, {"ends": "the process"}]


def cast_values(source: str) -> list[Any]:
    """Return what is cast from a dtype: its limits and what is near those of others."""
    if source == "bool":
        return [False, True]
    if source in INTEGERS:
        low, high = _limits(source)
        near = [v + k for v in (2**7, 2**8, 2**11, 2**15, 2**16, 2**24, 2**31, 2**32, 2**53, 2**63) for k in (-1, 0, 1)]
        return sorted({v for n in near for v in (n, -n) if low <= v <= high} | {low, high, 0, 1})
    if source in COMPLEX:
        return [complex(re, im) for re in (0.0, -1.7, 300.2, 2.0**31, math.inf, math.nan) for im in (0.0, 1.0)]
    return REALS


def _cast(value: Any, source: str, dtype: Any) -> Any:
    return _answer(lambda length: ops.cast(_tensor([value] * length, source), dtype))


def _in_graph(x: Tensor, dtype: Any) -> Tensor:
    @ms.jit
    def cast(x):
        return ops.cast(x, dtype)

    return cast(x)


def _casts() -> dict[str, Any]:
    table: dict[str, Any] = {}
    for source in DTYPES:
        for target, dtype in DTYPES.items():
            set_mode("pynative")
            table[f"{source} {target}"] = row = [_cast(v, source, dtype) for v in cast_values(source)]
            set_mode("graph")
            graph = to_numpy(_in_graph(_tensor(cast_values(source), source), dtype)).tolist()
            for i, (one, other) in enumerate(zip(row, map(_shown, graph), strict=True)):
                if one != other:
                    row[i] = {"varies": [one, other]}
    return table


def record(out: Path) -> None:
    """Write ``numeric_edges.json``."""
    tables = {
        "quotients": _table(QUOTIENTS, integer_pairs),
        "powers": _table(POWERS, power_pairs),
        "divisors": _table(DIVISORS, integer_pairs),
    }
    operands = {
        "pairs": {dtype: integer_pairs(dtype) for dtype in INTEGERS},
        "power_pairs": {dtype: power_pairs(dtype) for dtype in INTEGERS},
        "cast_values": {dtype: [_shown(v) for v in cast_values(dtype)] for dtype in DTYPES},
    }
    write_json(out / "numeric_edges.json", {**tables, "casts": _casts(), **operands})
