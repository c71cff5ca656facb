"""Rows of strategies, and what XLA exchanges for each on eight devices; writes what it finds as JSON.

    collectives_of_strategies.py FOLDER

An exchange is `[operation, number of devices in a group]`, in the compiled program, forward or a whole training step.
"""

import json
import re
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.parallel import Layout

DEVICES = 8
OPERATIONS = ("all-reduce", "all-gather", "all-to-all", "collective-permute", "reduce-scatter")
CALL = re.compile(rf" ({'|'.join(OPERATIONS)})(?:-start)?\((.*)")
LISTED = re.compile(r"replica_groups=\{\{([\d,]*)\}")
IOTA = re.compile(r"replica_groups=\[(\d+),(\d+)\]")


def drawn(*shape):
    return Tensor(np.random.RandomState(len(shape)).randn(*shape).astype(np.float32))


def exchanges(text):
    """Return what a compiled program exchanges, as sorted pairs of operation and size of group."""
    found = []
    for name, rest in CALL.findall(text):
        listed, iota = LISTED.search(rest), IOTA.search(rest)
        size = int(iota[2]) if iota else listed[1].count(",") + 1 if listed else DEVICES
        found.append([name, 2 if name == "collective-permute" else size])
    return sorted(found)


def compiled(cell, *args):
    return exchanges(cell.graph(*args).lower().compile().as_text())


def one(primitive, strategy, *shapes, out, tail=(), indices=None):
    """Return the exchanges of one operator: its first input is data that comes cut as it takes it, the others Parameters.

    Its results stay cut as `out` says, in Parameters. `indices` is the number of the input that is data of integers instead.
    """
    values = [Tensor(np.zeros(s, np.int32)) if i == indices else drawn(*s) for i, s in enumerate(shapes)]
    data = 0 if indices is None else indices
    context.set_auto_parallel_context(dataset_strategy=(strategy[data],))
    named = primitive.name in ("BatchMatMul", "Gather", "MatMul", "Transpose")
    primitive = primitive.shard(strategy, out if named else None)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weights = [Parameter(v, name=f"w{i}") for i, v in enumerate(values) if i != data]
            self.results = []

        def applied(self, x):
            inputs = list(self.weights)
            inputs.insert(data, x)
            found = primitive(*inputs, *tail)
            return found if isinstance(found, tuple) else (found,)

        def construct(self, x):
            for result, value in zip(self.results, self.applied(x), strict=True):
                ops.assign(result, value)

    net = Net()
    context.set_context(mode=context.PYNATIVE_MODE)
    for i, (value, cut) in enumerate(zip(net.applied(values[data]), out, strict=True)):
        net.results.append(Parameter(ops.zeros_like(value), name=f"result{i}"))
        net.results[-1].param_info.param_strategy = cut
    context.set_context(mode=context.GRAPH_MODE)
    return compiled(net, values[data])


def train(net, *inputs, dataset="data_parallel", **settings):
    """Return the exchanges of a training step."""
    context.set_auto_parallel_context(dataset_strategy=dataset, **settings)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    found = compiled(nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer), *inputs)
    context.set_auto_parallel_context(enable_parallel_optimizer=False, dataset_strategy="data_parallel")
    return found


