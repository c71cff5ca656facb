"""Sparse Tensors: what constructors, methods and operators return, how they print, gradients by their values."""

from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import COOTensor, CSRTensor, RowTensor, SparseTensor, Tensor, nn, ops

from .common import attempt, dtype_name, set_mode, to_numpy, write_json

MAKE = {
    "p": "Tensor([0, 1, 3], ms.int32)",
    "i": "Tensor([1, 0, 2], ms.int32)",
    "ij": "Tensor([[0, 1], [1, 0], [1, 2]], ms.int64)",
    "v": "Tensor([1.0, -2.0, 3.0], ms.float32)",
    "c": "CSRTensor(p, i, v, (2, 4))",
    "c2": "CSRTensor(Tensor([0, 1, 2], ms.int32), Tensor([0, 0], ms.int32), Tensor([1.0, 2.0], ms.float32), (2, 4))",
    "o": "COOTensor(ij, v, (2, 4))",
    "o2": "COOTensor(Tensor([[0, 0], [1, 0]], ms.int64), Tensor([1.0, 2.0], ms.float64), (2, 4))",
    "d": "Tensor(np.arange(8).reshape(4, 2), ms.float32)",
    "e": "Tensor(np.arange(1, 9).reshape(2, 4), ms.float32)",
    "one": "Tensor(1.0)",
}
UNARY = (
    "abs acosh asin atan ceil cos exp floor inv isfinite log1p neg relu relu6 round sigmoid sin softsign sqrt square tanh"
).split()
VALUES = [
    *[f"ops.csr_{name}(c)" for name in UNARY],
    *[f"ops.coo_{name}(o)" for name in UNARY],
    *"""c.to_dense()
c.to_tuple()
c.abs()
-c
c.astype(ms.float64)
(c.size, c.itemsize, c.ndim, c.shape, str(c.dtype))
c.add(c2, one, one)
c + c2
c - c2
c - c
c * 2
c * Tensor(2.0)
c * Tensor([2])
c * True
c / 2
CSRTensor(csr_tensor=c)
CSRTensor(p, i, Tensor(np.ones((3, 2)), ms.float32), (2, 4, 2)).values
o.to_dense()
o.to_tuple()
o.abs()
-o
o.astype(ms.int32)
(o.size, o.itemsize, o.ndim, o.shape, str(o.dtype))
o.coalesce()
o.add(o, Tensor(3.0))
o.add(o, Tensor(2.0))
o + o
o - o
o + e
o - e
o * e
o / e
COOTensor(coo_tensor=o)
COOTensor(Tensor([[0, 1], [0, 1]]), Tensor([1.0, 2.0]), (2, 2)).to_dense()
RowTensor(Tensor([0]), Tensor([[1, 2]], ms.float32), (3, 2)).dense_shape
RowTensor(Tensor([0]), Tensor([[1, 2]], ms.float32), (3, 2)).values
SparseTensor(ij, v, (2, 4)).shape
isinstance(SparseTensor(ij, v, (2, 4)), COOTensor)
ops.dense_to_sparse_coo(Tensor([[1.0, 0], [0, 2]]))
ops.dense_to_sparse_csr(Tensor([[1.0, 0], [0, 2]]))
Tensor([[1.0, 0], [0, 2]]).to_coo()
Tensor([[1.0, 0], [0, 2]]).to_csr()
Tensor([[0.0, 0], [0, 0]]).to_coo()
ops.csr_to_coo(c)
ops.csr_to_dense(c)
ops.csr_add(c, c2, one, Tensor(2.0))
ops.coo_add(o, o2, Tensor(0.0))
ops.coo_add(o, o2, Tensor(2.5))
ops.coo_concat((o, o))
ops.coo_concat((o, COOTensor(ij, v, (3, 4))))
ops.coo_concat([o, o], 1)
ops.coo_concat([o, o], -1)
ops.coalesce(Tensor([[1, 0, 1], [1, 1, 1]]), v, Tensor([2, 2]))
ops.SparseTensorDenseMatmul()(ij, v, (2, 4), d)
ops.SparseTensorDenseMatmul(True)(ij, v, (2, 4), e)
ops.SparseTensorDenseMatmul(adjoint_dt=True)(ij, v, (2, 4), e)
ops.SparseTensorDenseMatmul()(ij, v, Tensor([2, 4]), d)
nn.SparseTensorDenseMatmul()(ij, v, (2, 4), d)
ops.SparseToDense()(ij, v, (2, 4))
ops.SparseToDense()(Tensor([[0], [2]]), Tensor([1.0, 2.0]), (4,))
ops.SparseToDense()(Tensor([[0, 1], [0, 1]]), Tensor([1.0, 2.0]), (2, 2))
nn.SparseToDense()(o)
ops.SparseTensorDenseAdd()(ij, v, Tensor([2, 4]), e)
ops.SparseSlice()(ij, v, Tensor([2, 4]), Tensor([0, 1]), Tensor([2, 2]))
ops.SparseSlice()(ij, v, Tensor([2, 4]), Tensor([1, 0]), Tensor([5, 9]))
ops.SparseSlice()(ij, v, Tensor([2, 4]), Tensor([1, 3]), Tensor([1, 1]))
ops.sparse_segment_mean(d, Tensor([0, 1, 3], ms.int32), Tensor([0, 0, 2], ms.int32))
ops.RaggedRange(ms.int64)(Tensor([2, 5, 8], ms.int32), Tensor([3, 5, 12], ms.int32), Tensor([1, 1, 1], ms.int32))
ops.RaggedRange(ms.int32)(Tensor([2.0, 5, 8]), Tensor([3.5, 5, 12]), Tensor([0.5, 1, 3]))
ops.RaggedRange(ms.int32)(Tensor([3, 5]), Tensor([0, 9]), Tensor([-1, -1]))
ops.RaggedRange(ms.int32)(Tensor(1), Tensor(4), Tensor(1))""".splitlines(),
]
TEXTS = """c
o
RowTensor(Tensor([0]), Tensor([[1, 2]], ms.float32), (3, 2))
SparseTensor(ij, v, (2, 4))
ops.csr_isnan(c)
Tensor([[0.0, 0], [0, 0]]).to_coo()
COOTensor(Tensor(np.arange(16).reshape(8, 2) % 5, ms.int32), Tensor(np.arange(8) / 7, ms.float16), (20, 20))
COOTensor(Tensor(np.arange(28).reshape(14, 2) % 5, ms.int32), Tensor(np.arange(14) / 7, ms.float32), (20, 20))
COOTensor(Tensor(np.arange(30).reshape(15, 2) % 5, ms.int32), Tensor(np.arange(15), ms.int64), (20, 20))
COOTensor(Tensor(np.arange(80).reshape(40, 2) % 5, ms.int32), Tensor(np.arange(40), ms.int64), (20, 20))""".splitlines()
ERRORS = """c + o
c.sum(0)
c.mv(d)
c.mm(1)
c * Tensor([[[2.0]]])
o * o
o + d
o / d
CSRTensor(csr_tensor=3)
CSRTensor(p, csr_tensor=c)
CSRTensor(1, i, v, (2, 4))
CSRTensor(p, 1, v, (2, 4))
CSRTensor(p, i, 1, (2, 4))
CSRTensor(p, i, v, [2, 4])
CSRTensor(p, i, v, (3, 4))
CSRTensor(p, i, v, (2, 1))
CSRTensor(p, i, v, (2, 0))
CSRTensor(p, i, v, (2, 4.0))
CSRTensor(p, i, v, (2, 4, 2))
CSRTensor(p, i, Tensor([1.0, 2.0]), (2, 4))
CSRTensor(p.astype(ms.float32), i, v, (2, 4))
CSRTensor(p, i.astype(ms.uint8), v, (2, 4))
CSRTensor(Tensor([[0]]), i, v, (2, 4))
COOTensor()
COOTensor(coo_tensor=c)
COOTensor(Tensor([0, 1]), v, (2, 4))
COOTensor(ij, v, (2, 4, 1))
COOTensor(ij, v, (1, 2))
COOTensor(ij, v, (2, -4))
COOTensor(ij, v, [2, 4])
COOTensor(ij.astype(ms.float32), v, (2, 4))
COOTensor(ij, Tensor([1.0]), (2, 4))
COOTensor(Tensor([[0, 1, 2]]), Tensor([1.0]), (2, 4))
RowTensor(1, 2, 3)
RowTensor(row_tensor=1)
SparseTensor(1, v, (2, 4))
ops.dense_to_sparse_coo(Tensor([1.0, 0]))
ops.dense_to_sparse_csr(Tensor([1.0, 0]))
ops.dense_to_sparse_coo(3)
ops.csr_to_coo(1)
ops.csr_abs(o)
ops.coo_abs(c)
ops.csr_mm(c, 1)
ops.csr_add(c, 1, one, one)
ops.csr_add(c, c, 1, 1)
ops.csr_softmax(1, ms.float32)
ops.csr_softmax(c, ms.int32)
ops.coo_concat((o,))
ops.SparseTensorDenseMatmul()(ij, v, (2, 4, 1), d)
ops.SparseTensorDenseMatmul()(ij, v, (2, 4), d.astype(ms.float64))
ops.SparseToDense()(Tensor([0, 2]), Tensor([1.0, 2.0]), (4,))
ops.SparseTensorDenseAdd()(ij, v, Tensor([2, 4]), e.astype(ms.float64))
ops.SparseSlice()(ij, v, Tensor([2, 4]), Tensor([0, 1, 1]), Tensor([2, 2]))
ops.sparse_segment_mean(d, Tensor([0, 1], ms.int32), Tensor([0, 1, 1], ms.int32))
ops.sparse_segment_mean(d.astype(ms.int32), Tensor([0, 1], ms.int32), Tensor([0, 1], ms.int32))
ops.RaggedRange(ms.int32)(Tensor([1]), Tensor([4]), Tensor([0]))
ops.RaggedRange(ms.int32)(Tensor([1, 2]), Tensor([4]), Tensor([1]))""".splitlines()
GRADIENTS = """ops.csr_square(c).values.sum()
ops.coo_exp(o).to_dense().sum()
ops.csr_sin(c)
ops.coo_square(o)
(c.to_dense() * e).sum()
(o.to_dense() * e).sum()
((o + e) * e).sum()
(o * e).values.sum()
(-c).values.sum()
ops.SparseTensorDenseMatmul()(ij, v, (2, 4), d).sum()
(ops.SparseToDense()(ij, v, (2, 4)) * e).sum()
(ops.SparseTensorDenseAdd()(ij, v, Tensor([2, 4]), e) * e).sum()
ops.SparseSlice()(ij, v, Tensor([2, 4]), Tensor([0, 1]), Tensor([2, 2]))[1].sum()""".splitlines()
NAMES = {
    "ms": ms, "np": np, "nn": nn, "ops": ops, "Tensor": Tensor, "CSRTensor": CSRTensor, "COOTensor": COOTensor,
    "RowTensor": RowTensor, "SparseTensor": SparseTensor,
}  # fmt: skip


