"""Networks of torch and Cells, which are compared."""

import numpy as np
import torch
from torch.nn import functional as F

from sporax import nn, ops

ROWS = np.random.default_rng(0).normal(size=(5, 6)).astype(np.float32)
CLASSES = np.array([0, 2, 1, 3, 2])
CROSS_ENTROPY = torch.nn.CrossEntropyLoss(), nn.CrossEntropyLoss()


class MLP(torch.nn.Module):
    """Two linear layers, tanh and dropout in the network's own code."""

    def __init__(self):
        super().__init__()
        self.hidden, self.output = torch.nn.Linear(6, 8), torch.nn.Linear(8, 4)

    def forward(self, x):
        return self.output(F.dropout(torch.tanh(self.hidden(x)), 0.5, self.training))


class MLPCell(nn.Cell):
    """The same as a Cell; `wrong` changes a sign."""

    def __init__(self, wrong=False):
        super().__init__()
        self.hidden, self.output, self.wrong = nn.Dense(6, 8), nn.Dense(8, 4), wrong

    def construct(self, x):
        h = ops.tanh(self.hidden(x))
        return self.output(ops.dropout(-h if self.wrong else h, 0.5, self.training))


class Tagger(torch.nn.Module):
    """An embedding, a recurrent layer, and a linear layer that is called twice."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(10, 6)
        self.rnn = torch.nn.LSTM(6, 5, batch_first=True)
        self.tied = torch.nn.Linear(5, 5)

    def forward(self, ids):
        out, (h, _) = self.rnn(self.embed(ids))
        return {"scores": self.tied(self.tied(out)), "last": h[-1]}


class TaggerCell(nn.Cell):
    """The same as a Cell; it returns a tuple."""

    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.tied = nn.Embedding(10, 6), nn.LSTM(6, 5, batch_first=True), nn.Dense(5, 5)

    def construct(self, ids):
        out, (h, _) = self.rnn(self.embed(ids))
        return self.tied(self.tied(out)), h[-1]


class Two(torch.nn.Module):
    """Two activations whose settings MindSpore has by other defaults."""

    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.LeakyReLU(), torch.nn.GELU()

    def forward(self, x):
        return self.b(self.a(x))


class TwoCell(nn.Cell):
    """The same names with MindSpore's defaults."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.LeakyReLU(), nn.GELU()

    def construct(self, x):
        return self.b(self.a(x))
