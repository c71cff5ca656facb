"""A GPT whose operators say how they are cut: data parallel, tensor parallel, the optimizer's state shared out.

`sporax plan examples/parallel/gpt.py --devices 8,64 --size 1.3B` shows what it needs. Each of `--model-parallel` devices
holds some of the heads and of the features of the wide layers (Shoeybi et al., "Megatron-LM", 2019); batches are cut over the
others. Products are made in float16, all else in float32.
"""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, context, nn, ops
from mindspore.common.initializer import Normal, initializer
from mindspore.communication import get_group_size, init

SIZES = {  # layers, width, heads, length of a text
    "tiny": (2, 64, 8, 32),
    "124M": (12, 768, 12, 1024),
    "1.3B": (24, 2048, 16, 2048),
    "7B": (32, 4096, 32, 2048),
}
VOCABULARY = 51200  # 50257 of GPT-2, rounded up to be cut over 1,024 devices


class Linear(nn.Cell):
    """x @ weight + bias for x of shape (tokens, features), cut along `rows` of x, `inner` and `columns` of the weight."""

    def __init__(self, inputs: int, outputs: int, rows: int, inner: int, columns: int):
        super().__init__()
        self.weight = Parameter(initializer(Normal(0.02), (inputs, outputs)), name="weight")
        self.bias = Parameter(initializer("zeros", (outputs,)), name="bias")
        self.cast = ops.Cast()
        self.matmul = ops.MatMul().shard(((rows, inner), (inner, columns)))
        self.add = ops.Add().shard(((rows, columns), (columns,)))

    def construct(self, x):
        """Return a float16 Tensor."""
        product = self.matmul(self.cast(x, ms.float16), self.cast(self.weight, ms.float16))
        return self.add(product, self.cast(self.bias, ms.float16))


class Norm(nn.Cell):
    """LayerNorm over the features of x of shape (tokens, features)."""

    def __init__(self, width: int, dp: int):
        super().__init__()
        self.gamma = Parameter(initializer("ones", (width,)), name="gamma")
        self.beta = Parameter(initializer("zeros", (width,)), name="beta")
        self.norm = ops.LayerNorm(begin_norm_axis=-1, begin_params_axis=-1).shard(((dp, 1), (1,), (1,)))

    def construct(self, x):
        """Return x with mean 0 and variance 1, scaled and shifted."""
        return self.norm(x, self.gamma, self.beta)[0]