def named() -> dict[str, Any]:
    """Return what expressions may use, made anew: some kernels write into their operands."""
    names = dict(NAMES)
    for name, text in MAKE.items():
        names[name] = eval(text, names)
    return names


def described(value: Any) -> Any:
    """Return a result as lists of kind, dtype or shape, and elements."""
    if isinstance(value, (CSRTensor, COOTensor)):
        *parts, shape = value.to_tuple()
        return [type(value).__name__, [described(part) for part in parts], list(shape)]
    if isinstance(value, Tensor):
        return ["Tensor", dtype_name(value), to_numpy(value).tolist()]
    if isinstance(value, tuple):
        return ["tuple", [described(item) for item in value]]
    return ["value", value]


def gradient(expression: str) -> Any:
    """Return the gradient by the values v."""
    names = named()

    def function(v: Tensor) -> Any:
        sparse = {"c": CSRTensor(names["p"], names["i"], v, (2, 4)), "o": COOTensor(names["ij"], v, (2, 4))}
        return eval(expression, {**names, **sparse, "v": v})

    return described(ms.grad(function)(names["v"]))


def record(out: Path) -> None:
    """Write ``sparse.json``; errors by their type."""
    set_mode("pynative")

    def value_of(expression: str) -> Any:
        value, error = attempt(lambda: described(eval(expression, named())))
        return {"error": error} if error is not None else value

    data: dict[str, Any] = {
        "make": list(MAKE.items()),
        "values": {text: value_of(text) for text in VALUES},
        "texts": {text: attempt(lambda: repr(eval(text, named())))[0] for text in TEXTS},  # noqa: B023
        "errors": {text: (attempt(lambda: eval(text, named()))[1] or "").partition(":")[0] for text in ERRORS},  # noqa: B023
        "gradients": {text: gradient(text) for text in GRADIENTS},
    }
    write_json(out / "sparse.json", data)
