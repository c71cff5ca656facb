"""A network of words tells praise from complaint, for sentences of any length.

    python sentiment.py "the film was not bad"

Sentences are padded in batches of similar length, and a mask hides the padding. At the end the network judges the sentences on
the command line.
"""

import argparse

import numpy as np

import sporax as ms
from sporax import dataset, nn, train

STARTS = ("the film was", "i found it", "to me the long second part was", "honestly it was")
WORDS = {"good": 1, "great": 1, "moving": 1, "bad": 0, "dull": 0, "poor": 0}


def sentences(count: int) -> tuple[list[str], np.ndarray]:
    """Return sentences, and 1 for praise or 0 for complaint; `not` turns a word round."""
    random = np.random.default_rng(0)
    texts, labels = [], []
    for _ in range(count):
        word, turned = random.choice(list(WORDS)), int(random.integers(2))
        texts.append(f"{random.choice(STARTS)} {'not ' if turned else ''}{word}")
        labels.append(WORDS[word] ^ turned)
    return texts, np.int32(labels)


class Praise(nn.Cell):
    """An LSTM over words, and a dense layer over the mean of its states."""

    def __init__(self, words: int, width: int = 16) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words + 1, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.head = nn.Dense(width, 2)

    def construct(self, tokens: ms.Tensor) -> ms.Tensor:
        """Return the scores of complaint and praise; tokens are (batch, time), 0 is padding."""
        mask = (tokens != 0).astype(ms.float32)
        states, _ = self.lstm(self.embedding(tokens), seq_length=mask.sum(1).astype(ms.int32))
        return self.head((states * mask.expand_dims(-1)).sum(1) / mask.sum(1, keepdims=True))


def main() -> None:
    """Train, measure, and judge the given sentences."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="*", default=["the film was not bad", "honestly it was not good"])
    parser.add_argument("--epochs", type=int, default=8, help="how often to see the data")
    args = parser.parse_args()
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)
    texts, labels = sentences(600)
    vocabulary = {word: number for number, word in enumerate(sorted({w for text in texts for w in text.split()}), 1)}
    unknown = sorted({word for text in args.text for word in text.split()} - set(vocabulary))
    if unknown:
        parser.error(f"unknown words: {', '.join(unknown)}; known are {', '.join(vocabulary)}")
    tokens = [np.int32([vocabulary[word] for word in text.split()]) for text in texts]

    def rows(first: int, last: int) -> dataset.Dataset:
        source = dataset.GeneratorDataset(
            list(zip(tokens[first:last], labels[first:last], strict=True)), ["tokens", "label"]
        )
        return source.bucket_batch_by_length(
            ["tokens"],
            [7, 12],
            [20, 20, 1],
            len,
            {"tokens": ([None], 0), "label": ([], 0)},
            pad_to_bucket_boundary=True,
        )

    network = Praise(len(vocabulary))
    model = train.Model(network, nn.CrossEntropyLoss(), nn.Adam(network.trainable_params(), 0.01), metrics={"accuracy"})
    model.train(args.epochs, rows(0, 500), callbacks=[train.ProgressBar()])
    print(f"{100 * model.eval(rows(500, 600))['accuracy']:.0f} % of new sentences are right")
    for text in args.text:
        scores = model.predict(ms.Tensor([[vocabulary[word] for word in text.split()]], ms.int32))
        print(f"{text}: {'praise' if scores.argmax(1).item() else 'complaint'}")


if __name__ == "__main__":
    main()
