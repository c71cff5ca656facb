"""A small GPT learns English, one character at a time, from the help texts that come with Python.

A transformer written from its parts: embeddings, causal self-attention, residual blocks. The step clips the
gradients, and the learning rate warms up. At the end the network writes a few words of its own.
"""

import argparse
from pydoc_data.topics import topics

import common
import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer

VOCABULARY = 128  # ASCII
CONTEXT = 32


class CausalSelfAttention(nn.Cell):
    """Every position looks at itself and at the positions before it."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Dense(width, 3 * width)
        self.project = nn.Dense(width, width)
        self.mask = Tensor(np.triu(np.full((CONTEXT, CONTEXT), -1e9, np.float32), 1))

    def construct(self, x):
        """Return the mixed values for x of shape (batch, time, width)."""
        batch, time, width = x.shape
        size = width // self.heads
        qkv = self.qkv(x).reshape((batch, time, 3, self.heads, size)).transpose((2, 0, 3, 1, 4))
        query, key, value = qkv[0], qkv[1], qkv[2]
        scores = ops.matmul(query, key.swapaxes(-2, -1)) / size**0.5 + self.mask[:time, :time]
        mixed = ops.matmul(ops.softmax(scores, axis=-1), value)
        return self.project(mixed.transpose((0, 2, 1, 3)).reshape((batch, time, width)))


class Block(nn.Cell):
    """Attention, then a two-layer network at every position, each on a residual branch."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.norm1 = nn.LayerNorm((width,), epsilon=1e-5)
        self.attention = CausalSelfAttention(width, heads)
        self.norm2 = nn.LayerNorm((width,), epsilon=1e-5)
        self.mlp = nn.SequentialCell(nn.Dense(width, 4 * width), nn.GELU(), nn.Dense(4 * width, width))

    def construct(self, x):
        """Return x with both branches added."""
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Cell):
    """Embeddings of characters and positions, blocks, and a score for every next character."""

    def __init__(self, layers: int = 2, width: int = 32, heads: int = 4):
        super().__init__()
        self.characters = nn.Embedding(VOCABULARY, width, embedding_table=Normal(0.1))
        self.positions = Parameter(initializer(Normal(0.1), (CONTEXT, width)), name="positions")
        self.blocks = nn.CellList([Block(width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.head = nn.Dense(width, VOCABULARY, has_bias=False)

    def construct(self, tokens):
        """Return scores (batch, time, characters)."""
        x = self.characters(tokens) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def corpus(args: argparse.Namespace) -> np.ndarray:
    """Return the text as numbers of characters; what is not ASCII becomes a question mark."""
    text = args.text.read_text(encoding="ascii") if args.text else "\n".join(topics[name] for name in sorted(topics))
    return np.frombuffer(text[:200_000].encode("ascii", "replace"), np.uint8).astype(np.int32)


def write(net: nn.Cell, prompt: str, count: int) -> str:
    """Return a prompt and the characters that the network puts after it."""
    random = np.random.RandomState(0)
    tokens = [ord(letter) for letter in prompt.rjust(CONTEXT)]
    for _ in range(count):
        scores = net(Tensor([tokens[-CONTEXT:]], ms.int32)).asnumpy()[0, -1]
        chances = np.exp((scores - scores.max()) / 0.7)
        tokens.append(int(random.choice(VOCABULARY, p=chances / chances.sum())))
    return "".join(map(chr, tokens)).strip()


def main() -> None:
    """Train on random pieces of the text, then write."""
    args = common.parse_args(__doc__.splitlines()[0], steps=300)
    data = corpus(args)
    net = GPT()
    common.load_weights(net, args.weights)
    rate = nn.WarmUpLR(0.003, 20)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), rate, beta2=0.99, weight_decay=0.01)

    def forward(tokens, targets):
        scores = net(tokens)
        return ops.cross_entropy(scores.reshape((-1, VOCABULARY)), targets.reshape((-1,)))

    value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters)

    def train_step(tokens, targets):
        loss, grads = value_and_grad(tokens, targets)
        optimizer(ops.clip_by_global_norm(grads, 1.0))
        return loss

    step = ms.jit(train_step) if args.mode == "graph" else train_step

    random = np.random.RandomState(0)
    losses = []
    for _ in range(args.steps):
        starts = random.randint(0, len(data) - CONTEXT - 1, 16)
        piece = np.stack([data[start : start + CONTEXT + 1] for start in starts])
        losses.append(float(step(Tensor(piece[:, :-1]), Tensor(piece[:, 1:]))))

    if losses:
        print(write(net, "The ", 60))
    common.finish(args, net, losses)


if __name__ == "__main__":
    main()