class Attention(nn.Cell):
    """Each position looks at itself and at those before it; heads are cut over `mp` devices."""

    def __init__(self, width: int, heads: int, length: int, dp: int, mp: int):
        super().__init__()
        self.shape = (-1, length, heads, width // heads)
        self.width = width
        self.query = Linear(width, width, dp, 1, mp)
        self.key = Linear(width, width, dp, 1, mp)
        self.value = Linear(width, width, dp, 1, mp)
        self.project = Linear(width, width, dp, mp, 1)
        self.transpose = ops.Transpose().shard(((dp, 1, mp, 1),))
        self.back = ops.Transpose().shard(((dp, mp, 1, 1),))
        self.scores = ops.BatchMatMul(transpose_b=True).shard(((dp, mp, 1, 1), (dp, mp, 1, 1)))
        self.softmax = ops.Softmax(-1).shard(((dp, mp, 1, 1),))
        self.mix = ops.BatchMatMul().shard(((dp, mp, 1, 1), (dp, mp, 1, 1)))
        self.scale = (width // heads) ** -0.5
        self.mask = Tensor(np.triu(np.full((length, length), -1e4, np.float32), 1))
        self.reshape, self.cast = ops.Reshape(), ops.Cast()

    def heads(self, x):
        """Return x of shape (batch, heads, length, features of a head)."""
        return self.transpose(self.reshape(x, self.shape), (0, 2, 1, 3))

    def construct(self, x):
        """Return the mixed values for x of shape (tokens, features)."""
        scores = self.cast(self.scores(self.heads(self.query(x)), self.heads(self.key(x))), ms.float32)
        chances = self.cast(self.softmax(scores * self.scale + self.mask), ms.float16)
        mixed = self.back(self.mix(chances, self.heads(self.value(x))), (0, 2, 1, 3))
        return self.project(self.reshape(mixed, (-1, self.width)))


class Block(nn.Cell):
    """Attention, then a two-layer network at each position, each on a residual branch."""

    def __init__(self, width: int, heads: int, length: int, dp: int, mp: int):
        super().__init__()
        self.norm1, self.norm2 = Norm(width, dp), Norm(width, dp)
        self.attention = Attention(width, heads, length, dp, mp)
        self.wide = Linear(width, 4 * width, dp, 1, mp)
        self.gelu = ops.GeLU().shard(((dp, mp),))
        self.narrow = Linear(4 * width, width, dp, mp, 1)
        self.add = ops.Add().shard(((dp, 1), (dp, 1)))

    def construct(self, x):
        """Return x with both branches added."""
        x = self.add(x, self.attention(self.norm1(x)))
        return self.add(x, self.narrow(self.gelu(self.wide(self.norm2(x)))))


class GPT(nn.Cell):
    """Embeddings, blocks, and the loss of a score for every next token; the table of words is cut over `mp` devices."""

    def __init__(self, layers: int, width: int, heads: int, length: int, dp: int, mp: int):
        super().__init__()
        self.words = Parameter(initializer(Normal(0.02), (VOCABULARY, width)), name="words")
        self.places = Parameter(initializer(Normal(0.02), (length, width)), name="places")
        self.lookup = ops.Gather().shard(((mp, 1), (dp, 1)))
        self.add = ops.Add().shard(((dp, 1, 1), (1, 1)))
        self.blocks = nn.CellList([Block(width, heads, length, dp, mp) for _ in range(layers)])
        self.norm = Norm(width, dp)
        self.head = ops.MatMul(transpose_b=True).shard(((dp, 1), (mp, 1)))
        self.most = ops.ReduceMax(keep_dims=True).shard(((dp, mp),))
        self.sum = ops.ReduceSum(keep_dims=True).shard(((dp, mp),))
        self.below = ops.Sub().shard(((dp, mp), (dp, 1)))
        self.exp, self.log = ops.Exp().shard(((dp, mp),)), ops.Log().shard(((dp, 1),))
        self.pick = ops.GatherD()
        self.width = width
        self.reshape, self.cast = ops.Reshape(), ops.Cast()

    def construct(self, tokens, targets):
        """Return the mean loss for tokens and targets of shape (batch, length)."""
        x = self.add(self.lookup(self.words, tokens, 0), self.places)
        x = self.reshape(x, (-1, self.width))
        for block in self.blocks:
            x = block(x)
        scores = self.head(self.cast(self.norm(x), ms.float16), self.cast(self.words, ms.float16))
        scores = self.cast(scores, ms.float32)
        scores = self.below(scores, ops.stop_gradient(self.most(scores, -1)))
        chances = self.below(scores, self.log(self.sum(self.exp(scores), -1)))
        return -ops.ReduceMean()(self.pick(chances, 1, self.reshape(targets, (-1, 1))))


def main() -> None:
    """Train on random tokens."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("--model-parallel", type=int, default=1, help="devices that share each layer")
    parser.add_argument("--batch", type=int, default=1, help="texts for each group of those devices")
    parser.add_argument("--steps", type=int, default=2)
    args = parser.parse_args()
    context.set_context(mode=context.GRAPH_MODE)
    init()
    devices, mp = get_group_size(), args.model_parallel
    dp = devices // mp
    context.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel", device_num=devices, full_batch=True, enable_parallel_optimizer=True
    )
    layers, width, heads, length = SIZES[args.size]
    net = GPT(layers, width, heads, length, dp, mp)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), 1e-4, weight_decay=0.1)
    step = nn.TrainOneStepCell(net, optimizer, sens=1024.0)
    draw = np.random.RandomState(0)
    for _ in range(args.steps):
        tokens = draw.randint(0, VOCABULARY, (args.batch * dp, length + 1)).astype(np.int32)
        print("loss:", step(Tensor(tokens[:, :-1]), Tensor(tokens[:, 1:])))


if __name__ == "__main__":
    main()
