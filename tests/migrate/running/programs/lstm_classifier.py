"""A classifier of sequences of tokens: embedding, two LSTM layers in both directions, and a linear head."""

import argparse
from typing import Dict, List, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


class LSTMClassifier(nn.Module):
    def __init__(self, vocab_size: int, embed: int = 12, hidden: int = 16, classes: int = 3, pad: int = 0) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed, padding_idx=pad)
        self.lstm = nn.LSTM(embed, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.head = nn.Sequential(
            nn.LayerNorm(2 * hidden), nn.Linear(2 * hidden, hidden), nn.Tanh(), nn.Linear(hidden, classes)
        )
        self.pad = pad

    def forward(self, tokens: Tensor) -> Tensor:
        mask = (tokens != self.pad).unsqueeze(-1).float()
        states, (h, c) = self.lstm(self.embedding(tokens))
        pooled = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
        return self.head(pooled)


class Trainer:
    """Trains a network and keeps its history."""

    def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer, criterion: nn.Module) -> None:
        self.model = model
        self.optimizer = optimizer
        self.criterion = criterion
        self.history: Dict[str, List[float]] = {"loss": [], "accuracy": []}

    def step(self, batch: Tuple[Tensor, Tensor]) -> None:
        tokens, labels = batch
        logits = self.model(tokens)
        loss = self.criterion(logits, labels)
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=1.0)
        self.optimizer.step()
        self.history["loss"].append(loss.item())
        self.history["accuracy"].append((logits.argmax(dim=-1) == labels).float().mean().item())

    def fit(self, loader: DataLoader, epochs: int) -> None:
        for _ in range(epochs):
            self.model.train()
            for batch in loader:
                self.step(batch)


def make_data(count: int = 80, length: int = 9, vocab: int = 20) -> TensorDataset:
    rng = np.random.default_rng(0)
    tokens = rng.integers(1, vocab, (count, length))
    tokens[np.arange(length)[None] >= rng.integers(4, length + 1, count)[:, None]] = 0
    return TensorDataset(torch.tensor(tokens), torch.tensor(tokens.sum(1) % 3))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--save")
    parser.add_argument("--weights")
    parser.add_argument("--losses", required=True)
    args = parser.parse_args()
    torch.manual_seed(0)
    model = LSTMClassifier(20)
    if args.save:
        np.savez(args.save, **{name: value.numpy() for name, value in model.state_dict().items()})
    if args.weights:
        kept = np.load(args.weights)
        model.load_state_dict({name: torch.from_numpy(kept[name]) for name in kept.files})
    trainer = Trainer(
        model, torch.optim.RMSprop(model.parameters(), lr=0.005), nn.CrossEntropyLoss(label_smoothing=0.1)
    )
    trainer.fit(DataLoader(make_data(), batch_size=8, drop_last=True), epochs=2)
    np.savetxt(args.losses, trainer.history["loss"])


if __name__ == "__main__":
    main()
