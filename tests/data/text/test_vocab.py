"""Vocabularies: the rows of the tables, files, the older name."""

from pathlib import Path

from data_tables import operations_of
from data_tables.text import VOCAB

import sporax.dataset as ds
from sporax.dataset import text

TestOperations = operations_of("sporax._src.data.text.vocab")


def test_vocabularies_of_files(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("w1\nw2,10\nw3\n")
    assert text.Vocab.from_file(str(path), ",", None, ["<p>"]).vocab() == {"<p>": 0, "w1": 1, "w2": 2, "w3": 3}
    assert text.Vocab.from_file(path, ",", 2).vocab() == {"w1": 0, "w2": 1}
    assert len(VOCAB) == 12 and "un" in VOCAB and "xx" not in VOCAB


def test_the_vocabulary_under_its_older_name() -> None:
    """MindSpore 2.7 still has `build_vocab`, but as a warning that returns None."""
    data = ds.NumpySlicesDataset({"a": [["b", "c"], ["c", "d"], ["c", "b"]]}, shuffle=False)
    vocab = data.build_vocab(["a"], (2, 10), 5, ["<pad>"], True)
    assert isinstance(vocab, text.Vocab) and vocab.vocab() == {"<pad>": 0, "c": 1, "b": 2}
    assert data.build_vocab("a", None, None, None, True).vocab() == {"c": 0, "b": 1, "d": 2}
