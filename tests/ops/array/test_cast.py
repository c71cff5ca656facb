"""Operators that convert the dtype, and what a Tensor is as Python values: cast, shape, rank, size, dtype."""

import json

import ml_dtypes
import numpy as np
import pytest
from edge_differences import CASTS
from house import ROOT
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, mint, ops
from sporax._src.core.conversion import converted_by_numpy

test_row = laws_of("sporax._src.ops.array.cast")


EDGES = json.loads((ROOT / "tests" / "goldens" / "numeric_edges.json").read_text(encoding="utf-8"))


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
