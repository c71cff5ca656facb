"""Cells within Cells: a small transformer, with lists of Cells and several results."""

import math

import sporax as ms
from sporax import Parameter, Tensor, nn, ops
from sporax.common.initializer import Normal, XavierUniform, initializer


class Attention(nn.Cell):
    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.head_size = size // heads
        self.qkv = nn.Dense(size, 3 * size, weight_init=XavierUniform())
        self.out = nn.Dense(size, size)
        self.softmax = nn.Softmax(axis=-1)

    def construct(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        batch, length, size = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, self.head_size).transpose(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(self.head_size)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = self.softmax(scores)
        joined = (weights @ v).transpose(0, 2, 1, 3).reshape((batch, length, size))
        return self.out(joined), weights


class Block(nn.Cell):
    def __init__(self, size: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.attention = Attention(size, heads)
        self.norms = nn.CellList([nn.LayerNorm((size,)) for _ in range(2)])
        self.mlp = nn.SequentialCell([nn.Dense(size, 4 * size), nn.GELU(), nn.Dense(4 * size, size)])
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        attended, _ = self.attention(self.norms[0](x), mask)
        x = x + self.dropout(attended)
        return x + self.dropout(self.mlp(self.norms[1](x)))


class Transformer(nn.Cell):
    def __init__(self, vocabulary: int = 32, size: int = 16, depth: int = 2) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size, embedding_table=Normal(0.02))
        self.position = Parameter(initializer("zeros", [1, 64, size], ms.float32), name="position")
        self.blocks = nn.CellList()
        for _ in range(depth):
            self.blocks.append(Block(size, 4))
        self.head = nn.Dense(size, vocabulary, has_bias=False)

    def construct(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        x = self.embedding(tokens) + self.position[:, :length]
        mask = ops.tril(ops.ones((length, length), ms.bool_))
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x)


def main() -> None:
    net = Transformer()
    for name, parameter in net.parameters_and_names():
        if name.endswith("bias"):
            parameter.requires_grad = False
    for _, cell in net.cells_and_names():
        if isinstance(cell, nn.Dense):
            cell.weight.set_data(initializer("normal", cell.weight.shape, cell.weight.dtype))
    tokens = ops.randint(0, 32, (2, 10))
    logits = net(tokens)
    print(logits.shape, sum(p.size for p in net.get_parameters()), net.parameters_dict().keys())
    best, index = ops.topk(logits[:, -1], 3)
    print(best.dtype, index.asnumpy().tolist(), ops.cat((best, best), axis=0), ops.stack([best, best]))


if __name__ == "__main__":
    main()
