"""Greedy decoding of 64 tokens without a cache: the text grows by one token a step."""

import torch
from attention import Block
from common import labels
from torch import nn


class GPT(nn.Module):
    def __init__(self, words=100, width=64):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(128, width)
        self.blocks = nn.ModuleList([Block(width, 4), Block(width, 4)])
        self.head = nn.Linear(width, words)

    def forward(self, ids):
        length = ids.shape[1]
        x = self.words(ids) + self.places(torch.arange(length))
        mask = torch.full((length, length), -1e9).triu(1)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x[:, -1])


net = GPT().eval()
ids = labels(100, 1, 4)
with torch.no_grad():
    for _ in range(64):
        ids = torch.cat((ids, net(ids).argmax(1)[:, None]), 1)
print(int(ids.sum()))