def mlp(first, second):
    """Two products with strategies."""

    class Mlp(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.relu = ops.MatMul().shard(first), ops.MatMul().shard(second), ops.ReLU()
            self.up, self.down = Parameter(drawn(16, 32), name="up"), Parameter(drawn(32, 16), name="down")

        def construct(self, x):
            return self.second(self.relu(self.first(x, self.up)), self.down)

    return Mlp()


def dense():
    return nn.Dense(16, 8, drawn(8, 16), has_bias=False)


def rows():
    """Return the exchanges of each row by its name."""
    layout, cube = Layout((2, 4), ("dp", "mp")), Layout((2, 2, 2), ("a", "b", "c"))
    matmul, batch = (8, 16), (16, 8)
    found = {
        # products
        "MatMul ((8, 1), (1, 1))": one(ops.MatMul(), ((8, 1), (1, 1)), matmul, batch, out=((8, 1),)),
        "MatMul ((1, 1), (1, 8))": one(ops.MatMul(), ((1, 1), (1, 8)), matmul, batch, out=((1, 8),)),
        "MatMul ((2, 1), (1, 4))": one(ops.MatMul(), ((2, 1), (1, 4)), matmul, batch, out=((2, 4),)),
        "MatMul ((1, 8), (8, 1))": one(ops.MatMul(), ((1, 8), (8, 1)), matmul, batch, out=((1, 1),)),
        "MatMul ((2, 2), (2, 1))": one(ops.MatMul(), ((2, 2), (2, 1)), matmul, batch, out=((2, 1),)),
        "MatMul of layouts (a, b), (b, c)": one(
            ops.MatMul(), (cube("a", "b"), cube("b", "c")), matmul, batch, out=(cube("a", "c"),)
        ),
        "MatMul of layouts (dp, mp), (mp, None)": one(
            ops.MatMul(), (layout("dp", "mp"), layout("mp", "None")), matmul, batch, out=(layout("dp", "None"),)
        ),
        "MatMul of layouts ((dp, mp), None), (None, None)": one(
            ops.MatMul(), (layout(("dp", "mp"), "None"), layout("None", "None")), matmul, batch,
            out=(layout(("dp", "mp"), "None"),),
        ),
        "BatchMatMul ((8, 1, 1), (8, 1, 1))": one(
            ops.BatchMatMul(), ((8, 1, 1), (8, 1, 1)), (8, 4, 16), (8, 16, 4), out=((8, 1, 1),)
        ),
        "BatchMatMul ((2, 1, 4), (2, 4, 1))": one(
            ops.BatchMatMul(), ((2, 1, 4), (2, 4, 1)), (8, 4, 16), (8, 16, 4), out=((2, 1, 1),)
        ),
        # elementwise and reductions
        "Add ((2, 4), (2, 4))": one(ops.Add(), ((2, 4), (2, 4)), matmul, matmul, out=((2, 4),)),
        "Add ((2, 4), (4,))": one(ops.Add(), ((2, 4), (4,)), matmul, (16,), out=((2, 4),)),
        "ReLU ((8, 1))": one(ops.ReLU(), ((8, 1),), matmul, out=((8, 1),)),
        "MatMul, from rows to columns": one(ops.MatMul(), ((8, 1), (1, 1)), (8, 16), (16, 16), out=((1, 8),)),
        "MatMul, from rows to all": one(ops.MatMul(), ((8, 1), (1, 1)), (8, 16), (16, 16), out=((1, 1),)),
        "ReduceSum along the cut axis": one(ops.ReduceSum(), ((1, 8),), matmul, out=((1,),), tail=(1,)),
        "ReduceSum along the other": one(ops.ReduceSum(), ((8, 1),), matmul, out=((8,),), tail=(1,)),
        "Transpose of layout (dp, mp)": one(
            ops.Transpose(), (layout("dp", "mp"),), matmul, out=(layout("mp", "dp"),), tail=((1, 0),)
        ),
        # normalization
        "Softmax cut on the batch": one(ops.Softmax(), ((8, 1),), matmul, out=((8, 1),)),
        "LayerNorm cut on the batch": one(
            ops.LayerNorm(), ((8, 1), (1,), (1,)), matmul, (16,), (16,), out=((8, 1), (8, 1), (8, 1))
        ),
        # tables
        "Gather from a table whole": one(
            ops.Gather(), ((1, 1), (8,)), (32, 16), (8,), out=((8, 1),), tail=(0,), indices=1
        ),
        "Gather from a table cut on its columns": one(
            ops.Gather(), ((1, 8), (1,)), (32, 16), (8,), out=((1, 8),), tail=(0,), indices=1
        ),
        "Gather from a table cut on its rows": one(
            ops.Gather(), ((8, 1), (1,)), (32, 16), (8,), out=((1, 1),), tail=(0,), indices=1
        ),
        # convolutions
        "Conv2D cut on the batch": one(
            ops.Conv2D(8, 3, pad_mode="same"), ((8, 1, 1, 1), (1, 1, 1, 1)), (8, 8, 8, 8), (8, 8, 3, 3), out=((8, 1, 1, 1),)
        ),
        "Conv2D cut on what comes out": one(
            ops.Conv2D(8, 3, pad_mode="same"), ((1, 1, 1, 1), (8, 1, 1, 1)), (8, 8, 8, 8), (8, 8, 3, 3),
            out=((1, 8, 1, 1),)
        ),
        "Conv2D cut on what comes in": one(
            ops.Conv2D(8, 3, pad_mode="same"), ((1, 8, 1, 1), (1, 8, 1, 1)), (8, 8, 8, 8), (8, 8, 3, 3), out=((1, 1, 1, 1),)
        ),
        "MaxPool cut on batch and channels": one(
            ops.MaxPool(2, 2), ((2, 4, 1, 1),), (8, 8, 8, 8), out=((2, 4, 1, 1),)
        ),
    }  # fmt: skip
    x, z, y = drawn(8, 16), Tensor(np.ones((8, 16), np.float32)), drawn(8, 8)
    column_row = ((1, 1), (1, 8)), ((1, 8), (8, 1))
    both = ((2, 1), (1, 4)), ((2, 4), (4, 1))
    context.set_auto_parallel_context(dataset_strategy="full_batch")
    found["MLP by column, then by row: forward"] = compiled(mlp(*column_row), x)
    found["MLP by row, then by column: forward"] = compiled(mlp(((1, 8), (8, 1)), ((1, 1), (1, 8))), x)
    found["MLP by column, then by row: step"] = train(mlp(*column_row), x, z, dataset="full_batch")
    found["MLP on batch and model: step"] = train(mlp(*both), x, z, dataset=((2, 1), (2, 1)))
    found["data parallel: forward"] = compiled(dense(), x)
    found["data parallel: step"] = train(dense(), x, y)
    found["full batch: step"] = train(dense(), x, y, dataset="full_batch")
    found["data parallel, optimizer sharded: step"] = train(
        dense(), x, y, enable_parallel_optimizer=True, parallel_optimizer_config={"parallel_optimizer_threshold": 0}
    )
    return found


context.set_context(mode=context.GRAPH_MODE)
context.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=DEVICES)
(Path(sys.argv[1]) / "found.json").write_text(json.dumps(rows()))
assert ms.get_auto_parallel_context("device_num") == DEVICES
