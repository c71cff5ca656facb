"""Casts, quotients, remainders, powers and common divisors at the edges of dtypes, as MindSpore's CPU answers (recorded)."""

import json

import ml_dtypes
import numpy as np
import pytest
from edge_differences import CASTS, follows
from house import ROOT

import sporax as ms
from sporax import Tensor, mint, ops
from sporax._src.core.conversion import converted, converted_by_numpy

EDGES = json.loads((ROOT / "tests" / "goldens" / "numeric_edges.json").read_text(encoding="utf-8"))
NAMES = {"ms": ms, "ops": ops, "mint": mint, "mnp": ms.numpy, "Tensor": Tensor}
CALLS = [(kind, call) for kind in ("quotients", "powers", "divisors") for call in EDGES[kind]]
VALUES = {
    dtype: [eval(text, {"inf": np.inf, "nan": np.nan}) for text in texts]
    for dtype, texts in EDGES["cast_values"].items()
}
SMALL = [-1.7, 300.2, 255.9, 256.0, -129.0, 128.0]
AS_UINT8, AS_INT8 = [255, 44, 255, 0, 127, 128], [-1, 44, -1, 0, 127, -128]


def _array(dtype: str) -> np.ndarray:
    values = VALUES[dtype]
    with np.errstate(all="ignore"):
        if "int" in dtype:
            return np.array(values, dtype)
        if dtype == "bfloat16":
            return np.array(values, np.float32).astype(ml_dtypes.bfloat16)
        return np.array(values).astype(dtype)


def _shown(array: np.ndarray) -> list[str]:
    """Return the elements as they were recorded: bfloat16 as float32."""
    wide = array.astype(np.float32) if array.dtype == ml_dtypes.bfloat16 else array
    return [repr(v) for v in wide.tolist()]


@pytest.mark.parametrize("source", VALUES)
def test_casts(source, mode) -> None:
    """Of operands, and of what a graph holds as a constant; of arrays in the memory of the host, too."""
    array = _array(source)
    x = Tensor(array)
    dtypes = [getattr(ms, target if target != "bool" else "bool_") for target in VALUES]
    operands = ms.jit(lambda x: tuple([ops.cast(x, dtype) for dtype in dtypes]), fullgraph=True)(x)
    constants = ms.jit(lambda: tuple([x.astype(dtype) for dtype in dtypes]), fullgraph=True)()
    for target, operand, constant in zip(VALUES, operands, constants, strict=True):
        found = [operand.asnumpy(), constant.asnumpy(), converted_by_numpy(array, operand.asnumpy().dtype)]
        for i, got in enumerate(found):
            rows = zip(EDGES["cast_values"][source], _shown(got), EDGES["casts"][f"{source} {target}"], strict=True)
            wrong = [(v, g, e) for v, g, e in rows if g != e and (source, target, v) not in CASTS]
            assert not wrong, (target, i)


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


@pytest.mark.parametrize(("name", "expected"), [("uint8", AS_UINT8), ("int8", AS_INT8)])
def test_every_way_of_conversion(name, expected, mode) -> None:
    """All go through one conversion, so that none has edges of its own."""
    dtype = getattr(ms, name)
    x, mask = Tensor(SMALL, ms.float32), Tensor([True] * 6)

    def made() -> list[Tensor]:
        zeros = ops.zeros(6, dtype)
        results = [x.astype(dtype), x.to(dtype), x.type_as(zeros), ops.cast(x, dtype), ms.numpy.array(x, dtype)]
        results += [x.byte() if name == "uint8" else x.type(dtype), ms.numpy.mean(x.reshape(1, 6), 0, dtype=dtype)]
        results += [ops.stack([one(v) for v in SMALL]) for one in fills(zeros[0])]
        return [*results, ops.masked_scatter(zeros, mask, x.astype(dtype))]

    def fills(zero: Tensor) -> list:
        return [
            lambda v: ops.full((), v, dtype=dtype),
            lambda v: ops.full_like(zero, v),
            lambda v: ops.fill(dtype, (), v),
            lambda v: ops.fills(zero, v),
            lambda v: mint.sum(Tensor([v], ms.float32), dtype=dtype),
            lambda v: ms.numpy.full((), v, dtype),
        ]

    for result in ms.jit(made, fullgraph=True)():
        assert result.dtype == dtype and result.tolist() == expected
    assert ops.arange(254.5, 258.0, 1.0, dtype=ms.uint8).tolist() == [254, 255, 0, 1]


def test_conversion_of_numbers() -> None:
    """What a kernel holds as a number of Python's or NumPy's is converted as arrays are."""
    assert [int(converted(v, np.uint8)) for v in (300.2, np.float32(300.2), np.array(-1.7))] == [44, 44, 255]
    assert int(converted(np.nan, np.int32)) == -(2**31) and converted(3 + 1j, np.int32).dtype == np.int32


def test_gradients_pass_as_before(mode) -> None:
    x = Tensor([1.5, -2.0], ms.float32)
    assert ms.grad(lambda x: (x.astype(ms.float64) * 2).sum())(x).tolist() == [2, 2]
    assert ms.grad(lambda x: (x**3).sum())(x).tolist() == [6.75, 12.0]
    n = Tensor([2, 3], ms.int32)
    assert ms.grad(lambda n: (n**3).sum())(n).tolist() == [12, 27]
    assert ms.grad(lambda n: (n % 2 + ops.fmod(n, 2) + ops.remainder(n, 2)).sum())(n).tolist() == [3, 3]


def test_integers_beyond_64_bits(mode) -> None:
    """They are refused with the name of the operator, whichever operand they are."""
    t, i = Tensor([1.0]), Tensor([1])
    for call, name in (
        (lambda: mint.where(2**63, 1j, t), "where"),
        (lambda: t + 2**63, "add"),
        (lambda: 2**64 - t, "sub"),
        (lambda: i == -(2**63) - 1, "equal"),
        (lambda: ops.clamp(i, 0, 2**64), "clamp"),
        (lambda: ops.mul(t, (2**64,)), "mul"),
        (lambda: i + np.uint64(2**63), "add"),
    ):
        with pytest.raises(OverflowError, match=rf"^ops\.{name}\(.*: .*\d{{19}}\d? does not fit into an int64"):
            (ms.jit(call, fullgraph=True) if mode == ms.GRAPH_MODE else call)()
    assert (i + (2**63 - 2)).tolist() == [2**63 - 1] and (i + -(2**63)).tolist() == [1 - 2**63]
