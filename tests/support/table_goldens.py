"""What MindSpore answered to the calls of the op table (`tests/goldens/table.*`), and the comparison with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import table_differences as differences
from laws.operators import RTOL, close, leaves, outline
from laws.samples import to_tensors

from sporax._src.core.tensor import Tensor
from sporax._src.transform.grad import grad

GOLDENS = Path(__file__).resolve().parent.parent / "goldens"


@cache
def _read() -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    told = json.loads((GOLDENS / "table.json").read_text(encoding="utf-8"))
    with np.load(GOLDENS / "table.npz") as file:
        return told, dict(file)


def recorded() -> dict[str, dict[str, Any]]:
    """Return everything that was recorded, by name and case."""
    return _read()[0]["calls"]


def names_of(row: str) -> list[str]:
    """Return the names of a row that MindSpore has: `ops.abs`, `primitive.Abs`, `Tensor.abs`."""
    return _read()[0]["names"].get(row, [])


def entry(name: str, case: str, row: str = "") -> dict[str, Any]:
    """Return what MindSpore answered to a call."""
    calls = recorded()
    found = calls.get(name, {}).get(case, {"error": "not recorded"})
    return calls[names_of(row)[0]][case] if found == "=" else found


def unpacked(text: str) -> Any:
    """Return the array that `dtype[shape]@offset` stands for; without offset its dtype and shape; other text as it is."""
    found = re.fullmatch(r"(\w+)\[([\d,]*)\](?:@(\d+))?", text)
    if found is None:
        return text
    dtype, shape, start = found[1], tuple(int(n) for n in found[2].split(",") if n), found[3]
    if start is None:
        return dtype, shape
    return _read()[1][dtype][int(start) : int(start) + int(np.prod(shape))].reshape(shape)


def listed(table: dict[str, Any], row: str, name: str, case: str) -> Any:
    """Return what a table of differences says about a call, None if nothing."""
    keys = (f"{name}({case})", f"{row}({case})", name, row)
    return next((table[key] for key in keys if key in table), None)


def plain(value: Any) -> list[Any]:
    """Return the leaves of a nested result that are no Tensors."""
    if isinstance(value, (tuple, list)):
        return [leaf for v in value for leaf in plain(v)]
    return [] if leaves(value) else [value]


def host(tensor: Tensor) -> np.ndarray:
    """Return a Tensor's values; those of bfloat16 as float32."""
    array = tensor.asnumpy()
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def check_value(row: str, name: str, case: str, got: Any) -> bool:
    """A call gives MindSpore's values, dtypes and shapes; return False where MindSpore does not make that call."""
    told = entry(name, case, row)
    if "error" in told:
        return False
    if listed(differences.VALUES, row, name, case) is not None:
        return True
    label = f"{name}({case})"
    wanted = [unpacked(text) for text in told["result"]]
    texts = [w for w in wanted if isinstance(w, str)]
    assert texts == [f"{type(g).__name__}: {g!r}" for g in plain(got)][: len(texts)], f"{label}: {got!r}, {texts}"
    arrays = [w for w in wanted if not isinstance(w, str)]
    shown = " ".join(text.split("@")[0] for text in told["result"] if not isinstance(unpacked(text), str))
    assert not arrays or outline(got) == shown, f"{label}: {outline(got)}, expected {shown}"
    for t, want in zip(leaves(got), arrays, strict=True):
        if isinstance(want, np.ndarray) and row not in differences.DRAWS:
            close(host(t), want, RTOL.get(want.dtype.name, 0), label)
    return True


def gradients(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Tensor, ...]:
    """Return the gradients that were recorded: of the results times the recorder's weights, by the operands of float32."""
    rng, named = np.random.default_rng(0), to_tensors(kwargs)
    weights = [
        Tensor(drawn.astype(np.float32)) if t.dtype.name.startswith(("Float", "BFloat")) else None
        for t, drawn in [(t, rng.standard_normal(t.shape)) for t in leaves(fn(*to_tensors(args), **named))]
    ]
    places = tuple(i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype == np.float32 and a.size)

    def loss(*xs: Any) -> Any:
        return sum((t * w).sum() for t, w in zip(leaves(fn(*xs, **named)), weights, strict=True) if w is not None)

    return tuple(leaves(grad(loss, places)(*to_tensors(args))))


def has_gradient(row: str, case: str) -> bool:
    """Tell whether MindSpore has gradients of a case, and they are to be compared."""
    told = entry((names_of(row) or [row])[0], case, row)
    known = listed(differences.GRADIENTS, row, row, case)
    return "gradient" in told and "drawn" not in told and (known is None or known[0] is not None)


def check_gradient(row: str, case: str, got: Sequence[Tensor]) -> bool:
    """The gradients by the float operands are MindSpore's; return False where it has none."""
    told = entry((names_of(row) or [row])[0], case, row)
    known = listed(differences.GRADIENTS, row, row, case)
    if not has_gradient(row, case):
        return "gradient" in told and "drawn" not in told
    wanted = [unpacked(text) for text in told["gradient"]]
    assert len(got) == len(wanted), f"{len(got)} gradients of {row}({case}), expected {len(wanted)}"
    for i, (t, want) in enumerate(zip(got, wanted, strict=True)):
        if known is None or i not in known[0]:
            assert t.shape == want.shape, f"shape {t.shape} of a gradient of {row}({case}), expected {want.shape}"
            close(host(t), want, RTOL["float32"], f"gradient of {row}({case})")
    return True


def check_outlines(row: str, case: str, got: dict[str, str]) -> int:
    """Operands of other dtypes, and empty ones, give results of MindSpore's dtypes and shapes; return how many it takes.

    Of nothing there may be no result: then an error is as good as what MindSpore makes up.
    """
    told = entry(names_of(row)[0], case, row)
    wanted = told.get("dtypes", {}) | {key: text for key, text in told.items() if key == "empty"}
    wanted = {what: text for what, text in wanted.items() if not text.startswith("!")}
    other = listed(differences.DTYPES, row, row, case)
    left_out = [*(other[0].split() if other else ()), *(["empty"] if listed(differences.EMPTY, row, row, case) else ())]
    for what, text in wanted.items():
        if what not in left_out and (what != "empty" or what in got):
            assert got.get(what) == text, f"{row}({case}) of {what}: {got.get(what, 'an error')}, expected {text}"
    return len(wanted)
