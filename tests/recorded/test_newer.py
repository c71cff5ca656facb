"""What 2.10 answers otherwise than 2.7 to the recorded calls (`tools/newer_goldens.py`), sporax answers when it follows 2.10."""

import dataclasses
import json
import operator
import re
import string
from collections.abc import Iterator
from typing import Any

import call_differences as differences
import numpy as np
import pytest
import table_goldens
from edge_differences import follows
from house import ROOT
from laws.arrays import arguments
from laws.operators import RTOL, close, leaves, outline, outline_in
from laws.rows import ROWS, callable_of
from laws.samples import parse, to_tensors
from newer_differences import CALLS, EDGES, TABLE
from recorded import TOLERANCE, entry, numbered
from recorded import close as close_to
from table_differences import VALUES

import sporax as ms
from sporax import Parameter, Tensor, mint, ops
from sporax._src.base import release

TOLD = json.loads((ROOT / "tests" / "goldens" / "newer.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _newest(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(release.VARIABLE, release.followed())
    before = release.followed()
    release.follow(release.RELEASES[-1])
    yield
    release.follow(before)


def array(told: list[Any]) -> np.ndarray:
    """Return an array that was written out; bfloat16, which NumPy lacks, as float32."""
    dtype, shape, elements = told
    if dtype.startswith("complex"):
        elements = [complex(*pair) for pair in elements]
    return np.array(elements, "float32" if dtype == "bfloat16" else dtype).reshape(shape)


def row_of(name: str) -> str:
    return next((row for row in ROWS if name in table_goldens.names_of(row)), name)


def called(name: str) -> Any:
    """Return what a call of the op table calls."""
    kind = name.partition(".")[0]
    return operator.attrgetter(name)(ms) if kind in ("mint", "numpy") else callable_of(ROWS[row_of(name)], name)


def left_out(key: str) -> list[str]:
    """Return what is not compared of a call by an expression."""
    return entry(CALLS | differences.CALLS, key, "").split()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TOLD["table"])
def test_calls_of_the_table(name: str) -> None:
    for case, told in TOLD["table"][name].items():
        if table_goldens.listed(TABLE | VALUES, row_of(name), name, case):
            continue
        fn, label = called(name), f"{name}({case})"
        args, kwargs = parse(case) if name.partition(".")[0] != "mint" else arguments(case, ms=ms)
        found = leaves(fn(*to_tensors(args), **to_tensors(kwargs)))
        for t, (dtype, shape, elements) in zip(found, told.get("result", ()), strict="result" in told):
            assert outline(t) == f"{dtype}{shape}".replace(" ", ""), label
            close(table_goldens.host(t), array([dtype, shape, elements]), RTOL.get(dtype, 0), label)
        if "gradient" in told:
            for t, want in zip(table_goldens.gradients(fn, args, kwargs), told["gradient"], strict=True):
                close(table_goldens.host(t), array(want), RTOL["float32"], f"gradient of {label}")
        for dtype, text in told.get("dtypes", {}).items():
            if dtype != "empty":
                row = dataclasses.replace(ROWS[row_of(name)], public=fn)
                assert outline_in(row, case, dtype) == text, f"{label} of {dtype}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "key",
    [key for key, told in TOLD["ops"].items() if "error" not in told and not {"call", "values"} & {*left_out(key)}],
)
def test_call(key: str) -> None:
    told = TOLD["ops"][key]
    given = {name: array(value) for name, value in told.items() if isinstance(value, list) and name != "output"}
    inputs = [Tensor(value) for _, value in numbered("in", given)]
    expression = key.partition(" @ ")[0]
    classes = {name: getattr(ops, name) for name in re.findall(r"(?<![.\w])[A-Z]\w+(?=\()", expression)}
    scope = {"ops": ops, "ms": ms, "mint": mint, "np": np, "Tensor": Tensor, "Parameter": Parameter, **classes}
    function = eval(f"lambda {', '.join(string.ascii_lowercase[: len(inputs)])}: {expression}", scope)
    found = leaves(function(*inputs))
    for k, want in numbered("out", given):
        close_to(found[k], want, f"output {k}", TOLERANCE)
    weights = dict(numbered("ct", given))

    def scalar(*xs: Tensor) -> Any:
        results = leaves(function(*xs))
        return sum((results[k] * Tensor(w)).sum() for k, w in weights.items())

    positions = tuple(k for k, x in enumerate(inputs) if x._data.dtype.kind in "fcV")
    gradients = leaves(ms.grad(scalar, positions)(*inputs)) if weights else ()
    for k, want in () if "gradient" in left_out(key) else numbered("gin", given):
        close_to(gradients[k], want, f"gradient {k}", TOLERANCE)


@pytest.mark.parametrize(
    "call", [f"{kind} {call}" for kind in TOLD["numeric_edges"] for call in TOLD["numeric_edges"][kind]]
)
def test_edges(call: str, run: Any) -> None:
    kind, call = call.split(" ", 1)
    pairs = json.loads((ROOT / "tests" / "goldens" / "numeric_edges.json").read_text(encoding="utf-8"))["pairs"]
    function = eval(f"lambda a, b: {call}", {"ops": ops, "mint": mint})
    for dtype, wanted in TOLD["numeric_edges"][kind][call].items():
        first, second = (Tensor(np.array(side, dtype)) for side in zip(*pairs[dtype], strict=True))
        rows = zip(pairs[dtype], run(function, first, second).tolist(), wanted, strict=True)
        wrong = [(dtype, m, n, g) for (m, n), g, w in rows if not follows(call, dtype, m, n, g, w)]
        assert not [case for case in wrong if case[:3] not in EDGES]


def test_what_is_left_out_is_recorded() -> None:
    calls = TOLD["table"]
    names = {f"{name}({case})" for name in calls for case in calls[name]} | {*calls} | {row_of(name) for name in calls}
    assert set(TABLE) <= names
    assert all(any(key.startswith(start) for key in TOLD["ops"]) for start in CALLS)
