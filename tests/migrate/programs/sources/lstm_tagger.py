"""A bidirectional LSTM that tags words; padded batches from a collate function, masked loss, batches by length."""

import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler

TAGS = {"DET": 0, "NOUN": 1, "VERB": 2, "ADJ": 3}
WORDS = {
    "DET": ["the", "a", "every"],
    "NOUN": ["dog", "cat", "house", "tree", "idea"],
    "VERB": ["sees", "likes", "builds", "run"],
    "ADJ": ["red", "old", "small"],
}
PATTERNS = [
    ["DET", "NOUN", "VERB"],
    ["DET", "ADJ", "NOUN", "VERB", "DET", "NOUN"],
    ["DET", "NOUN", "VERB", "DET", "ADJ", "ADJ", "NOUN"],
    ["NOUN", "VERB"],
]
PAD_IDX = 0
VOCAB = {word: i + 1 for i, word in enumerate(sorted(w for words in WORDS.values() for w in words))}
IDX_TO_TAG = {i: tag for tag, i in TAGS.items()}


class TaggedSentences(Dataset):
    def __init__(self, size, seed=0):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.sentences = []
        for _ in range(size):
            pattern = PATTERNS[rng.integers(len(PATTERNS))]
            words = [WORDS[tag][rng.integers(len(WORDS[tag]))] for tag in pattern]
            self.sentences.append((words, pattern))

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, i):
        words, tags = self.sentences[i]
        return np.array([VOCAB[w] for w in words], dtype=np.int64), np.array([TAGS[t] for t in tags], dtype=np.int64)


class ByLength(Sampler):
    """Sentences of like length together, the shortest first."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __iter__(self):
        return iter(sorted(range(len(self.dataset)), key=lambda i: (len(self.dataset[i][0]), i)))

    def __len__(self):
        return len(self.dataset)


def collate(batch):
    """Pad the sentences of a batch; return words, tags and lengths."""
    sentences, tags = zip(*batch, strict=True)
    lengths = torch.tensor([len(s) for s in sentences])
    words = pad_sequence([torch.from_numpy(s) for s in sentences], batch_first=True, padding_value=PAD_IDX)
    targets = pad_sequence([torch.from_numpy(t) for t in tags], batch_first=True, padding_value=0)
    return words, targets, lengths


class CharFreeTagger(nn.Module):
    def __init__(self, vocab_size, tagset_size, embedding_dim=12, hidden_dim=10, num_layers=2):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.word_embeddings = nn.Embedding(vocab_size, embedding_dim, padding_idx=PAD_IDX)
        self.lstm = nn.LSTM(
            embedding_dim, hidden_dim, num_layers=num_layers, batch_first=True, bidirectional=True, dropout=0.0
        )
        self.norm = nn.LayerNorm(2 * hidden_dim)
        self.hidden2tag = nn.Linear(2 * hidden_dim, tagset_size)
        self.reset_parameters()

    def reset_parameters(self):
        for name, param in self.lstm.named_parameters():
            if "weight" in name:
                nn.init.orthogonal_(param)
            else:
                nn.init.constant_(param, 0.0)
        nn.init.uniform_(self.word_embeddings.weight, -0.5, 0.5)
        with torch.no_grad():
            self.word_embeddings.weight[PAD_IDX].fill_(0)

    def forward(self, words):
        embeds = self.word_embeddings(words)
        lstm_out, (h_n, _) = self.lstm(embeds)
        # the last layer's final states tell what sort of sentence it is
        summary = torch.cat([h_n[-2], h_n[-1]], dim=-1).unsqueeze(1)
        features = self.norm(torch.tanh(lstm_out + summary))
        tag_space = self.hidden2tag(features)
        return F.log_softmax(tag_space, dim=-1)


def length_mask(lengths, max_length):
    return torch.arange(max_length)[None, :] < lengths[:, None]


def tag_loss(scores, targets, lengths):
    """Mean negative log-likelihood of the tags that are no padding."""
    mask = length_mask(lengths, scores.size(1)).float()
    losses = F.nll_loss(scores.transpose(1, 2), targets, reduction="none")
    return (losses * mask).sum() / mask.sum()


def build_model():
    return CharFreeTagger(len(VOCAB) + 1, len(TAGS))


def example_inputs():
    dataset = TaggedSentences(4, seed=1)
    return collate([dataset[i] for i in range(4)])


def predict(model, inputs):
    return model(inputs[0])


def forward_loss(model, inputs):
    words, targets, lengths = inputs
    return tag_loss(model(words), targets, lengths)


def train_epoch(model, iterator, optimizer, clip):
    model.train()
    epoch_losses = []
    hits, count = 0, 0

    for words, targets, lengths in iterator:
        optimizer.zero_grad()
        scores = model(words)
        loss = tag_loss(scores, targets, lengths)
        loss.backward()
        torch.nn.utils.clip_grad_value_(model.parameters(), clip)
        optimizer.step()

        mask = length_mask(lengths, words.shape[1])
        hits += ((scores.argmax(dim=2) == targets) & mask).sum().item()
        count += int(lengths.sum())
        epoch_losses.append(loss.item())

    return epoch_losses, hits / count


def tag(model, sentence):
    """The tags of a sentence, as words."""
    model.eval()
    with torch.no_grad():
        words = torch.tensor([VOCAB[w] for w in sentence], dtype=torch.long).unsqueeze(0)
        best = model(words).squeeze(0).argmax(-1)
    return [IDX_TO_TAG[i] for i in best.tolist()]


def train(model, steps=20):
    dataset = TaggedSentences(20)
    iterator = DataLoader(dataset, batch_size=4, sampler=ByLength(dataset), collate_fn=collate)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)

    history = []
    while len(history) < steps:
        losses, accuracy = train_epoch(model, iterator, optimizer, clip=0.1)
        history += losses
        print(f"\tTrain Loss: {sum(losses) / len(losses):.3f} | Train Acc: {accuracy * 100:.2f}%")
    return history[:steps]


def main():
    random.seed(1)
    torch.manual_seed(1)
    model = build_model()
    train(model)
    sentence = ["the", "old", "dog", "sees", "a", "tree"]
    for word, label in zip(sentence, tag(model, sentence), strict=True):
        print(f"{word:10s} {label}")


if __name__ == "__main__":
    main()
