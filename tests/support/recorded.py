"""Reading the goldens that name their arrays (`layers`, `losses`, `ops`, ...), and comparing with them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from laws.operators import RTOL

from sporax import Tensor

# Of the largest value of an array.
TOLERANCE = 1e-5
FOLDER = Path(__file__).resolve().parents[1] / "goldens"


class Recorded:
    """A section of the goldens: what its JSON file tells, and the arrays of each case."""

    def __init__(self, section: str) -> None:
        self.told = json.loads((FOLDER / f"{section}.json").read_text(encoding="utf-8"))
        self._arrays = np.load(FOLDER / f"{section}.npz")
        self._names: dict[str, list[str]] = {}
        for key in self._arrays.files:
            number, name = key.split("/")
            self._names.setdefault(number, []).append(name)

    def arrays_of(self, case: dict[str, Any]) -> dict[str, np.ndarray]:
        """Return the arrays of a case."""
        return {name: self._arrays[f"{case['case']}/{name}"] for name in self._names.get(str(case["case"]), ())}


def inputs_of(text: str, arrays: dict[str, np.ndarray]) -> list[Any]:
    """Return the inputs, nested as in the text, with the recorded arrays in place."""

    def sample(*sizes: int) -> np.ndarray:
        return np.ones(sizes)

    names = {"r": sample, "u": sample, "b": sample, "i": lambda high, *s: np.zeros(s), "p": np.zeros, "np": np}
    nested = eval(f"({text},)" if text.strip() else "()", names)
    numbers = iter(range(100))

    def place(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return type(value)(place(v) for v in value)
        key = f"in{next(numbers)}"
        return Tensor(arrays[key]) if key in arrays else value

    return [place(v) for v in nested]


def numbered(prefix: str, arrays: dict[str, np.ndarray]) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the arrays `prefix0`, `prefix1`, ... that exist."""
    return ((k, arrays[f"{prefix}{k}"]) for k in range(100) if f"{prefix}{k}" in arrays)


def entry(table: dict[str, tuple[Any, str]], key: str, default: Any) -> Any:
    """Return what a table says of a case."""
    return next((value for start, (value, _) in table.items() if key.startswith(start)), default)


def close(got: Tensor, want: np.ndarray, what: str, tolerance: float) -> None:
    """Compare shape, dtype and values relative to the largest; less than 0.1 counts as 0.1, as terms are larger.

    Those of float16 may differ by what it rounds to; bfloat16, which NumPy lacks, was recorded as float32.
    """
    have = got.asnumpy()
    have = have.astype(np.float32) if have.dtype.name == "bfloat16" else have
    assert have.shape == want.shape and have.dtype == want.dtype, (
        f"{what}: {have.dtype}{have.shape}, not {want.dtype}{want.shape}"
    )
    scale = float(np.max(np.abs(want[np.isfinite(want)]), initial=0.1)) if want.dtype.kind in "fc" else 0
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    got64, want64 = have.astype(wide), want.astype(wide)
    tolerance = max(tolerance, RTOL.get(str(got.dtype).lower(), 0)) if got.dtype.itemsize == 2 else tolerance
    np.testing.assert_allclose(got64, want64, rtol=0, atol=tolerance * scale, err_msg=what)


def drawn_alike(got: np.ndarray, want: np.ndarray) -> None:
    """Draws agree in their least and greatest value, in which axes share a draw, and in how many are zero."""
    assert got.shape == want.shape and got.dtype == want.dtype
    if (want == 0).any():
        np.testing.assert_allclose(np.unique(got), np.unique(want), rtol=1e-6)
    else:
        np.testing.assert_allclose([got.min(), got.max()], [want.min(), want.max()], rtol=0.02)
    constant = [axis for axis in range(1, want.ndim) if (want == want.take([0], axis)).all()]
    assert constant == [axis for axis in range(1, got.ndim) if (got == got.take([0], axis)).all()]
    draws = want.size // int(np.prod([want.shape[axis] for axis in constant]))
    assert abs((got == 0).mean() - (want == 0).mean()) < 5 / np.sqrt(draws)
