"""Training by stages of a pipeline: `pipeline.py FOLDER STAGES DEVICES [NETWORK...]` writes `rank_R.json` there.

With one process networks are trained on micro batches one after another.
"""

import json
import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.communication import get_group_size, get_rank, init
from mindspore.parallel.auto_parallel import AutoParallel

BATCH, MICROS, STEPS = 16, 4, 2
folder, stages, devices = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SCHEDULES = {
    "1f1b": {"pipeline_interleave": False, "pipeline_scheduler": "1f1b"},
    "gpipe": {"pipeline_interleave": True, "pipeline_scheduler": "gpipe"},
    "interleaved": {"pipeline_interleave": True, "pipeline_scheduler": "1f1b"},
}


class Block(nn.Cell):
    """A dense layer with an activation."""

    def __init__(self, n, m):
        super().__init__()
        self.dense = nn.Dense(n, m)

    def construct(self, x):
        return ops.tanh(self.dense(x))


class Mlp(nn.Cell):
    """Four dense layers, in halves or by turns on two stages."""

    def __init__(self, by_turns=False):
        super().__init__()
        self.blocks = nn.CellList([Block(6, 8), Block(8, 8), Block(8, 8), Block(8, 3)])
        for i, block in enumerate(self.blocks):
            block.pipeline_stage = i % 2 if by_turns else i // 2

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Images(nn.Cell):
    """Two convolutions with batch normalization and a dense layer."""

    def __init__(self):
        super().__init__()
        self.first = nn.SequentialCell(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.second = nn.SequentialCell(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.head = nn.Dense(16, 3)
        self.first.pipeline_stage, self.second.pipeline_stage, self.head.pipeline_stage = 0, 1, 1

    def construct(self, x):
        x = self.second(self.first(x.reshape(-1, 1, 8, 8)))
        return self.head(x.reshape(x.shape[0], -1))


class Layer(nn.Cell):
    """Attention and a dense layer."""

    def __init__(self, size):
        super().__init__()
        self.qkv, self.out = nn.Dense(size, 3 * size, has_bias=False), nn.Dense(size, size)
        self.norm = nn.LayerNorm((size,))
        self.drop = nn.Dropout(p=0.2)

    def construct(self, x, mask):
        q, k, v = ops.split(self.qkv(self.norm(x)), x.shape[-1], -1)
        scores = ops.softmax(ops.matmul(q, k.swapaxes(1, 2)) / 2.0 + mask, -1)
        return x + self.drop(self.out(ops.matmul(scores, v)))


class Transformer(nn.Cell):
    """Two layers, which are recomputed, between an embedding and its transpose."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.layers = nn.CellList([Layer(8), Layer(8)])
        self.head = nn.LayerNorm((8,))
        self.embedding.pipeline_stage, self.head.pipeline_stage = 0, 1
        for i, layer in enumerate(self.layers):
            layer.pipeline_stage = i
            layer.recompute()

    def construct(self, ids):
        n = ids.shape[1]
        mask = ops.triu(ops.full((n, n), -1e9, dtype=ms.float32), 1)
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, mask)
        return ops.matmul(self.head(x), self.embedding.embedding_table.T)


class LossOfTokens(nn.Cell):
    """The mean cross entropy of tokens."""

    def construct(self, scores, labels):
        return ops.cross_entropy(scores.reshape(-1, scores.shape[-1]), labels.reshape(-1))


def with_weights(net):
    """Return the network with weights drawn by name, those of this process's stage and of others."""
    rng = np.random.default_rng(0)
    for parameter in net.trainable_params():
        value = rng.standard_normal(parameter.shape) / max(1, np.prod(parameter.shape[1:])) ** 0.5
        parameter.set_data(ms.Tensor(value.astype(np.float32)))
    return net


def jobs():
    """Yield each network with how it is trained, its schedule, its loss and the batches."""
    rng = np.random.default_rng(1)
    rows = [rng.standard_normal((STEPS, BATCH, n)).astype(np.float32) for n in (6, 64)]
    classes = rng.integers(0, 3, (STEPS, BATCH)).astype(np.int32)
    tokens = rng.integers(0, 11, (2, STEPS, BATCH, 5)).astype(np.int32)
    mean = nn.CrossEntropyLoss()
    yield "mlp", by_model, "1f1b", Mlp(), mean, rows[0], classes
    yield "mlp gpipe", by_own_cell, "gpipe", Mlp(), mean, rows[0], classes
    yield "mlp interleaved", by_function, "interleaved", Mlp(True), mean, rows[0], classes
    yield "images", by_cell, "1f1b", Images(), mean, rows[1], classes
    yield "transformer", by_function, "1f1b", Transformer(), LossOfTokens(), *tokens


def described(net, losses, pipeline):
    """Return losses, weights and which of them this process computes with."""
    return {
        "losses": losses,
        "weights": {p.name: p.asnumpy().tolist() for p in net.get_parameters()},
        "here": [p.name for p in net.trainable_params() if not p.is_elsewhere],
        "kept": pipeline.staged.max_in_flight,
    }


def by_model(net, loss, x, y):
    """Train with `Model`, which averages over micro batches."""
    pipeline = nn.PipelineCell(nn.WithLossCell(net, loss), MICROS)
    rows = ms.dataset.NumpySlicesDataset((x.reshape(-1, *x.shape[2:]), y.reshape(-1, *y.shape[2:])), shuffle=False)
    losses = []

    class Noted(ms.Callback):
        def on_train_step_end(self, run_context):
            losses.append(float(run_context.original_args().net_outputs.asnumpy()))

    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    if stages > 1:
        model = ms.Model(pipeline, optimizer=optimizer)
    else:
        model = ms.Model(nn.TrainOneStepCell(pipeline, optimizer, sens=1 / MICROS))
    model.train(1, rows.batch(BATCH), callbacks=Noted(), dataset_sink_mode=False)
    predicted = ms.Model(net, loss, metrics={"accuracy"}, eval_network=None)
    metrics = predicted.eval(rows.batch(BATCH))
    output = predicted.predict(ms.Tensor(x[0])).asnumpy().tolist()
    return described(net, losses, pipeline) | {"metrics": metrics, "output": output}


class Step(nn.TrainOneStepCell):
    """A training step that a program has written after MindSpore's."""

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return ops.depend(loss, self.optimizer(grads))


def by_own_cell(net, loss, x, y):
    """Train with a step of one's own."""
    return by_cell(net, loss, x, y, Step)


def by_cell(net, loss, x, y, kind=nn.TrainOneStepCell):
    """Train with `TrainOneStepCell`."""
    pipeline = nn.PipelineCell(nn.WithLossCell(net, loss), MICROS)
    step = kind(pipeline, nn.Adam(net.trainable_params(), 0.01, weight_decay=0.1), sens=0.25).set_train()
    losses = [float(step(ms.Tensor(a), ms.Tensor(b)).asnumpy()) for a, b in zip(x, y, strict=True)]
    return described(net, losses, pipeline)


def by_function(net, loss, x, y):
    """Train with functions, gradients clipped by their norm."""
    pipeline = nn.PipelineCell(nn.WithLossCell(net, loss), MICROS).set_train()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    reducer = nn.PipelineGradReducer(optimizer.parameters, 4.0)

    def forward(a, b):
        return pipeline(a, b)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    @ms.jit
    def step(a, b):
        value, grads = gradient(a, b)
        grads = ops.clip_by_global_norm(reducer(grads), 0.5)
        optimizer(grads)
        return value

    losses = [float(step(ms.Tensor(a), ms.Tensor(b)).asnumpy()) for a, b in zip(x, y, strict=True)]
    return described(net, losses, pipeline)


def by_scale(x, y):
    """Train in AutoParallel under a loss scale; gradients of the first stage overflow in the first step."""
    net = with_weights(Mlp())
    net.blocks[0].dense.weight.set_data(net.blocks[0].dense.weight / 1000)
    pipeline = nn.PipelineCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), MICROS)
    update = nn.DynamicLossScaleUpdateCell(2.0**124, 2**60, 100)
    step = nn.TrainOneStepWithLossScaleCell(pipeline, nn.SGD(net.trainable_params(), 1e-6), update).set_train()
    wrapped = AutoParallel(step, "semi_auto")
    wrapped.dataset_strategy("full_batch")
    wrapped.pipeline(stages)
    found = [wrapped(ms.Tensor(x[0] * 1000), ms.Tensor(y[0])) for _ in range(3)]
    return [[float(value.asnumpy()) for value in row] for row in found]


