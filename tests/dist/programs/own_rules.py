"""Operators whose strategies follow rules of their own: `own_rules.py FILE [DEVICES]` writes values and gradients there."""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.parallel import Layout

devices = int(sys.argv[2]) if sys.argv[2:] else 1
TWO, THREE = Layout((2, 4), ("x", "y")), Layout((2, 2, 2), ("z", "x", "y"))


def split(axis):
    """Return a Split that may be cut along its axis."""
    return ops.Split(axis, 2).add_prim_attr("skip_redistribution", True)


def in_dimensions(product):
    """Return a product of several dimensions."""
    return product.add_prim_attr("enable_nd_tp", True)


CASES = {
    "matrices that all share alike": (ops.MatMul(), ((4, 2), (4, 2)), [(8, 8), (8, 16)]),
    "a product in two dimensions": (
        in_dimensions(ops.MatMul()), (TWO("None", ("x", "y")), TWO("x", "y")), [(8, 8), (8, 16)],
    ),
    "a transposed one": (
        in_dimensions(ops.MatMul(transpose_b=True)), (TWO("None", ("x", "y")), TWO("y", "x")), [(8, 8), (16, 8)],
    ),
    "whose rows are cut once": (in_dimensions(ops.MatMul()), (TWO("None", "x"), TWO("x", "y")), [(8, 8), (8, 16)]),
    "a product in three dimensions": (
        in_dimensions(ops.MatMul()), (THREE(("z", "y"), "x"), THREE(("x", "z"), "y")), [(8, 8), (8, 16)],
    ),
    "of batches": (
        in_dimensions(ops.BatchMatMul()), (THREE("None", ("z", "y"), "x"), THREE("None", ("x", "z"), "y")),
        [(2, 8, 8), (2, 8, 16)],
    ),
    "the largest along a cut axis": (ops.Argmax(1), ((2, 4),), [(8, 8)]),
    "the least along a cut axis": (ops.Argmin(0), ((4, 2),), [(8, 8)]),
    "windows with gaps": (ops.MaxPool(2, 4), ((1, 1, 2, 2),), [(2, 2, 8, 8)]),
    "means of windows with gaps": (ops.AvgPool(2, 4), ((1, 1, 2, 2),), [(2, 2, 8, 8)]),
    "parts along a cut axis": (split(1), ((2, 4),), [(8, 8)]),
    "repetitions": (lambda x: TILE(x, (8, 2, 1)), ((4, 2, 1),), [(4, 8)]),
}  # fmt: skip
TILE = ops.Tile()


class Between(nn.Cell):
    """An operator with a strategy, between others that XLA cuts as it likes."""

    def __init__(self, operator):
        super().__init__()
        self.operator = operator

    def construct(self, *inputs):
        result = self.operator(*[x * 1.5 for x in inputs])
        first = (result[0] if isinstance(result, tuple) else result).astype(ms.float32)
        return ops.tanh(first) * first


def main():
    """Compute everything, and write it."""
    ms.set_context(mode=ms.GRAPH_MODE)
    if devices > 1:
        ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=devices, full_batch=True)
    rng = np.random.default_rng(0)
    found = {}
    for name, (operator, strategy, shapes) in CASES.items():
        (TILE if name == "repetitions" else operator).shard(strategy)
        inputs = [ms.Tensor(rng.standard_normal(shape).astype(np.float32)) for shape in shapes]
        net = Between(operator)
        gradients = ms.jit(ms.grad(net, tuple(range(len(inputs)))))(*inputs)
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        found[name] = [x.asnumpy().tolist() for x in (net(*inputs), *gradients)]
    with open(sys.argv[1], "w") as file:
        json.dump(found, file)


main()
