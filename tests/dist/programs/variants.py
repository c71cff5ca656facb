"""Ways to train a network, each on one device and, with strategies, on eight; writes the losses and weights of both.

variants.py FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np
from mindspore import Model, Tensor, context, dataset, nn, set_seed
from mindspore.parallel import Layout

context.set_context(mode=context.GRAPH_MODE)
draw = np.random.RandomState(0)
TABLE, UP, DOWN = (draw.randn(*s).astype(np.float32) / 4 for s in ((16, 32), (64, 32), (8, 64)))
LAYOUT = Layout((2, 4), ("dp", "mp"))


class Block(nn.Cell):
    def __init__(self, primitives):
        super().__init__()
        self.up = nn.Dense(32, 64, Tensor(UP), "zeros")
        self.norm, self.act, self.drop = nn.LayerNorm((64,)), nn.GELU(), nn.Dropout(p=0.25)
        if primitives:
            self.up.matmul.shard((LAYOUT("dp", "None"), LAYOUT("mp", "None")))
            self.up.bias_add.shard((LAYOUT("dp", "mp"), LAYOUT("mp")))

    def construct(self, x):
        return self.drop(self.norm(self.act(self.up(x))))


class Net(nn.Cell):
    def __init__(self, is_cut, recomputes, region):
        super().__init__()
        self.table = nn.Embedding(16, 32, embedding_table=Tensor(TABLE))
        self.block = Block(is_cut)
        self.down = nn.Dense(64, 8, Tensor(DOWN), "zeros")
        if is_cut:
            self.down.matmul.shard(((2, 4), (1, 4)))
        if region and is_cut:
            self.block.shard(((2, 1),), ((2, 4),), {"block.up.weight": (4, 1)})
        if recomputes:
            self.block.recompute()

    def construct(self, tokens):
        return self.down(self.block(self.table(tokens)))


def trained(is_cut, *, recomputes=False, region=False, parts=1, **settings):
    """Return losses and weights of four steps."""
    context.reset_auto_parallel_context()
    if is_cut:
        context.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8, **settings)
    set_seed(3)
    net = Net(is_cut, recomputes, region)
    loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"))
    loss = nn.GradAccumulationCell(loss, parts) if parts > 1 else loss
    step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), 1e-2))
    step.set_train()
    losses = []
    for i in range(4):
        data = np.random.RandomState(i)
        tokens, labels = data.randint(0, 16, 16).astype(np.int32), data.randint(0, 8, 16).astype(np.int32)
        losses.append(float(step(Tensor(tokens), Tensor(labels)).asnumpy()))
    return losses, [p.asnumpy().reshape(-1)[:16].tolist() for p in net.trainable_params()]


VARIANTS = {
    "plain": {},
    "full batch": {"full_batch": True},
    "strategy of the dataset": {"dataset_strategy": ((4,), (4,))},
    "layouts of the dataset": {"dataset_strategy": (LAYOUT(("dp", "mp")), LAYOUT("dp"))},
    "recompute": {"recomputes": True},
    "region": {"region": True},
    "region, recompute": {"region": True, "recomputes": True},
    "accumulation": {"parts": 2},
    "accumulation, recompute": {"parts": 4, "recomputes": True},
    "accumulation, optimizer": {
        "parts": 2, "enable_parallel_optimizer": True, "parallel_optimizer_config": {"parallel_optimizer_threshold": 0},
    },
}  # fmt: skip
OWN = ("recomputes", "region", "parts")


def layouts():
    """Return what a Model finds out of the layouts of Parameters before it trains or predicts."""
    context.reset_auto_parallel_context()
    context.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8, full_batch=True)
    net = Net(True, False, False)
    tokens, labels = np.zeros(16, np.int32), np.zeros(16, np.int32)
    rows = dataset.NumpySlicesDataset((tokens, labels), shuffle=False).batch(8)
    model = Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True), nn.Adam(net.trainable_params(), 1e-2))
    train = model.infer_train_layout(rows)
    predict = model.infer_predict_layout(Tensor(tokens))
    return {
        "train": [train["block.up.weight"], train["moment1.block.up.weight"], train["table.embedding_table"]],
        "predict": predict["block.up.weight"], "cell": net.parameter_layout_dict["down.weight"],
    }  # fmt: skip


found = {}
for name, options in VARIANTS.items():
    whole = trained(False, **{k: v for k, v in options.items() if k in OWN})
    found[name] = [whole, trained(True, **options)]
(Path(sys.argv[1]) / "found.json").write_text(json.dumps({"variants": found, "layouts": layouts()}))