class Pair(nn.Cell):
    """A network with two outputs, or with an output for each row."""

    def __init__(self, returns_two):
        super().__init__()
        self.net, self.returns_two = Mlp(), returns_two

    def construct(self, x):
        out = self.net(x)
        return (out, out) if self.returns_two else out


def errors():
    """Return what is said of calls that stages of several processes do not serve."""
    x = ms.Tensor(np.ones((BATCH, 6), np.float32))
    two, rows = nn.PipelineCell(Pair(True), MICROS), nn.PipelineCell(Pair(False), MICROS)
    weights = rows.trainable_params()

    def weighed(x):
        return (rows(x) * ms.Tensor([1.0, 2.0, 3.0])).sum()

    calls = [
        lambda: two(x),
        lambda: ms.grad(rows)(x),
        lambda: ms.grad(weighed, None, weights)(x),
        lambda: ms.grad(lambda y: ms.grad(rows, None, weights)(x)[0].sum() * y)(ms.Tensor(1.0)),
        lambda: other_devices(rows, x),
    ]
    found = []
    for call in calls:
        try:
            call()
        except RuntimeError as error:
            found.append(str(error))
    return found


def other_devices(network, x):
    """Call a network with more devices than there are processes."""
    ms.set_auto_parallel_context(device_num=8)
    try:
        network(x)
    finally:
        ms.set_auto_parallel_context(device_num=devices)


def main():
    """Train everything and write what was found."""
    init()
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", full_batch=True, pipeline_stages=stages, device_num=devices
    )
    found = {}
    for name, how, schedule, net, loss, x, y in jobs():
        if not sys.argv[4:] or name in sys.argv[4:]:
            ms.set_auto_parallel_context(pipeline_config=SCHEDULES[schedule])
            found[name] = how(with_weights(net), loss, x, y)
    if not sys.argv[4:]:
        *_, x, y = next(jobs())
        found["scale"] = by_scale(x, y)
        found["errors"] = errors() if get_group_size() > 1 else []
    with open(f"{folder}/rank_{get_rank()}.json", "w") as file:
        json.dump(found, file)


main()
