"""Quotients, remainders, powers and common divisors of integers, as MindSpore's CPU answers (recorded)."""

import json

import numpy as np
import pytest
from edge_differences import follows
from house import ROOT

import sporax as ms
from sporax import Tensor, mint, ops

EDGES = json.loads((ROOT / "tests" / "goldens" / "numeric_edges.json").read_text(encoding="utf-8"))


NAMES = {"ms": ms, "ops": ops, "mint": mint, "mnp": ms.numpy, "Tensor": Tensor}


CALLS = [(kind, call) for kind in ("quotients", "powers", "divisors") for call in EDGES[kind]]


@pytest.mark.parametrize(("kind", "call"), CALLS, ids=[call for _, call in CALLS])
def test_integers(kind, call, mode) -> None:
    pairs = EDGES["power_pairs" if kind == "powers" else "pairs"]
    names = [n for n in ("a", "b", "m", "n") if n in compile(call, "call", "eval").co_names]
    body = {}
    exec(f"def run({', '.join(names)}):\n    return {call}", NAMES | {"__builtins__": {}}, body)
    run = ms.jit(body["run"]) if mode == ms.GRAPH_MODE else body["run"]
    wrong = []
    for dtype, recorded in EDGES[kind][call].items():
        if "m" in names or "n" in names:
            got = [
                run(
                    *[
                        {"a": Tensor(m, ms_type(dtype)), "b": Tensor(n, ms_type(dtype)), "m": m, "n": n}[x]
                        for x in names
                    ]
                ).item()
                for m, n in pairs[dtype]
            ]
        else:
            first, second = (Tensor(np.array(side, dtype)) for side in zip(*pairs[dtype], strict=True))
            got = run(first, second).tolist()
        rows = zip(pairs[dtype], got, recorded, strict=True)
        wrong += [(dtype, m, n, g, r) for (m, n), g, r in rows if not follows(call, dtype, m, n, g, r)]
    assert not wrong


def ms_type(name: str) -> ms.dtype.Type:
    return getattr(ms, name)


def test_gradients_pass_as_before(mode) -> None:
    x = Tensor([1.5, -2.0], ms.float32)
    assert ms.grad(lambda x: (x.astype(ms.float64) * 2).sum())(x).tolist() == [2, 2]
    assert ms.grad(lambda x: (x**3).sum())(x).tolist() == [6.75, 12.0]
    n = Tensor([2, 3], ms.int32)
    assert ms.grad(lambda n: (n**3).sum())(n).tolist() == [12, 27]
    assert ms.grad(lambda n: (n % 2 + ops.fmod(n, 2) + ops.remainder(n, 2)).sum())(n).tolist() == [3, 3]
